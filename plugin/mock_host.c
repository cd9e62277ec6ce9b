/* A host for unit tests of modules, without an engine. */
#include "galerna_mock_host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mock_options.h"

enum { INSTANCES_MAX = 64, TEXT_MAX = 256 };

struct mock_instance {
    const struct galerna_policy *policy;
    void *self;
    union galerna_value *values;
    char *texts; /* storage of values of type text */
};

struct mock_host {
    struct galerna_host api;
    int64_t now;
    uint64_t random;
    int64_t (*capacity)[MOCK_TYPES];
    int64_t (*free_amounts)[MOCK_TYPES];
    size_t n_hosts;
    struct mock_instance instances[INSTANCES_MAX];
    size_t n_instances;
    struct galerna_result result;
    const char *(*attribute)(uint32_t place, const char *name);
    int64_t start;
    const struct mock_lease *leases;
    size_t n_leases;
    struct mock_hosts hosts;
    unsigned logged;
    char log[TEXT_MAX];
};

static const char *const type_names[MOCK_TYPES] = {"CPU", "Memory", "Disk", "Net-in", "Net-out"};

static struct mock_host *mock_of(const struct galerna_host *host)
{
    return (struct mock_host *)host->context;
}

static const struct mock_lease *lease_of(const struct galerna_lease *lease)
{
    return (const struct mock_lease *)(const void *)lease;
}

const struct galerna_lease *mock_lease_handle(const struct mock_lease *lease)
{
    return (const struct galerna_lease *)(const void *)lease;
}

struct mock_lease mock_lease(int64_t id, enum galerna_lease_kind kind)
{
    return (struct mock_lease){
        .id = id,
        .kind = kind,
        .terms = GALERNA_TERMS_SUSPENDABLE,
        .user = -1,
        .start = GALERNA_NONE,
        .deadline = GALERNA_NONE,
        .duration = 3600,
        .vms = 1,
        .amounts = {[GALERNA_CPU] = 100, [GALERNA_MEMORY] = 1024},
    };
}

static void mock_log(const struct galerna_host *host, enum galerna_log_level level,
                     const char *format, ...)
{
    struct mock_host *mock = mock_of(host);
    va_list args;

    (void)level;
    mock->logged++;
    va_start(args, format);
    vsnprintf(mock->log, sizeof mock->log, format, args);
    va_end(args);
}

static enum galerna_verdict mock_answer(struct galerna_result *result, enum galerna_verdict verdict,
                                        const char *reason, const char *format, ...)
{
    va_list args;

    result->verdict = (int32_t)verdict;
    snprintf(result->reason, sizeof result->reason, "%s", reason);
    va_start(args, format);
    vsnprintf(result->text, sizeof result->text, format, args);
    va_end(args);
    return verdict;
}

static int64_t mock_now(const struct galerna_host *host)
{
    return mock_of(host)->now;
}

/* Marsaglia's xorshift; the state is never 0. */
static uint64_t mock_random(const struct galerna_host *host)
{
    struct mock_host *mock = mock_of(host);

    mock->random ^= mock->random << 13;
    mock->random ^= mock->random >> 7;
    mock->random ^= mock->random << 17;
    return mock->random;
}

#define MOCK_LEASE_FIELD(type, field)                                                              \
    static type mock_lease_##field(const struct galerna_lease *lease)                              \
    {                                                                                              \
        return lease_of(lease)->field;                                                             \
    }
MOCK_LEASE_FIELD(int64_t, id)
MOCK_LEASE_FIELD(enum galerna_lease_kind, kind)
MOCK_LEASE_FIELD(enum galerna_terms, terms)
MOCK_LEASE_FIELD(enum galerna_origin, origin)
MOCK_LEASE_FIELD(int32_t, priority)
MOCK_LEASE_FIELD(int64_t, user)
MOCK_LEASE_FIELD(int64_t, submit)
MOCK_LEASE_FIELD(int64_t, start)
MOCK_LEASE_FIELD(int64_t, deadline)
MOCK_LEASE_FIELD(int64_t, duration)
MOCK_LEASE_FIELD(int64_t, accumulated)
MOCK_LEASE_FIELD(uint32_t, vms)
MOCK_LEASE_FIELD(const char *, image)
MOCK_LEASE_FIELD(int64_t, image_size)
MOCK_LEASE_FIELD(enum galerna_lease_state, state)
MOCK_LEASE_FIELD(const char *, user_name)
MOCK_LEASE_FIELD(const char *, group_name)

