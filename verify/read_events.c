/* Reads the state log and the preemptions. */
#include <string.h>

#include "util/words.h"
#include "verify/read.h"

static int find_state(const struct json_place *place, const json_t *value)
{
    const char *word = json_string_value(value);
    int state = word ? words_find(schedule_state_names, STATES, word) : -1;

    return state >= 0
               ? state
               : json_fail(place, NULL, "unknown state \"%.60s\"", word ? word : "(no text)");
}

static int read_move(struct reader *reader, json_t *entry, void *item)
{
    struct schedule_move *move = item;
    int from, to;

    if (json_tuple(&reader->place, entry, 4, (int64_t *[]){&move->time, &move->lease, NULL}) < 0)
        return -1;
    from = find_state(&reader->place, json_array_get(entry, 2));
    to = from < 0 ? -1 : find_state(&reader->place, json_array_get(entry, 3));
    if (to < 0)
        return -1;
    move->from = (enum schedule_state)from;
    move->to = (enum schedule_state)to;
    return 0;
}

static int read_preemption(struct reader *reader, json_t *entry, void *item)
{
    struct schedule_preemption *preemption = item;
    const char *how = json_string_value(json_array_get(entry, 3));
    int64_t *const numbers[] = {&preemption->decided, &preemption->lease, &preemption->time, NULL};

    preemption->makes_for = SCHEDULE_UNSET;
    if (json_tuple(&reader->place, entry, 4, numbers) < 0)
        return -1;
    preemption->suspended = how && strcmp(how, "suspend") == 0;
    preemption->ended = how && strcmp(how, "cancel") == 0;
    if (!how ||
        (!preemption->suspended && !preemption->ended && strcmp(how, "cancel+requeue") != 0))
        return json_fail(&reader->place, NULL,
                         "the fourth entry must be suspend, cancel+requeue or cancel");
    return 0;
}

int reader_read_events(struct reader *reader, json_t *root)
{
    json_t *log = json_array_member(&reader->place, root, "state_log");
    json_t *preemptions = json_object_get(root, "preemptions");
    struct schedule *schedule = reader->schedule;

    /* Records of Haizea 1.1 have no list of preemptions. */
    if (preemptions && !json_array_member(&reader->place, root, "preemptions"))
        return -1;
    schedule->preemptions_told = preemptions;
    if (!log)
        return -1;
    schedule->moves =
        reader_read_list(reader, log, "state_log", sizeof *schedule->moves, read_move);
    if (!schedule->moves)
        return -1;
    schedule->n_moves = json_array_size(log);
    schedule->preemptions = reader_read_list(reader, preemptions, "preemptions",
                                             sizeof *schedule->preemptions, read_preemption);
    if (!schedule->preemptions)
        return -1;
    schedule->n_preemptions = json_array_size(preemptions);
    reader->place.where[0] = '\0';
    return 0;
}
