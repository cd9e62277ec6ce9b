/* The HAIZEA attribute as a VM's owner may write it: one line per attribute, NAME=VALUE. What is
 * read must be consistent, what is refused must have a printable reason. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/wish.h"
#include "util/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ATTRIBUTES = 32 };

static void check_wish(const struct wish *wish)
{
    bool timed = wish->kind == LEASE_RESERVATION;

    if (timed != (wish->start != INSTANT_NONE) || wish->duration < 1 ||
        (wish->kind == LEASE_DEADLINE) != (wish->deadline != INSTANT_NONE) ||
        wish->preemptible != (wish->terms != TERMS_NON_PREEMPTABLE) ||
        strlen(wish->group) >= WISH_GROUP_MAX || (wish->group_size && !wish->group[0]))
        abort();
}

static void check_reason(const char *reason)
{
    if (!*reason || strlen(reason) >= WISH_TEXT_MAX)
        abort();
    for (; *reason; reason++)
        if (*reason < ' ' || *reason > '~')
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct wish_defaults defaults = {.duration = SPAN_UNLIMITED};
    struct attribute items[ATTRIBUTES];
    struct vm vm = {.stime = 1700000000, .is_extended = true, .user_template = {items, 0, 0}};
    char *text = memory_new(size + 1, 1), *rest = text, *line, reason[WISH_TEXT_MAX];
    struct wish wish;

    if (size)
        memcpy(text, data, size);
    while (vm.user_template.n < ATTRIBUTES && (line = strsep(&rest, "\n"))) {
        char *name = strsep(&line, "=");

        items[vm.user_template.n++] = (struct attribute){name, line ? line : ""};
    }
    if (wish_read(&vm, &defaults, &wish, reason) == 0)
        check_wish(&wish);
    else
        check_reason(reason);
    free(text);
    return 0;
}