static int32_t mock_lease_priority_thousandths(const struct galerna_lease *lease)
{
    return lease_of(lease)->priority * 1000 + lease_of(lease)->thousandths;
}

static int32_t mock_lease_term(const struct galerna_lease *handle, const char *name,
                               union galerna_value *value)
{
    static const char *const terms[] = {"cancelable", "suspendable", "migratable", "restartable",
                                        "non-preemptable"};
    const struct mock_lease *lease = lease_of(handle);
    const struct mock_term own[] = {
        {"preemptible",
         GALERNA_BOOLEAN,
         {.boolean = lease->terms != GALERNA_TERMS_NON_PREEMPTABLE}},
        {"terms", GALERNA_TEXT, {.text = terms[lease->terms]}},
        {"origin", GALERNA_TEXT, {.text = lease->origin ? "external" : "local"}},
        {"priority", GALERNA_INTEGER, {.integer = lease->priority}},
    };
    const size_t n = sizeof own / sizeof *own + lease->n_more_terms;

    for (size_t i = 0; i < n; i++) {
        const struct mock_term *term =
            i < lease->n_more_terms ? &lease->more_terms[i] : &own[i - lease->n_more_terms];

        if (strcmp(term->name, name) == 0) {
            *value = term->value;
            return term->type;
        }
    }
    return -1;
}

static int64_t mock_lease_amount(const struct galerna_lease *lease, uint32_t vm, uint32_t type)
{
    return vm < lease_of(lease)->vms && type < MOCK_TYPES ? lease_of(lease)->amounts[type] : 0;
}

static uint32_t mock_host_count(const struct galerna_host *host)
{
    return (uint32_t)mock_of(host)->n_hosts;
}

static int32_t mock_host_id(const struct galerna_host *host, uint32_t place)
{
    return place < mock_of(host)->n_hosts ? (int32_t)place + 1 : -1;
}

static int64_t mock_host_capacity(const struct galerna_host *host, uint32_t place, uint32_t type)
{
    const struct mock_host *mock = mock_of(host);

    return place < mock->n_hosts && type < MOCK_TYPES ? mock->capacity[place][type] : 0;
}

static uint32_t mock_type_count(const struct galerna_host *host)
{
    (void)host;
    return MOCK_TYPES;
}

static const char *mock_type_name(const struct galerna_host *host, uint32_t type)
{
    (void)host;
    return type < MOCK_TYPES ? type_names[type] : NULL;
}

static int32_t mock_type_find(const struct galerna_host *host, const char *name)
{
    (void)host;
    for (int i = 0; i < MOCK_TYPES; i++)
        if (strcmp(type_names[i], name) == 0)
            return i;
    return -1;
}

static bool mock_host_free(const struct galerna_host *host, uint32_t place, int64_t at,
                           int64_t *amounts)
{
    const struct mock_host *mock = mock_of(host);

    (void)at;
    if (place >= mock->n_hosts)
        return false;
    memcpy(amounts, mock->free_amounts[place], sizeof mock->free_amounts[place]);
    return true;
}

static uint32_t mock_lease_stretches(const struct galerna_lease *lease)
{
    return lease_of(lease)->n_stretches;
}

static int64_t mock_lease_stretch(const struct galerna_host *host,
                                  const struct galerna_lease *lease, uint32_t stretch, uint32_t vm,
                                  uint32_t *place)
{
    (void)host;
    if (stretch >= lease_of(lease)->n_stretches || vm >= lease_of(lease)->vms)
        return -1;
    if (place)
        *place = lease_of(lease)->stretches[stretch].place;
    return lease_of(lease)->stretches[stretch].span;
}

static const char *mock_host_attribute(const struct galerna_host *host, uint32_t place,
                                       const char *name)
{
    const struct mock_host *mock = mock_of(host);

    return mock->attribute && place < mock->n_hosts ? mock->attribute(place, name) : NULL;
}

void mock_host_set_attributes(struct mock_host *mock,
                              const char *(*attribute)(uint32_t place, const char *name))
{
    mock->attribute = attribute;
}

void mock_host_set_start(struct mock_host *mock, int64_t start)
{
    mock->start = start;
}

static bool mock_local_time(const struct galerna_host *host, int64_t at,
                            struct galerna_local_time *local)
{
    const struct mock_host *mock = mock_of(host);
    time_t instant = mock->start + at;
    struct tm parts;

