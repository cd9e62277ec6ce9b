/* What somebody would do who wants an overbooked or unfair schedule to pass. */
#include "test/verify/forge.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(json_t *object, const char *member, const char *word)
{
    const char *value = json_string_value(json_object_get(object, member));

    return value && strcmp(value, word) == 0;
}

static json_t *leases(json_t *record)
{
    return json_object_get(record, "leases");
}

static json_t *extras(json_t *record, size_t i)
{
    return json_array_get(json_object_get(json_object_get(record, "galerna"), "leases"), i);
}

/* Reservations of finished leases that are not counted, since they are only planned. */
static bool call_it_planned(json_t *record)
{
    json_t *lease, *r;
    size_t i, k;
    bool changed = false;

    json_array_foreach(leases(record), i, lease)
        json_array_foreach(json_object_get(lease, "rrs"), k, r)
    {
        json_object_set_new(r, "state", json_string("Scheduled"));
        changed = true;
    }
    return changed;
}

/* Runs that are not counted, since they are said to be somebody else's. */
static bool let_it_ride(json_t *record)
{
    json_t *lease, *r;
    size_t i, k;
    bool changed = false;

    json_array_foreach(leases(record), i, lease)
    {
        json_t *riding = json_array();

        json_array_foreach(json_object_get(lease, "rrs"), k, r) if (is_word(r, "type", "VM"))
        {
            json_array_append_new(riding, json_integer((json_int_t)k));
            changed = true;
        }
        json_object_set_new(extras(record, i), "riding", riding);
    }
    return changed;
}

/* A larger site. */
static void enlarge(json_t *amounts)
{
    const char *type;
    json_t *amount;

    json_object_foreach(amounts, type, amount)
        json_integer_set(amount, json_integer_value(amount) * 10);
}

static bool build_a_larger_site(json_t *record)
{
    json_t *amounts, *host;
    const char *id;
    size_t i;

    json_object_foreach(json_object_get(record, "site"), id, amounts) enlarge(amounts);
    json_array_foreach(json_object_get(json_object_get(record, "galerna"), "hosts"), i, host)
        enlarge(json_object_get(host, "capacity"));
    return json_object_size(
               json_object_get(json_object_get(record, "counters"), "CPU utilization")) == 0 &&
           json_array_size(
               json_object_get(json_object_get(record, "counters"), "CPU utilization")) > 1;
}

/* A lease never was: neither it nor its changes of state. */
static bool forget_a_lease(json_t *record)
{
    json_t *log = json_object_get(record, "state_log");
    json_t *lease = json_array_get(leases(record), 0);
    json_int_t id = json_integer_value(json_object_get(lease, "id"));

    if (!lease || is_word(lease, "state", "Rejected"))
        return false;
    for (size_t i = json_array_size(log); i-- > 0;)
        if (json_integer_value(json_array_get(json_array_get(log, i), 1)) == id)
            json_array_remove(log, i);
    json_array_remove(leases(record), 0);
    json_array_remove(json_object_get(json_object_get(record, "galerna"), "leases"), 0);
    return true;
}

static void shift(json_t *array, size_t index, json_int_t by)
{
    json_t *number = json_array_get(array, index);

    if (json_is_integer(number))
        json_array_set_new(array, index, json_integer(json_integer_value(number) + by));
}

static void shift_member(json_t *object, const char *member, json_int_t by)
{
    json_t *number = json_object_get(object, member);

    if (json_is_integer(number))
        json_object_set_new(object, member, json_integer(json_integer_value(number) + by));
}

/* A lease ran a minute earlier than it did, by all accounts. */
static bool let_it_run_earlier(json_t *record)
{
    json_t *log = json_object_get(record, "state_log"), *move, *r, *lease = NULL;
    json_int_t id;
    size_t i, n = json_array_size(leases(record));

    for (i = n; i-- > 0 && !lease;)
        if (is_word(json_array_get(leases(record), i), "state", "Done"))
            lease = json_array_get(leases(record), i);
    if (!lease)
        return false;
    id = json_integer_value(json_object_get(lease, "id"));
    json_array_foreach(json_object_get(lease, "rrs"), i, r)
    {
        shift_member(r, "start", -60);
        shift_member(r, "end", -60);
    }
    shift_member(lease, "start_actual", -60);
    shift_member(lease, "end", -60);
    json_array_foreach(log, i, move) if (json_integer_value(json_array_get(move, 1)) == id)
        shift(move, 0, -60);
    json_array_foreach(json_object_get(json_object_get(record, "galerna"), "planned"), i,
                       move) if (json_integer_value(json_array_get(move, 1)) == id)
    {
        shift(move, 0, -60);
        shift(move, 2, -60);
        shift(move, 3, -60);
    }
    return true;
}

