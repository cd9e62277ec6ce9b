/* A recorded schedule played to observers, with a stand-in for the engine. */
#include "test/report/golden_run.h"
#include "core/lease_plan.h"
#include "util/memory.h"
#include "util/unqualified.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct engine {
    struct site site;
    struct lease *leases;
    size_t n_leases;
    int64_t queue, cpu_total, disk;
    int64_t cpu_used[RESERVATION_KINDS];
};

struct golden_run {
    json_t *document;
    bool refuses_reservations; /* the policy no-ARs */
    struct engine engine;
};

size_t engine_queue_length(const struct engine *engine)
{
    return (size_t)engine->queue;
}

int64_t engine_cpu_used(const struct engine *engine, enum reservation_kind kind)
{
    return engine->cpu_used[kind];
}

int64_t engine_cpu_total(const struct engine *engine)
{
    return engine->cpu_total;
}

int64_t engine_disk_used_most(const struct engine *engine)
{
    return engine->disk;
}

uint64_t engine_attempts(const struct engine *engine)
{
    return engine->n_leases;
}

const struct site *engine_site(const struct engine *engine)
{
    return &engine->site;
}

void engine_each_lease(const struct engine *engine,
                       void (*visit)(void *context, const struct lease *lease), void *context)
{
    for (size_t i = 0; i < engine->n_leases; i++) {
        if (!lease_state_is_final(engine->leases[i].state))
            visit(context, &engine->leases[i]);
    }
}

static void *room(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);

    if (!memory)
        abort();
    return memory;
}