    if (mock->start == GALERNA_NONE || !gmtime_r(&instant, &parts))
        return false;
    *local = (struct galerna_local_time){parts.tm_year + 1900,
                                         parts.tm_mon + 1,
                                         parts.tm_mday,
                                         parts.tm_wday,
                                         parts.tm_hour,
                                         parts.tm_min,
                                         parts.tm_sec,
                                         0,
                                         ""};
    return true;
}

void mock_host_set_leases(struct mock_host *mock, const struct mock_lease *leases, size_t n)
{
    mock->leases = leases;
    mock->n_leases = n;
}

static size_t mock_user_leases(const struct galerna_host *host, int64_t user,
                               const struct galerna_lease **leases, size_t room)
{
    const struct mock_host *mock = mock_of(host);
    size_t n = 0;

    for (size_t i = 0; i < mock->n_leases; i++) {
        if (mock->leases[i].user != user || mock->leases[i].state == GALERNA_STATE_OVER)
            continue;
        if (n < room)
            leases[n] = mock_lease_handle(&mock->leases[i]);
        n++;
    }
    return n;
}

static enum galerna_fit mock_host_fit(const struct galerna_host *host,
                                      const struct galerna_lease *lease, uint32_t place, int64_t at,
                                      uint32_t *type)
{
    const struct mock_host *mock = mock_of(host);
    enum galerna_fit fit = GALERNA_FIT_OK;

    (void)at;
    if (place >= mock->n_hosts)
        return GALERNA_FIT_UNKNOWN;
    for (uint32_t i = 0; i < MOCK_TYPES; i++) {
        int64_t need = lease_of(lease)->amounts[i];
        enum galerna_fit here = need > mock->capacity[place][i]       ? GALERNA_FIT_TOO_SMALL
                                : need > mock->free_amounts[place][i] ? GALERNA_FIT_BUSY
                                                                      : GALERNA_FIT_OK;

        if (here > fit) {
            fit = here;
            if (type)
                *type = i;
        }
    }
    return fit;
}

struct mock_host *mock_host_create(void)
{
    struct mock_host *mock = calloc(1, sizeof *mock);

    if (!mock)
        return NULL;
    mock->random = 1;
    mock->start = GALERNA_NONE;
    mock->api = (struct galerna_host){
        .size = sizeof mock->api,
        .abi_major = GALERNA_ABI_MAJOR,
        .abi_minor = GALERNA_ABI_MINOR,
        .context = mock,
        .log = mock_log,
        .answer = mock_answer,
        .now = mock_now,
        .random = mock_random,
        .lease_id = mock_lease_id,
        .lease_kind = mock_lease_kind,
        .lease_terms = mock_lease_terms,
        .lease_origin = mock_lease_origin,
        .lease_priority = mock_lease_priority,
        .lease_user = mock_lease_user,
        .lease_submit = mock_lease_submit,
        .lease_start = mock_lease_start,
        .lease_deadline = mock_lease_deadline,
        .lease_duration = mock_lease_duration,
        .lease_accumulated = mock_lease_accumulated,
        .lease_vms = mock_lease_vms,
        .lease_amount = mock_lease_amount,
        .lease_image = mock_lease_image,
        .lease_image_size = mock_lease_image_size,
        .host_count = mock_host_count,
        .host_id = mock_host_id,
        .host_capacity = mock_host_capacity,
        .type_count = mock_type_count,
        .type_name = mock_type_name,
        .type_find = mock_type_find,
        .host_free = mock_host_free,
        .lease_stretches = mock_lease_stretches,
        .lease_stretch = mock_lease_stretch,
        .host_attribute = mock_host_attribute,
        .lease_term = mock_lease_term,
        .local_time = mock_local_time,
        .lease_state = mock_lease_state,
        .lease_user_name = mock_lease_user_name,
        .lease_group_name = mock_lease_group_name,
        .user_leases = mock_user_leases,
        .host_fit = mock_host_fit,
        .lease_priority_thousandths = mock_lease_priority_thousandths,
    };
    return mock;
}

static void free_columns(struct mock_hosts *hosts)
{
    free(hosts->hosts);
    free(hosts->leases_present);
    free(hosts->unchanged_until);
    free(hosts->free);
    memset(hosts, 0, sizeof *hosts);
}

void mock_host_destroy(struct mock_host *mock)
{
    if (!mock)
        return;
    for (size_t i = 0; i < mock->n_instances; i++) {
        if (mock->instances[i].policy->destroy)
            mock->instances[i].policy->destroy(mock->instances[i].self);
        free(mock->instances[i].values);
        free(mock->instances[i].texts);
    }
    free_columns(&mock->hosts);
    free(mock->capacity);
    free(mock->free_amounts);
    free(mock);
}

