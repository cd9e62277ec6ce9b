/* Reads whether this oned leads its zone, from the answer of one.zone.raftstatus. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "adapters/cloud/cloud.h"
#include "adapters/opennebula/pool_reader.h"

enum raft_state { RAFT_SOLO, RAFT_CANDIDATE, RAFT_FOLLOWER, RAFT_LEADER, RAFT_OBSERVER };

struct raft {
    int32_t state, server;
    int64_t term;
    bool has_state;
};

static void read_raft(struct pool_reader *reader, void *object, const struct pool_value *given)
{
    struct raft *raft = object;

    if (given->n != 1)
        return;
    switch (given->elements[0]->word) {
    case WORD_STATE:
        pool_read_int(reader, given, 0, &raft->state);
        raft->has_state = given->length > 0;
        break;
    case WORD_SERVER_ID:
        pool_read_int(reader, given, -1, &raft->server);
        break;
    case WORD_TERM:
        pool_read_number(reader, given, (struct pool_range){0, INT64_MAX}, &raft->term);
        break;
    default:
        break;
    }
}

static void tell_leadership(const struct raft *raft, struct cloud_leadership *leadership)
{
    static const char *const names[] = {[RAFT_SOLO] = "solo",
                                        [RAFT_CANDIDATE] = "candidate",
                                        [RAFT_FOLLOWER] = "follower",
                                        [RAFT_LEADER] = "leader",
                                        [RAFT_OBSERVER] = "observer"};
    bool alone = raft->state == RAFT_SOLO;

    *leadership = (struct cloud_leadership){
        .leads = alone || raft->state == RAFT_LEADER,
        .term = alone ? 0 : raft->term,
        .server = alone ? -1 : raft->server,
    };
    if ((size_t)raft->state < sizeof names / sizeof *names)
        snprintf(leadership->role, sizeof leadership->role, "%s", names[raft->state]);
    else
        snprintf(leadership->role, sizeof leadership->role, "state %d", raft->state);
}

int raft_status_parse(struct cloud_leadership *leadership, const char *document, size_t length,
                      struct error *err)
{
    static const struct pool_format format = {
        .pool = "RAFT_POOL",
        .object = "RAFT",
        .size = sizeof(struct raft),
        .unsorted = true,
        .value = read_raft,
    };
    struct pool_items items;
    struct raft raft = {0};

    if (pool_read(&items, &format, document, length, err) < 0)
        return -1;
    if (items.n == 1)
        raft = *(const struct raft *)items.items;
    free(items.items);
    pool_memory_destroy(items.memory);
    if (!raft.has_state)
        return error_set(err, EINVAL, "one.zone.raftstatus: no STATE in the answer");
    if (raft.state == RAFT_LEADER && raft.term <= 0)
        return error_set(err, EINVAL, "one.zone.raftstatus: a leader without a TERM");
    tell_leadership(&raft, leadership);
    return 0;
}
