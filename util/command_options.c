/* The options of a command line in order, those of all groups and --help. */
#include "util/command_line.h"

static const struct command_option help_option = {
    .name = "help",
    .letter = 'h',
    .type = ARGUMENT_ANSWER,
    .help = "Print this help and exit",
};

static bool group_option(const struct option_group *group, size_t i, struct command_option *option)
{
    if (i < group->n) {
        *option = group->options[i];
        return true;
    }
    return group->row && group->row(i - group->n, option);
}

/* The group of the i-th option, with its row; NULL: *i is how far i is behind the last of all. */
static const struct option_group *find_group(const struct command_line *line, size_t *i,
                                             struct command_option *option)
{
    for (size_t g = 0; g < OPTION_GROUPS_MAX; g++) {
        const struct option_group *group = &line->groups[g];
        size_t n = group->n;

        if (group_option(group, *i, option))
            return group;
        for (struct command_option spare; group->row && group->row(n - group->n, &spare);)
            n++;
        *i -= n;
    }
    return NULL;
}

bool command_line_option(const struct command_line *line, size_t i, struct command_option *option,
                         void *arguments, void **value)
{
    const struct option_group *group = find_group(line, &i, option);

    if (!group) {
        *option = help_option;
        return i == 0;
    }
    if (value)
        *value = (char *)arguments + group->offset + option->offset;
    return true;
}

const struct option_group *command_line_group(const struct command_line *line, size_t i)
{
    struct command_option option;

    return find_group(line, &i, &option);
}