/* A promise that was broken was never made. */
static bool say_it_was_rejected(json_t *record)
{
    json_t *log = json_object_get(record, "state_log"), *lease;
    size_t i;

    json_array_foreach(leases(record), i, lease)
    {
        json_int_t id = json_integer_value(json_object_get(lease, "id"));
        json_int_t submit = json_integer_value(json_object_get(lease, "submit"));

        if (!is_word(lease, "type", "AR") || !is_word(lease, "state", "Done"))
            continue;
        for (size_t k = json_array_size(log); k-- > 0;) {
            json_t *move = json_array_get(log, k);

            if (json_integer_value(json_array_get(move, 1)) != id)
                continue;
            if (strcmp(json_string_value(json_array_get(move, 2)), "New") == 0)
                json_array_insert_new(log, k + 1,
                                      json_pack("[I, I, s, s]", submit, id, "Pending", "Rejected"));
            else
                json_array_remove(log, k);
        }
        json_object_set_new(lease, "state", json_string("Rejected"));
        json_object_set_new(lease, "rrs", json_array());
        json_object_set_new(lease, "end", json_null());
        json_object_set_new(lease, "start_actual", json_null());
        json_object_set_new(lease, "duration_actual", json_null());
        json_object_set_new(lease, "duration_accumulated", json_integer(0));
        json_object_set_new(extras(record, i), "state", json_string("Rejected"));
        json_object_set_new(extras(record, i), "reason", json_string("no-room-at-start"));
        return true;
    }
    return false;
}

static bool is_haizea(json_t *record)
{
    return json_is_true(json_object_get(
        json_object_get(json_object_get(record, "galerna"), "behaviour"), "estimates_times_vms"));
}

/* A lease that was preempted was suspended as planned, for nobody. Haizea itself plans suspensions
 * that nothing needs. */
static bool hide_a_preemption(json_t *record)
{
    json_t *galerna = json_object_get(record, "galerna"), *item;
    json_t *preemptions = json_object_get(record, "preemptions");
    json_t *planned = json_object_get(galerna, "planned"), *first = NULL;
    json_int_t id, decided;
    size_t i;

    if (json_array_size(preemptions) == 0 || is_haizea(record))
        return false;
    decided = json_integer_value(json_array_get(json_array_get(preemptions, 0), 0));
    id = json_integer_value(json_array_get(json_array_get(preemptions, 0), 1));
    json_array_foreach(planned, i, item)
    {
        if (json_integer_value(json_array_get(item, 1)) != id)
            continue;
        if (!first) {
            first = item;
        } else if (json_integer_value(json_array_get(item, 0)) == decided) {
            json_array_set(first, 3, json_array_get(item, 3));
            json_array_remove(planned, i);
            break;
        }
    }
    json_array_remove(preemptions, 0);
    json_array_remove(json_object_get(galerna, "preempted_for"), 0);
    return first != NULL;
}

/* Leases made room, but the record names no preemption. */
static bool drop_preemptions(json_t *record)
{
    json_array_clear(json_object_get(record, "preemptions"));
    json_array_clear(json_object_get(json_object_get(record, "galerna"), "preempted_for"));
    return true;
}

/* The last lease that made room did so for nobody. */
static bool drop_a_preemption(json_t *record)
{
    json_t *preemptions = json_object_get(record, "preemptions");
    json_t *whom = json_object_get(json_object_get(record, "galerna"), "preempted_for");

    if (json_array_size(preemptions) == 0)
        return false;
    json_array_remove(preemptions, json_array_size(preemptions) - 1);
    json_array_remove(whom, json_array_size(whom) - 1);
    return true;
}

/* Everything from the middle of the run on did not happen. */
static bool end_earlier(json_t *record)
{
    json_t *log = json_object_get(record, "state_log");
    json_int_t end = json_integer_value(json_object_get(record, "end_time")) / 2;

    for (size_t i = json_array_size(log); i-- > 0;)
        if (json_integer_value(json_array_get(json_array_get(log, i), 0)) > end)
            json_array_remove(log, i);
    json_object_set_new(record, "end_time", json_integer(end));
    return true;
}

/* Haizea's rules are laxer. */
static bool claim_to_be_haizea(json_t *record)
{
    json_t *behaviour = json_object_get(json_object_get(record, "galerna"), "behaviour"), *value;
    const char *name;
    void *next;
    bool changed = false;

    json_object_foreach_safe(behaviour, next, name, value)
    {
        changed |= json_is_false(value);
        json_object_set_new(behaviour, name, json_true());
    }
    return changed;
}

void forge_each(json_t *record, mutate_visit *visit, void *context)
{
    static const struct {
        bool (*forge)(json_t *record);
        const char *name;
    } forgeries[] = {
        {call_it_planned, "what was done is called planned"},
        {let_it_ride, "runs belong to somebody else"},
        {build_a_larger_site, "a site ten times as large"},
        {forget_a_lease, "a lease is forgotten"},
        {let_it_run_earlier, "a lease runs a minute earlier"},
        {say_it_was_rejected, "an accepted reservation was rejected"},
        {hide_a_preemption, "a preemption is a planned suspension"},
        {drop_preemptions, "no lease was preempted"},
        {drop_a_preemption, "the last lease was not preempted"},
        {end_earlier, "the run ends in the middle"},
        {claim_to_be_haizea, "Haizea's rules are claimed"},
    };
    json_t *sound = json_deep_copy(record);

    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        if (forgeries[i].forge(record) && !json_equal(record, sound))
            visit(context, "forged", forgeries[i].name);
        json_object_clear(record);
        json_object_update_new(record, json_deep_copy(sound));
    }
    json_decref(sound);
}