static int64_t integer(const json_t *object, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? (int64_t)json_number_value(value) : otherwise;
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void read_amounts(struct site *site, const json_t *object, int64_t *amounts)
{
    const char *name;
    json_t *value;

    json_object_foreach(unqualified(object), name, value) {
        amounts[resource_types_add(&site->types, name, NULL)] = json_integer_value(value);
    }
}

static void read_site(struct golden_run *run)
{
    json_t *hosts = json_object_get(run->document, "site");
    struct engine *engine = &run->engine;
    char id[32];

    site_init(&engine->site);
    for (size_t i = 0; i < json_object_size(hosts); i++) {
        struct amounts amounts = {0};

        snprintf(id, sizeof id, "%zu", i + 1);
        read_amounts(&engine->site, json_object_get(hosts, id), amounts.of);
        engine->cpu_total += amounts.of[RESOURCE_CPU];
        if (site_add_hosts(&engine->site, 1, &amounts, NULL) < 0)
            abort();
    }
}

static uint32_t host_place(const json_t *id)
{
    int64_t number = json_is_string(id) ? atoll(json_string_value(id)) : json_integer_value(id);

    return number == HOST_REPOSITORY_ID ? HOST_REPOSITORY : (uint32_t)(number - 1);
}

static void add_vm(struct placement *placement, struct placed_vm vm)
{
    placement->vms[placement->n_vms++] = vm;
}

static void read_map(struct placement *placement, const json_t *map, int64_t lease)
{
    const char *key;
    json_t *value;

    placement->vms = room(4096, sizeof *placement->vms);
    json_object_foreach(unqualified(map), key, value) {
        uint32_t vm = (uint32_t)atoi(key) - 1;

        if (json_is_integer(value)) {
            add_vm(placement, (struct placed_vm){vm, host_place(value), host_place(value), lease});
        } else if (json_is_integer(json_array_get(value, 0))) {
            add_vm(placement, (struct placed_vm){vm, host_place(json_array_get(value, 1)),
                                                 host_place(json_array_get(value, 0)), lease});
        } else {
            for (size_t i = 0; i < json_array_size(value); i++) {
                const json_t *pair = json_array_get(value, i);

                add_vm(placement,
                       (struct placed_vm){(uint32_t)json_integer_value(json_array_get(pair, 1)) - 1,
                                          vm, vm, json_integer_value(json_array_get(pair, 0))});
            }
        }
    }
}

static enum reservation_kind find_kind(const char *name)
{
    for (int i = 0; i < RESERVATION_KINDS; i++) {
        if (strcmp(reservation_kind_name((enum reservation_kind)i), name) == 0)
            return (enum reservation_kind)i;
    }
    abort();
}

static struct reservation *read_reservation(struct site *site, struct lease *lease,
                                            const json_t *object)
{
    struct reservation *reservation = room(1, sizeof *reservation);
    struct placement *placement = room(1, sizeof *placement);
    json_t *hosts = json_object_get(object, "res");
    const char *state = text(object, "state");
    const char *id;
    json_t *amounts;

    placement->n_types = RESOURCE_TYPES_MAX;
    placement->hosts = room(json_object_size(hosts), sizeof *placement->hosts);
    placement->amounts = room(json_object_size(hosts) * RESOURCE_TYPES_MAX, sizeof(int64_t));
    json_object_foreach(hosts, id, amounts) {
        json_t *number = json_string(id);

        read_amounts(site, amounts, placement->amounts + placement->n_hosts * RESOURCE_TYPES_MAX);
        placement->hosts[placement->n_hosts++] = host_place(number);
        json_decref(number);
    }
    read_map(placement, json_object_get(object, "map"), lease->request.id);
    reservation->kind = find_kind(text(object, "type"));
    reservation->state = strcmp(state, "Done") == 0     ? RESERVATION_DONE
                         : strcmp(state, "Active") == 0 ? RESERVATION_ACTIVE
                                                        : RESERVATION_SCHEDULED;
    reservation->lease = lease;
    reservation->from = integer(object, "start", INSTANT_NONE);
    reservation->until = integer(object, "end", INSTANT_NONE);
    reservation->placement = placement;
    reservation->image = text(object, "file");
    reservation->image_deadline = integer(object, "deadline", INSTANT_NONE);
    return reservation;
}

static enum lease_state find_state(const char *name)
{
    for (int i = 0; i < LEASE_STATES; i++) {
        if (strcmp(lease_state_name((enum lease_state)i), name) == 0)
            return (enum lease_state)i;
    }
    abort();
}

static void read_nodes(struct site *site, struct lease *lease, const json_t *object)
{
    json_t *nodes = json_object_get(object, "nodes");
    size_t n = json_object_size(nodes);
    struct node_set *sets = room(n, sizeof *sets);
    char id[32];

    for (size_t i = 0; i < n; i++) {
        snprintf(id, sizeof id, "%zu", i + 1);
        sets[i].count = 1;
        read_amounts(site, json_object_get(nodes, id), sets[i].amounts.of);
    }
    lease->request.node_sets = sets;
    lease->request.n_node_sets = n;
    lease->n_vms = (uint32_t)n;
}

static void read_request(struct lease_request *request, const json_t *object)
{
    const json_t *software = json_object_get(object, "software");
    const char *type = text(object, "type");

    request->id = integer(object, "id", 0);
    request->kind = strcmp(type, "AR") == 0          ? LEASE_RESERVATION
                    : strcmp(type, "Immediate") == 0 ? LEASE_IMMEDIATE
                                                     : LEASE_BEST_EFFORT;
    request->submit = integer(object, "submit", 0);
    request->start = integer(object, "start_requested", INSTANT_NONE);
    request->deadline = INSTANT_NONE;
    request->duration_original = integer(object, "duration_original", 0);
    request->duration = integer(object, "duration_requested", 0);
    request->duration_known = integer(object, "duration_known", SPAN_NONE);
    request->preemptible = json_is_true(json_object_get(object, "preemptible"));
    request->terms = request->preemptible ? TERMS_SUSPENDABLE : TERMS_NON_PREEMPTABLE;
    request->user = -1;
    request->image = json_is_object(software) ? text(software, "image") : NULL;
    request->image_size = integer(software, "size", 0);
}

static void read_lease(struct site *site, struct lease *lease, const json_t *object)
{
    const json_t *list = json_object_get(object, "rrs");

    read_request(&lease->request, object);
    read_nodes(site, lease, object);
    lease_plan_create(lease, site->n_hosts);
    lease->state = find_state(text(object, "state"));
    lease->start_actual = integer(object, "start_actual", INSTANT_NONE);
    lease->end = integer(object, "end", INSTANT_NONE);
    lease->accumulated = integer(object, "duration_accumulated", 0);
    lease->duration_actual = integer(object, "duration_actual", SPAN_NONE);
    lease->n_reservations = json_array_size(list);
    lease->reservations = room(lease->n_reservations, sizeof(struct reservation *));
    for (size_t i = 0; i < lease->n_reservations; i++)
        lease->reservations[i] = read_reservation(site, lease, json_array_get(list, i));
}

/* Does the configuration beside the record name the admission policy no-ARs? */
static bool configuration_refuses(const char *path)
{
    char name[4096];
    char line[512];
    bool found = false;
    FILE *file;

    snprintf(name, sizeof name, "%.*s.conf", (int)(strlen(path) - strlen(".json")), path);
    file = fopen(name, "r");
    while (file && fgets(line, sizeof line, file))
        found = found || (strstr(line, "policy-admission") && strstr(line, "no-ARs"));
    if (file)
        fclose(file);
    return found;
}

struct golden_run *golden_run_load(const char *path)
{
    struct golden_run *run = room(1, sizeof *run);
    const json_t *leases;
    json_error_t error;

    run->document = json_load_file(path, 0, &error);
    if (!run->document) {
        fprintf(stderr, "%s: %s\n", path, error.text);
        exit(1);
    }
    run->refuses_reservations = configuration_refuses(path);
    read_site(run);
    leases = json_object_get(run->document, "leases");
    run->engine.n_leases = json_array_size(leases);
    run->engine.leases = room(run->engine.n_leases, sizeof *run->engine.leases);
    for (size_t i = 0; i < run->engine.n_leases; i++)
        read_lease(&run->engine.site, &run->engine.leases[i], json_array_get(leases, i));
    return run;
}

static void finish_lease(struct lease *lease)
{
    for (size_t i = 0; i < lease->n_reservations; i++) {
        struct placement *placement = lease->reservations[i]->placement;

        free(placement->hosts);
        free(placement->amounts);
        free(placement->vms);
        free(placement);
        free(lease->reservations[i]);
    }
    free(lease->reservations);
    lease_plan_destroy(lease);
    memory_free(lease->request.node_sets);
}

void golden_run_destroy(struct golden_run *run)
{
    for (size_t i = 0; i < run->engine.n_leases; i++)
        finish_lease(&run->engine.leases[i]);
    free(run->engine.leases);
    site_finish(&run->engine.site);
    json_decref(run->document);
    free(run);
}

json_t *golden_run_document(const struct golden_run *run)
{
    return run->document;
}

struct engine *golden_run_engine(struct golden_run *run)
{
    return &run->engine;
}

int64_t golden_run_end(const struct golden_run *run)
{
    return integer(run->document, "end_time", 0);
}

struct lease *golden_run_lease(struct golden_run *run, size_t place)
{
    return &run->engine.leases[place];
}

static struct lease *find_lease(struct golden_run *run, int64_t id)
{
    for (size_t i = 0; i < run->engine.n_leases; i++) {
        if (run->engine.leases[i].request.id == id)
            return &run->engine.leases[i];
    }
    abort();
}

/* The first instant after `now` of any list of the record whose entries begin with their time. */
static int64_t next_time(const json_t *list, int64_t now, int64_t best)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        int64_t time = (int64_t)json_number_value(json_array_get(json_array_get(list, i), 0));

        if (time > now && time < best)
            best = time;
    }
    return best;
}

