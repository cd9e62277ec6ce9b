/* The functions of struct galerna_host, which modules call. A struct galerna_lease is the core's
 * struct lease, which is opaque to modules. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/lease.h"
#include "core/reservation.h"
#include "plugin/host_api.h"
#include "util/random.h"

_Static_assert((int)GALERNA_LEASE_BEST_EFFORT == (int)LEASE_BEST_EFFORT &&
                   (int)GALERNA_LEASE_IMMEDIATE == (int)LEASE_IMMEDIATE &&
                   (int)GALERNA_LEASE_RESERVATION == (int)LEASE_RESERVATION &&
                   (int)GALERNA_LEASE_DEADLINE == (int)LEASE_DEADLINE,
               "lease kinds are passed through");
_Static_assert((int)GALERNA_TERMS_CANCELABLE == (int)TERMS_CANCELABLE &&
                   (int)GALERNA_TERMS_SUSPENDABLE == (int)TERMS_SUSPENDABLE &&
                   (int)GALERNA_TERMS_MIGRATABLE == (int)TERMS_MIGRATABLE &&
                   (int)GALERNA_TERMS_RESTARTABLE == (int)TERMS_RESTARTABLE &&
                   (int)GALERNA_TERMS_NON_PREEMPTABLE == (int)TERMS_NON_PREEMPTABLE,
               "terms are passed through");
_Static_assert((int)GALERNA_ORIGIN_EXTERNAL == (int)ORIGIN_EXTERNAL, "origins too");
_Static_assert((int)GALERNA_NET_OUT == (int)RESOURCE_NET_OUT, "resource types too");
/* NOLINTBEGIN(misc-redundant-expression): the equality is intended */
_Static_assert(GALERNA_NONE == INSTANT_NONE, "times too: not set");
_Static_assert(GALERNA_NONE == SPAN_NONE, "durations too: not set");
_Static_assert(GALERNA_NEVER == INSTANT_NEVER, "times too: never");
_Static_assert(GALERNA_UNLIMITED == SPAN_UNLIMITED, "durations too: without end");
/* NOLINTEND(misc-redundant-expression) */
_Static_assert((int)GALERNA_LOG_DEBUG == (int)POLICY_LOG_DEBUG, "log levels too");

static void api_log(const struct galerna_host *host, enum galerna_log_level level,
                    const char *format, ...)
{
    const struct instance *instance = host->context;
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    host_log(instance->state, (enum policy_log_level)level, "policy %s: %s",
             instance->module->policy.name, text);
}

static enum galerna_verdict api_answer(struct galerna_result *result, enum galerna_verdict verdict,
                                       const char *reason, const char *format, ...)
{
    va_list args;

    result->verdict = (int32_t)verdict;
    snprintf(result->reason, sizeof result->reason, "%s", reason ? reason : "");
    va_start(args, format);
    vsnprintf(result->text, sizeof result->text, format, args);
    va_end(args);
    return verdict;
}

static int64_t api_now(const struct galerna_host *host)
{
    const struct policy_host_state *state = state_of(host);

    return state->world.now ? state->world.now(state->world.context) : state->now;
}

static uint64_t api_random(const struct galerna_host *host)
{
    struct instance *instance = host->context;

    return random_next(&instance->random);
}

static int64_t api_lease_id(const struct galerna_lease *lease)
{
    return core_lease(lease)->request.id;
}

static enum galerna_lease_kind api_lease_kind(const struct galerna_lease *lease)
{
    return (enum galerna_lease_kind)core_lease(lease)->request.kind;
}

static enum galerna_terms api_lease_terms(const struct galerna_lease *lease)
{
    return (enum galerna_terms)core_lease(lease)->request.terms;
}

static enum galerna_origin api_lease_origin(const struct galerna_lease *lease)
{
    return (enum galerna_origin)core_lease(lease)->request.origin;
}

