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
        if (json_whole(&reader->place, NULL, json_array_get(item, 0), &move->time) < 0 ||
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
        if (json_whole(&reader->place, NULL, json_array_get(item, 0), &preemption->decided) < 0 ||
            json_whole(&reader->place, NULL, json_array_get(item, 1), &preemption->lease) < 0 ||
            json_whole(&reader->place, NULL, json_array_get(item, 2), &preemption->time) < 0)
            return -1;
        if (!how)
            return json_fail(&reader->place, NULL, "the fourth entry must say what is done");
        preemption->suspended = strcmp(how, "suspend") == 0;
        preemption->ended = strcmp(how, "cancel") == 0;
    }
    schedule->n_preemptions = json_array_size(list);
    return 0;
}

static int read_results(struct reader *reader, json_t *stats)
{
    struct schedule *schedule = reader->schedule;
    const char *id;
    json_t *item;

    schedule->results = reader_take(reader, json_object_size(stats), sizeof *schedule->results);
    if (!schedule->results)
        return -1;
    json_object_foreach(stats, id, item)
    {
        struct schedule_lease_result *result = &schedule->results[schedule->n_results];

        snprintf(reader->place.where, sizeof reader->place.where, "lease_stats.%.40s", id);
        if (!json_is_object(item))
            return json_fail(&reader->place, NULL, "expected an object");
        if (json_key_number(&reader->place, id, &result->lease) < 0 ||
            json_real_or(&reader->place, item, "Waiting time", __builtin_nan(""),
                         &result->waiting) < 0 ||
            json_real_or(&reader->place, item, "Slowdown", __builtin_nan(""), &result->slowdown) <
                0)
            return -1;
        schedule->n_results++;
    }
    reader->place.where[0] = '\0';
    return 0;
}

int reader_read_events(struct reader *reader, json_t *root)
{
    json_t *log = json_array_member(&reader->place, root, "state_log");
    json_t *preemptions = json_object_get(root, "preemptions");
    bool failed = false;
    json_t *stats;

    /* Records of Haizea 1.1 have no list of preemptions. */
    if (preemptions && !json_array_member(&reader->place, root, "preemptions"))
        return -1;
    if (!log || read_moves(reader, log) < 0 || read_preemptions(reader, preemptions) < 0)
        return -1;
    reader->place.where[0] = '\0';
    stats = json_optional_object(&reader->place, root, "lease_stats", &failed);
    return failed ? -1 : read_results(reader, stats);
}