static int64_t next_step(const struct golden_run *run, int64_t now)
{
    int64_t best = INSTANT_NEVER;
    const char *name;
    json_t *counter;

    best = next_time(json_object_get(run->document, "state_log"), now, best);
    best = next_time(json_object_get(run->document, "preemptions"), now, best);
    json_object_foreach(json_object_get(run->document, "counters"), name, counter) {
        best = next_time(counter, now, best);
    }
    for (size_t i = 0; i < run->engine.n_leases; i++) {
        const struct lease *lease = &run->engine.leases[i];

        for (size_t k = 0; k < lease->n_reservations; k++) {
            if (lease->reservations[k]->from > now && lease->reservations[k]->from < best)
                best = lease->reservations[k]->from;
        }
    }
    return best;
}

/* The counter's value at `now`. */
static double counter_at(const struct golden_run *run, const char *name, int64_t now)
{
    const json_t *list = json_object_get(json_object_get(run->document, "counters"), name);
    double value = 0;

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);

        if (json_number_value(json_array_get(entry, 0)) <= (double)now)
            value = json_number_value(json_array_get(entry, 2));
    }
    return value;
}

static void put(struct engine_outputs *outputs, struct engine_output output)
{
    outputs->items = reallocarray(outputs->items, outputs->n_items + 1, sizeof *outputs->items);
    if (!outputs->items)
        abort();
    outputs->items[outputs->n_items++] = output;
}

static void put_preemptions(struct golden_run *run, int64_t now, struct engine_outputs *outputs)
{
    const json_t *list = json_object_get(run->document, "preemptions");

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const char *how = json_string_value(json_array_get(entry, 3));

        if (json_integer_value(json_array_get(entry, 0)) != now)
            continue;
        put(outputs, (struct engine_output){
                         .kind = OUTPUT_PREEMPTED,
                         .time = now,
                         .lease = find_lease(run, json_integer_value(json_array_get(entry, 1))),
                         .at = json_integer_value(json_array_get(entry, 2)),
                         .how = strcmp(how, "suspend") ? PREEMPTED_REQUEUE : PREEMPTED_SUSPEND,
                     });
    }
}