static int32_t api_lease_priority(const struct galerna_lease *lease)
{
    return (int32_t)term_whole(&lease_terms[TERM_ID_priority],
                               &core_lease(lease)->request.term_values);
}

static int32_t api_lease_priority_thousandths(const struct galerna_lease *lease)
{
    return core_lease(lease)->request.priority;
}

static int32_t api_lease_term(const struct galerna_lease *lease, const char *name,
                              union galerna_value *value)
{
    const struct term_values *values = &core_lease(lease)->request.term_values;
    const struct lease_term *term = lease_term_find(name);

    if (!term)
        return -1;
    if (term->type == TERM_WORD || term->type == TERM_TEXT) {
        value->text = term_word(term, values);
        return GALERNA_TEXT;
    }
    if (term->type == TERM_NUMBER) {
        value->integer = term_whole(term, values);
        return GALERNA_INTEGER;
    }
    value->boolean = term_number(term, values) != 0;
    return GALERNA_BOOLEAN;
}

static int64_t api_lease_user(const struct galerna_lease *lease)
{
    return core_lease(lease)->request.user;
}

static int64_t api_lease_submit(const struct galerna_lease *lease)
{
    return core_lease(lease)->request.submit;
}

static int64_t api_lease_start(const struct galerna_lease *lease)
{
    return core_lease(lease)->request.start;
}

static int64_t api_lease_deadline(const struct galerna_lease *lease)
{
    return core_lease(lease)->request.deadline;
}

static int64_t api_lease_duration(const struct galerna_lease *lease)
{
    return core_lease(lease)->request.duration;
}

static int64_t api_lease_accumulated(const struct galerna_lease *lease)
{
    return core_lease(lease)->accumulated;
}

static uint32_t api_lease_vms(const struct galerna_lease *lease)
{
    return core_lease(lease)->n_vms;
}

static int64_t api_lease_amount(const struct galerna_lease *lease, uint32_t vm, uint32_t type)
{
    const struct lease_request *request = &core_lease(lease)->request;

    if (type >= RESOURCE_TYPES_MAX)
        return 0;
    for (size_t i = 0; i < request->n_node_sets; i++) {
        if (vm < request->node_sets[i].count)
            return request->node_sets[i].amounts.of[type];
        vm -= request->node_sets[i].count;
    }
    return 0;
}

static const char *api_lease_image(const struct galerna_lease *lease)
{
    return core_lease(lease)->request.image;
}

static int64_t api_lease_image_size(const struct galerna_lease *lease)
{
    return core_lease(lease)->request.image_size;
}

static uint32_t api_host_count(const struct galerna_host *host)
{
    const struct site *site = state_of(host)->site;

    return site ? (uint32_t)site->n_hosts : 0;
}

static int32_t api_host_id(const struct galerna_host *host, uint32_t place)
{
    const struct site *site = state_of(host)->site;

    return site && place < site->n_hosts ? site->hosts[place].id : -1;
}

static int64_t api_host_capacity(const struct galerna_host *host, uint32_t place, uint32_t type)
{
    const struct site *site = state_of(host)->site;

    if (!site || place >= site->n_hosts || type >= (uint32_t)site->types.count)
        return 0;
    return site->hosts[place].capacity.of[type];
}

static uint32_t api_type_count(const struct galerna_host *host)
{
    const struct site *site = state_of(host)->site;

    return site ? (uint32_t)site->types.count : 0;
}

static const char *api_type_name(const struct galerna_host *host, uint32_t type)
{
    const struct site *site = state_of(host)->site;

    return site && type < (uint32_t)site->types.count ? site->types.names[type] : NULL;
}

static int32_t api_type_find(const struct galerna_host *host, const char *name)
{
    const struct site *site = state_of(host)->site;

    for (int i = 0; site && i < site->types.count; i++)
        if (strcmp(site->types.names[i], name) == 0)
            return i;
    return -1;
}

