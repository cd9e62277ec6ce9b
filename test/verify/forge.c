/* What somebody would do who wants an overbooked or unfair schedule to pass. */
#include "test/verify/forge.h"

#include <stdbool.h>
#include <stdio.h>
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
        json_array_foreach(json_object_get(lease, "rrs"), k, r) {
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

    json_array_foreach(leases(record), i, lease) {
        json_t *riding = json_array();

        json_array_foreach(json_object_get(lease, "rrs"), k, r)
            if (is_word(r, "type", "VM")) {
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

    json_object_foreach(json_object_get(record, "site"), id, amounts)
        enlarge(amounts);
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
    json_array_foreach(json_object_get(lease, "rrs"), i, r) {
        shift_member(r, "start", -60);
        shift_member(r, "end", -60);
    }
    shift_member(lease, "start_actual", -60);
    shift_member(lease, "end", -60);
    json_array_foreach(log, i, move)
        if (json_integer_value(json_array_get(move, 1)) == id)
            shift(move, 0, -60);
    json_array_foreach(json_object_get(json_object_get(record, "galerna"), "planned"), i, move)
        if (json_integer_value(json_array_get(move, 1)) == id) {
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

    json_array_foreach(leases(record), i, lease) {
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
    json_array_foreach(planned, i, item) {
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

    json_object_foreach_safe(behaviour, next, name, value) {
        changed |= json_is_false(value);
        json_object_set_new(behaviour, name, json_true());
    }
    return changed;
}

static json_t *inputs(json_t *record)
{
    return json_object_get(json_object_get(record, "galerna"), "inputs");
}

/* There was another host, on which nothing ran. */
static bool add_a_host(json_t *record)
{
    json_t *hosts = json_object_get(json_object_get(record, "galerna"), "hosts");
    json_t *host = json_deep_copy(json_array_get(hosts, json_array_size(hosts) - 1));
    json_int_t id = json_integer_value(json_object_get(host, "id")) + 1;
    char key[30];

    snprintf(key, sizeof key, "%lld", (long long)id);
    json_object_set(json_object_get(record, "site"), key, json_object_get(host, "capacity"));
    json_object_set_new(host, "id", json_integer(id));
    json_array_append_new(hosts, host);
    return true;
}

/* Two leases change their numbers, in the log and in their requests. */
static bool exchange_numbers(json_t *record)
{
    json_t *lists[] = {leases(record), json_object_get(inputs(record), "requests"),
                       json_object_get(json_object_get(record, "galerna"), "leases")};
    json_t *log = json_object_get(record, "state_log"), *item;
    size_t i;

    if (json_array_size(leases(record)) < 2)
        return false;
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++) {
        json_object_set_new(json_array_get(lists[list], 0), "id", json_integer(2));
        json_object_set_new(json_array_get(lists[list], 1), "id", json_integer(1));
    }
    json_array_foreach(log, i, item)
        if (json_integer_value(json_array_get(item, 1)) <= 2)
            json_array_set_new(item, 1,
                               json_integer(3 - json_integer_value(json_array_get(item, 1))));
    return true;
}

/* Two requests change places. */
static bool exchange_requests(json_t *record)
{
    json_t *requests = json_object_get(inputs(record), "requests");
    json_t *first = json_incref(json_array_get(requests, 0));

    json_array_remove(requests, 0);
    json_array_insert_new(requests, 1, first);
    return json_array_size(requests) > 1;
}

/* Somebody interrupted the run a step before its end. */
static bool interrupt_it(json_t *record)
{
    json_object_set_new(record, "status", json_string("interrupted"));
    json_object_set_new(json_object_get(record, "galerna"), "ending", json_string("interrupted"));
    shift_member(inputs(record), "steps", -1);
    return true;
}

/* An option appears again, with another value. */
static bool repeat_an_option(json_t *record)
{
    json_t *configuration = json_object_get(inputs(record), "configuration");
    json_t *option = json_deep_copy(json_array_get(configuration, 0));

    json_array_set_new(option, 2, json_string("imagetransfer"));
    json_array_insert_new(configuration, 0, option);
    return true;
}

/* A change of state appears again. */
static bool repeat_a_move(json_t *record)
{
    json_t *log = json_object_get(record, "state_log");

    json_array_insert(log, 1, json_array_get(log, 0));
    return true;
}

/* The record is of a version without inputs, but has some. */
static bool call_it_older(json_t *record)
{
    json_object_set_new(json_object_get(record, "galerna"), "version", json_integer(3));
    return true;
}

void forge_each(json_t *record, mutate_visit *visit, void *context)
{
    static const struct {
        bool (*forge)(json_t *record);
        const char *name;
        bool of_inputs;
    } forgeries[] = {
        {call_it_planned, "what was done is called planned", false},
        {let_it_ride, "runs belong to somebody else", false},
        {build_a_larger_site, "a site ten times as large", false},
        {forget_a_lease, "a lease is forgotten", false},
        {let_it_run_earlier, "a lease runs a minute earlier", false},
        {say_it_was_rejected, "an accepted reservation was rejected", false},
        {hide_a_preemption, "a preemption is a planned suspension", false},
        {drop_preemptions, "no lease was preempted", false},
        {drop_a_preemption, "the last lease was not preempted", false},
        {end_earlier, "the run ends in the middle", false},
        {claim_to_be_haizea, "Haizea's rules are claimed", false},
        {add_a_host, "a host is added", false},
        {exchange_numbers, "two leases exchange their numbers", false},
        {exchange_requests, "two requests exchange their places", true},
        {interrupt_it, "the run was interrupted", true},
        {repeat_an_option, "an option appears twice", true},
        {repeat_a_move, "a change of state appears twice", false},
        {call_it_older, "the record is of an older version", false},
    };
    json_t *sound = json_deep_copy(record);

    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        if (forgeries[i].forge(record) && !json_equal(record, sound))
            visit(context, forgeries[i].of_inputs ? "galerna/inputs" : "forged", forgeries[i].name);
        json_object_clear(record);
        json_object_update_new(record, json_deep_copy(sound));
    }
    json_decref(sound);
}