const struct galerna_host *mock_host_api(struct mock_host *mock)
{
    return &mock->api;
}

void mock_host_set_now(struct mock_host *mock, int64_t now)
{
    mock->now = now;
}

void mock_host_set_seed(struct mock_host *mock, uint64_t seed)
{
    mock->random = seed ? seed : 1;
}

void mock_host_set_compatibility(struct mock_host *mock, enum galerna_compatibility mode)
{
    mock->api.compatibility = (uint32_t)mode;
}

int mock_host_add(struct mock_host *mock, const int64_t capacity[MOCK_TYPES],
                  const int64_t *free_amounts)
{
    void *more = realloc(mock->capacity, (mock->n_hosts + 1) * sizeof *mock->capacity);

    if (!more)
        return -1;
    mock->capacity = more;
    more = realloc(mock->free_amounts, (mock->n_hosts + 1) * sizeof *mock->free_amounts);
    if (!more)
        return -1;
    mock->free_amounts = more;
    memcpy(mock->capacity[mock->n_hosts], capacity, sizeof *mock->capacity);
    memcpy(mock->free_amounts[mock->n_hosts], free_amounts ? free_amounts : capacity,
           sizeof *mock->free_amounts);
    return (int)mock->n_hosts++;
}

enum galerna_verdict mock_host_instance(struct mock_host *mock, const struct galerna_policy *policy,
                                        const char *options, void **self)
{
    struct mock_instance instance = {.policy = policy};
    struct galerna_result *result = mock_host_result(mock);
    enum galerna_verdict verdict = GALERNA_OK;

    *self = NULL;
    if (mock->n_instances == INSTANCES_MAX)
        return mock_answer(result, GALERNA_ERROR, "too-many", "too many instances");
    instance.values = calloc(policy->n_options + 1, sizeof *instance.values);
    instance.texts =
        mock_options_text(policy, mock->api.compatibility != 0, options ? options : "");
    if (!instance.values || !instance.texts)
        verdict = mock_answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    else if (!mock_options_read(policy, instance.texts, instance.values))
        verdict = mock_answer(result, GALERNA_ERROR, "bad-option", "not options of %s: %s",
                              policy->name, options ? options : "");
    else if (policy->create)
        verdict = policy->create(&mock->api, instance.values, &instance.self, result);
    if (verdict != GALERNA_OK) {
        free(instance.values);
        free(instance.texts);
        return verdict;
    }
    *self = instance.self;
    mock->instances[mock->n_instances++] = instance;
    return GALERNA_OK;
}

struct galerna_result *mock_host_result(struct mock_host *mock)
{
    memset(&mock->result, 0, sizeof mock->result);
    mock->result.size = sizeof mock->result;
    return &mock->result;
}

unsigned mock_host_log_count(const struct mock_host *mock)
{
    return mock->logged;
}

const char *mock_host_log_text(const struct mock_host *mock)
{
    return mock->log;
}

struct mock_hosts *mock_host_batch(struct mock_host *mock, const struct mock_lease *lease,
                                   int64_t at)
{
    struct mock_hosts *hosts = &mock->hosts;
    size_t n = mock->n_hosts;

    free_columns(hosts);
    hosts->hosts = calloc(n + 1, sizeof *hosts->hosts);
    hosts->leases_present = calloc(n + 1, sizeof *hosts->leases_present);
    hosts->unchanged_until = calloc(n + 1, sizeof *hosts->unchanged_until);
    hosts->free = calloc(n + 1, MOCK_TYPES * sizeof *hosts->free);
    if (!hosts->hosts || !hosts->leases_present || !hosts->unchanged_until || !hosts->free)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        hosts->hosts[i] = (uint32_t)i;
        hosts->unchanged_until[i] = GALERNA_NEVER;
        memcpy(hosts->free + i * MOCK_TYPES, mock->free_amounts[i], sizeof mock->free_amounts[i]);
    }
    hosts->batch = (struct galerna_host_batch){
        .size = sizeof hosts->batch,
        .n_types = MOCK_TYPES,
        .lease = mock_lease_handle(lease),
        .at = at,
        .duration = lease->duration,
        .n_hosts = n,
        .hosts = hosts->hosts,
        .leases_present = hosts->leases_present,
        .unchanged_until = hosts->unchanged_until,
        .free = hosts->free,
        .capacity = mock->capacity,
        .capacity_stride = sizeof *mock->capacity,
    };
    return hosts;
}