static bool api_host_free(const struct galerna_host *host, uint32_t place, int64_t at,
                          int64_t *amounts)
{
    const struct policy_host_state *state = state_of(host);
    int64_t room[RESOURCE_TYPES_MAX];

    if (!state->world.free_at || place >= api_host_count(host) ||
        !state->world.free_at(state->world.context, place, at, room))
        return false;
    memcpy(amounts, room, api_type_count(host) * sizeof *amounts);
    return true;
}

/* The stretch with that number, counted from 0; n, unless NULL: the number of stretches. */
static const struct reservation *stretch_of(const struct galerna_lease *lease, uint32_t stretch,
                                            uint32_t *n)
{
    const struct lease *known = core_lease(lease);
    const struct reservation *found = NULL;
    uint32_t count = 0;

    for (size_t i = 0; i < known->n_reservations; i++) {
        const struct reservation *r = known->reservations[i];

        if (r->kind != RESERVATION_VM || r->state == RESERVATION_SCHEDULED)
            continue;
        if (count++ == stretch)
            found = r;
    }
    if (n)
        *n = count;
    return found;
}

static uint32_t api_lease_stretches(const struct galerna_lease *lease)
{
    uint32_t n;

    stretch_of(lease, 0, &n);
    return n;
}

static int64_t api_lease_stretch(const struct galerna_host *host, const struct galerna_lease *lease,
                                 uint32_t stretch, uint32_t vm, uint32_t *place)
{
    const struct reservation *r = stretch_of(lease, stretch, NULL);
    int64_t until;

    if (!r || vm >= r->placement->n_vms)
        return -1;
    until = r->state == RESERVATION_ACTIVE && api_now(host) < r->until ? api_now(host) : r->until;
    if (place)
        *place = r->placement->vms[vm].host;
    return until > r->from ? until - r->from : 0;
}

static const char *api_host_attribute(const struct galerna_host *host, uint32_t place,
                                      const char *name)
{
    const struct policy_host_state *state = state_of(host);

    if (!state->world.host_attribute || place >= api_host_count(host))
        return NULL;
    return state->world.host_attribute(state->world.context, place, name);
}

void host_api_init(struct galerna_host *api, struct instance *instance)
{
    *api = (struct galerna_host){
        .size = sizeof *api,
        .abi_major = GALERNA_ABI_MAJOR,
        .abi_minor = GALERNA_ABI_MINOR,
        .compatibility = instance->state->settings->haizea_compatible
                             ? GALERNA_COMPATIBILITY_HAIZEA_1_0
                             : GALERNA_COMPATIBILITY_DEFAULT,
        .context = instance,
        .log = api_log,
        .answer = api_answer,
        .now = api_now,
        .random = api_random,
        .lease_id = api_lease_id,
        .lease_kind = api_lease_kind,
        .lease_terms = api_lease_terms,
        .lease_origin = api_lease_origin,
        .lease_priority = api_lease_priority,
        .lease_user = api_lease_user,
        .lease_submit = api_lease_submit,
        .lease_start = api_lease_start,
        .lease_deadline = api_lease_deadline,
        .lease_duration = api_lease_duration,
        .lease_accumulated = api_lease_accumulated,
        .lease_vms = api_lease_vms,
        .lease_amount = api_lease_amount,
        .lease_image = api_lease_image,
        .lease_image_size = api_lease_image_size,
        .host_count = api_host_count,
        .host_id = api_host_id,
        .host_capacity = api_host_capacity,
        .type_count = api_type_count,
        .type_name = api_type_name,
        .type_find = api_type_find,
        .host_free = api_host_free,
        .lease_stretches = api_lease_stretches,
        .lease_stretch = api_lease_stretch,
        .host_attribute = api_host_attribute,
        .lease_term = api_lease_term,
        .local_time = api_local_time,
        .lease_state = api_lease_state,
        .lease_user_name = api_lease_user_name,
        .lease_group_name = api_lease_group_name,
        .user_leases = api_user_leases,
        .host_fit = api_host_fit,
        .lease_priority_thousandths = api_lease_priority_thousandths,
    };
}
