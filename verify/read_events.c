/* Events: the state log and the preemptions. */
#include <stdio.h>
#include <string.h>

#include "verify/read.h"

static int find_state(const struct json_place *place, const json_t *value)
{
    const char *word = json_string_value(value);

    for (unsigned i = 0; word && i < STATES; i++)
        if (strcmp(word, schedule_state_name((enum schedule_state)i)) == 0)
            return (int)i;
    return json_fail(place, NULL, "unknown state \"%.60s\"", word ? word : "(no text)");
}

static int read_moves(struct reader *reader, json_t *list)
{
    struct schedule *schedule = reader->schedule;
    json_t *item;
    size_t i;

    schedule->moves = reader_take(reader, json_array_size(list), sizeof *schedule->moves);
    if (!schedule->moves)
        return -1;
    json_array_foreach(list, i, item)
    {
        struct schedule_move *move = &schedule->moves[i];
        int from, to;

        snprintf(reader->place.where, sizeof reader->place.where, "state_log[%zu]", i);
        if (json_tuple(&reader->place, item, 4) < 0 ||
            json_whole(&reader->place, NULL, json_array_get(item, 0), &move->time) < 0 ||
            json_whole(&reader->place, NULL, json_array_get(item, 1), &move->lease) < 0)
            return -1;
        from = find_state(&reader->place, json_array_get(item, 2));
        to = from < 0 ? -1 : find_state(&reader->place, json_array_get(item, 3));
        if (to < 0)
            return -1;
        move->from = (enum schedule_state)from;
        move->to = (enum schedule_state)to;
    }
    schedule->n_moves = json_array_size(list);
    return 0;
}

static int read_preemptions(struct reader *reader, json_t *list)
{
    struct schedule *schedule = reader->schedule;
    json_t *item;
    size_t i;

    schedule->preemptions =
        reader_take(reader, json_array_size(list), sizeof *schedule->preemptions);
    if (!schedule->preemptions)
        return -1;
    json_array_foreach(list, i, item)
    {
        struct schedule_preemption *preemption = &schedule->preemptions[i];
        const char *how = json_string_value(json_array_get(item, 3));

        snprintf(reader->place.where, sizeof reader->place.where, "preemptions[%zu]", i);
        preemption->makes_for = SCHEDULE_UNSET;
        if (json_tuple(&reader->place, item, 4) < 0 ||
            json_whole(&reader->place, NULL, json_array_get(item, 0), &preemption->decided) < 0 ||
            json_whole(&reader->place, NULL, json_array_get(item, 1), &preemption->lease) < 0 ||
            json_whole(&reader->place, NULL, json_array_get(item, 2), &preemption->time) < 0)
            return -1;
        preemption->suspended = how && strcmp(how, "suspend") == 0;
        preemption->ended = how && strcmp(how, "cancel") == 0;
        if (!how ||
            (!preemption->suspended && !preemption->ended && strcmp(how, "cancel+requeue") != 0))
            return json_fail(&reader->place, NULL,
                             "the fourth entry must be suspend, cancel+requeue or cancel");
    }
    schedule->n_preemptions = json_array_size(list);
    return 0;
}

int reader_read_events(struct reader *reader, json_t *root)
{
    json_t *log = json_array_member(&reader->place, root, "state_log");
    json_t *preemptions = json_object_get(root, "preemptions");

    /* Records of Haizea 1.1 have no list of preemptions. */
    if (preemptions && !json_array_member(&reader->place, root, "preemptions"))
        return -1;
    reader->schedule->preemptions_told = preemptions;
    if (!log || read_moves(reader, log) < 0 || read_preemptions(reader, preemptions) < 0)
        return -1;
    reader->place.where[0] = '\0';
    return 0;
}