static void put_states(struct golden_run *run, int64_t now, struct engine_outputs *outputs)
{
    const json_t *list = json_object_get(run->document, "state_log");

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        struct engine_output output = {.kind = OUTPUT_STATE, .time = now};

        if (json_integer_value(json_array_get(entry, 0)) != now)
            continue;
        output.lease = find_lease(run, json_integer_value(json_array_get(entry, 1)));
        output.from = find_state(json_string_value(json_array_get(entry, 2)));
        output.to = find_state(json_string_value(json_array_get(entry, 3)));
        put(outputs, output);
        if (output.from == LEASE_NEW) {
            output.kind = OUTPUT_REQUESTED;
            output.accepted =
                !run->refuses_reservations || output.lease->request.kind != LEASE_RESERVATION;
            put(outputs, output);
        }
        if (lease_state_is_final(output.to)) {
            output.kind = OUTPUT_FINISHED;
            put(outputs, output);
        }
    }
}

/* The VMs that a suspension ends or a resumption begins. */
static const struct placement *vms_of(const struct lease *lease, size_t operation)
{
    size_t i = operation;

    if (lease->reservations[i]->kind == RESERVATION_SHUTDOWN)
        return lease->reservations[i]->placement;
    while (lease->reservations[i]->kind != RESERVATION_VM)
        i = lease->reservations[operation]->kind == RESERVATION_RESUME ? i + 1 : i - 1;
    return lease->reservations[i]->placement;
}

static int64_t cpu_of(const struct placement *vms, const struct placement *operation)
{
    int64_t cpu = 0;

    for (uint32_t i = 0; i < operation->n_hosts; i++) {
        for (uint32_t k = 0; k < vms->n_hosts; k++) {
            if (vms->hosts[k] == operation->hosts[i])
                cpu += vms->amounts[k * vms->n_types + RESOURCE_CPU];
        }
    }
    return cpu;
}

/* The record tells the CPU in use; what suspensions, resumptions and shutdowns have of it follows
 * from their reservations, and the VMs have the rest. */
static void set_cpu(struct golden_run *run, int64_t now)
{
    struct engine *engine = &run->engine;

    memset(engine->cpu_used, 0, sizeof engine->cpu_used);
    engine->cpu_used[RESERVATION_VM] =
        llround(counter_at(run, "CPU utilization", now) * (double)engine->cpu_total);
    for (size_t i = 0; i < engine->n_leases; i++) {
        const struct lease *lease = &engine->leases[i];

        for (size_t k = 0; k < lease->n_reservations; k++) {
            const struct reservation *reservation = lease->reservations[k];
            int64_t cpu;

            if (reservation->kind == RESERVATION_VM || reservation->kind > RESERVATION_SHUTDOWN ||
                now < reservation->from || now >= reservation->until)
                continue;
            cpu = cpu_of(vms_of(lease, k), reservation->placement);
            engine->cpu_used[reservation->kind] += cpu;
            engine->cpu_used[RESERVATION_VM] -= cpu;
        }
    }
}

static void set_figures(struct golden_run *run, int64_t now)
{
    run->engine.queue = (int64_t)counter_at(run, "Queue size", now);
    run->engine.disk = (int64_t)counter_at(run, "Disk usage", now);
    set_cpu(run, now);
}

static int play_step(struct golden_run *run, int64_t now, const struct observer *observers,
                     size_t n_observers, struct error *err)
{
    struct engine_outputs outputs = {0};
    int result = 0;

    put_preemptions(run, now, &outputs);
    put_states(run, now, &outputs);
    set_figures(run, now);
    for (size_t i = 0; i < n_observers && result == 0; i++)
        result = observers[i].step(observers[i].context, &run->engine, now, &outputs, err);
    free(outputs.items);
    return result;
}

int golden_run_play(struct golden_run *run, const struct observer *observers, size_t n_observers,
                    struct error *err)
{
    int64_t now = next_step(run, -1);

    for (; now < INSTANT_NEVER; now = next_step(run, now)) {
        if (play_step(run, now, observers, n_observers, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < n_observers; i++) {
        if (observers[i].end &&
            observers[i].end(observers[i].context, &run->engine, golden_run_end(run), err) < 0)
            return -1;
    }
    return 0;
}
