/* Writes one lease as JSON. */
#include "report/record_lease.h"

#include <stdlib.h>
#include <string.h>

#include "core/reservation.h"
#include "util/memory.h"
#include "util/time_text.h"

struct amounts_text {
    bool filled;
    uint32_t zeros;
    int count;
    int64_t amounts[RESOURCE_TYPES_MAX];
    struct output *text;
};

struct amounts_text *amounts_text_create(void)
{
    struct amounts_text *text = memory_new(1, sizeof *text);

    text->text = output_create_spool("record");
    return text;
}

void amounts_text_destroy(struct amounts_text *text)
{
    if (!text)
        return;
    output_destroy(text->text);
    free(text);
}

int64_t record_host_id(const struct site *site, uint32_t host)
{
    return host == HOST_REPOSITORY ? HOST_REPOSITORY_ID : site->hosts[host].id;
}

void record_optional(struct output *out, int64_t value)
{
    if (value == INSTANT_NONE || value == INSTANT_NEVER)
        output_bytes(out, "null", 4);
    else
        output_integer(out, value);
}

static void compose_amounts(struct amounts_text *text, const struct resource_types *types,
                            const int64_t *amounts, uint32_t zeros)
{
    struct json_writer json;

    output_rewind(text->text);
    json_writer_init(&json, text->text);
    json_begin_object(&json);
    for (int i = 0; i < types->count; i++) {
        if (amounts[i] == 0 && !(zeros >> i & 1))
            continue;
        json_put_integer(&json, types->names[i], amounts[i]);
    }
    json_end_object(&json);
    text->filled = true;
    text->zeros = zeros;
    text->count = types->count;
    memcpy(text->amounts, amounts, (size_t)types->count * sizeof *amounts);
}

void record_amounts(struct output *out, struct amounts_text *text, const struct site *site,
                    const int64_t *amounts, uint32_t zeros)
{
    size_t size = (size_t)site->types.count * sizeof *amounts;
    const char *held;
    size_t n;

    if (!text->filled || text->zeros != zeros || text->count != site->types.count ||
        memcmp(text->amounts, amounts, size) != 0)
        compose_amounts(text, &site->types, amounts, zeros);
    held = output_held(text->text, &n);
    output_bytes(out, held, n);
}

#define LITERAL(out, text) output_bytes(out, text, sizeof(text) - 1)

/* key: the complete text before the value. */
static void put_integer(struct output *out, const char *key, int64_t value)
{
    output_text(out, key);
    output_integer(out, value);
}

static void put_optional(struct output *out, const char *key, int64_t value)
{
    output_text(out, key);
    record_optional(out, value);
}

static void quoted(struct output *out, const char *text)
{
    struct json_writer json;

    json_writer_init(&json, out);
    json_write_string(&json, text);
}

/* Writes "key":, after a comma unless it is the first. */
static void integer_key(struct output *out, int64_t key, bool first)
{
    if (!first)
        output_char(out, ',');
    output_char(out, '"');
    output_integer(out, key);
    output_bytes(out, "\":", 2);
}

static void migration_map(struct output *out, const struct site *site,
                          const struct placement *placement)
{
    for (uint32_t i = 0; i < placement->n_vms; i++) {
        const struct placed_vm *vm = &placement->vms[i];

        integer_key(out, (int64_t)vm->vm + 1, i == 0);
        output_char(out, '[');
        output_integer(out, record_host_id(site, vm->from));
        output_char(out, ',');
        output_integer(out, record_host_id(site, vm->host));
        output_char(out, ']');
    }
}

static void transfer_host(struct output *out, const struct placement *placement, uint32_t host)
{
    bool first = true;

    for (uint32_t i = 0; i < placement->n_vms; i++) {
        const struct placed_vm *vm = &placement->vms[i];

        if (vm->host != host)
            continue;
        if (!first)
            output_char(out, ',');
        output_char(out, '[');
        output_integer(out, vm->lease);
        output_char(out, ',');
        output_integer(out, (int64_t)vm->vm + 1);
        output_char(out, ']');
        first = false;
    }
}

/* Does a VM before the i-th have its host? */
static bool is_named_before(const struct placement *placement, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (placement->vms[k].host == placement->vms[i].host)
            return true;
    return false;
}

static void transfer_map(struct output *out, const struct site *site,
                         const struct placement *placement)
{
    for (uint32_t i = 0; i < placement->n_vms; i++) {
        uint32_t host = placement->vms[i].host;

        if (is_named_before(placement, i))
            continue;
        integer_key(out, record_host_id(site, host), i == 0);
        output_char(out, '[');
        transfer_host(out, placement, host);
        output_char(out, ']');
    }
}

static void plain_map(struct output *out, const struct site *site,
                      const struct placement *placement)
{
    for (uint32_t i = 0; i < placement->n_vms; i++) {
        integer_key(out, (int64_t)placement->vms[i].vm + 1, i == 0);
        output_integer(out, record_host_id(site, placement->vms[i].host));
    }
}

static void reservation_map(struct output *out, const struct site *site,
                            const struct reservation *reservation)
{
    output_char(out, '{');
    switch (reservation->kind) {
    case RESERVATION_MEMORY_MIGRATION:
    case RESERVATION_DISK_MIGRATION:
        migration_map(out, site, reservation->placement);
        break;
    case RESERVATION_TRANSFER:
        transfer_map(out, site, reservation->placement);
        break;
    default:
        plain_map(out, site, reservation->placement);
        break;
    }
    output_char(out, '}');
}

static void reservation_amounts(struct output *out, struct amounts_text *text,
                                const struct site *site, const struct placement *placement)
{
    output_char(out, '{');
    for (uint32_t i = 0; i < placement->n_hosts; i++) {
        integer_key(out, record_host_id(site, placement->hosts[i]), i == 0);
        record_amounts(out, text, site, placement->amounts + (size_t)i * placement->n_types, 0);
    }
    output_char(out, '}');
}

static void write_reservation(struct output *out, struct amounts_text *text,
                              const struct site *site, const struct reservation *reservation)
{
    output_char(out, '{');
    if (reservation->kind == RESERVATION_TRANSFER) {
        LITERAL(out, "\"deadline\":");
        record_optional(out, reservation->image_deadline);
        LITERAL(out, ",\"file\":");
        quoted(out, reservation->image);
        output_char(out, ',');
    }
    put_optional(out, "\"end\":", reservation->until);
    LITERAL(out, ",\"map\":");
    reservation_map(out, site, reservation);
    LITERAL(out, ",\"res\":");
    reservation_amounts(out, text, site, reservation->placement);
    put_integer(out, ",\"start\":", reservation->from);
    LITERAL(out, ",\"state\":\"");
    output_text(out, reservation_state_name(reservation->state));
    LITERAL(out, "\",\"type\":\"");
    output_text(out, reservation_kind_name(reservation->kind));
    LITERAL(out, "\"}");
}

static void write_nodes(struct output *out, struct amounts_text *text, const struct site *site,
                        const struct lease_request *request)
{
    int64_t vm = 0;

    output_char(out, '{');
    for (size_t i = 0; i < request->n_node_sets; i++) {
        const struct node_set *set = &request->node_sets[i];

        for (uint32_t k = 0; k < set->count; k++) {
            integer_key(out, vm + 1, vm == 0);
            record_amounts(out, text, site, set->amounts.of, set->named);
            vm++;
        }
    }
    output_char(out, '}');
}

static void write_start_requested(struct output *out, const struct lease_request *request)
{
    if (request->kind == LEASE_IMMEDIATE)
        LITERAL(out, "\"Now\"");
    else if (request->kind == LEASE_BEST_EFFORT || request->start == INSTANT_NONE)
        LITERAL(out, "\"Unspecified\"");
    else
        output_integer(out, request->start);
}

static void write_software(struct output *out, const struct lease_request *request)
{
    if (!request->image) {
        LITERAL(out, "null");
        return;
    }
    LITERAL(out, "{\"image\":");
    quoted(out, request->image);
    put_integer(out, ",\"size\":", request->image_size);
    output_char(out, '}');
}

void record_lease(struct output *out, struct amounts_text *text, const struct site *site,
                  const struct lease *lease)
{
    const struct lease_request *request = &lease->request;

    put_integer(out, "{\"duration_accumulated\":", lease->accumulated);
    put_optional(out, ",\"duration_actual\":", lease->duration_actual);
    put_optional(out, ",\"duration_known\":", request->duration_known);
    put_optional(out, ",\"duration_original\":", request->duration_original);
    put_optional(out, ",\"duration_requested\":", request->duration);
    put_optional(out, ",\"end\":", lease->end);
    put_integer(out, ",\"id\":", request->id);
    LITERAL(out, ",\"nodes\":");
    write_nodes(out, text, site, request);
    put_integer(out, ",\"numnodes\":", lease->n_vms);
    LITERAL(out, ",\"preemptible\":");
    output_text(out, request->preemptible ? "true" : "false");
    LITERAL(out, ",\"rrs\":[");
    for (size_t i = 0; i < lease->n_reservations; i++) {
        if (i > 0)
            output_char(out, ',');
        write_reservation(out, text, site, lease->reservations[i]);
    }
    LITERAL(out, "],\"software\":");
    write_software(out, request);
    put_optional(out, ",\"start_actual\":", lease->start_actual);
    LITERAL(out, ",\"start_requested\":");
    write_start_requested(out, request);
    LITERAL(out, ",\"state\":\"");
    output_text(out, lease_state_name(lease->state));
    put_integer(out, "\",\"submit\":", request->submit);
    LITERAL(out, ",\"type\":\"");
    output_text(out, lease_kind_name(request->kind));
    LITERAL(out, "\"}");
}

static void write_riding(struct output *out, const struct lease *lease)
{
    bool first = true;

    output_char(out, '[');
    for (size_t i = 0; i < lease->n_reservations; i++) {
        if (lease->reservations[i]->lease == lease)
            continue;
        if (!first)
            output_char(out, ',');
        output_integer(out, (int64_t)i);
        first = false;
    }
    output_char(out, ']');
}

/* Texts of terms have no characters that JSON must escape. */
static void write_term(struct output *out, const struct lease_term *term,
                       const struct term_values *values)
{
    char text[TERM_TEXT_MAX];

    LITERAL(out, ",\"");
    output_text(out, term->name);
    LITERAL(out, "\":");
    if (term->type == TERM_NUMBER) {
        output_text(out, term_write(term, values, text));
    } else if (term->type == TERM_FLAG) {
        output_text(out, term_number(term, values) ? "true" : "false");
    } else {
        output_char(out, '"');
        output_text(out, term_word(term, values));
        output_char(out, '"');
    }
}

void record_lease_extras(struct output *out, const struct lease *lease)
{
    const struct lease_request *request = &lease->request;
    char sentence[1024];

    reason_format(&lease->reason, sentence, sizeof sentence, time_text_seconds);
    put_integer(out, "{\"id\":", request->id);
    LITERAL(out, ",\"kind\":\"");
    output_text(out, lease_kind_name(request->kind));
    output_char(out, '"');
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        if (!lease_terms[i].of_haizea)
            write_term(out, &lease_terms[i], &request->term_values);
    LITERAL(out, ",\"user\":");
    if (request->user < 0)
        LITERAL(out, "null");
    else
        output_integer(out, request->user);
    put_integer(out, ",\"submit\":", request->submit);
    put_optional(out, ",\"not_before\":", request->start);
    put_optional(out, ",\"deadline\":", request->deadline);
    put_optional(out, ",\"duration\":", request->duration);
    LITERAL(out, ",\"state\":\"");
    output_text(out, lease_state_name(lease->state));
    LITERAL(out, "\",\"reason\":\"");
    output_text(out, reason_name(lease->reason.id));
    LITERAL(out, "\",\"explanation\":");
    quoted(out, sentence);
    LITERAL(out, ",\"riding\":");
    write_riding(out, lease);
    output_char(out, '}');
}

static void write_node_sets(struct output *out, struct amounts_text *text, const struct site *site,
                            const struct lease_request *request)
{
    output_char(out, '[');
    for (size_t i = 0; i < request->n_node_sets; i++) {
        const struct node_set *set = &request->node_sets[i];

        output_text(out, i == 0 ? "[" : ",[");
        output_integer(out, set->count);
        output_char(out, ',');
        record_amounts(out, text, site, set->amounts.of, set->named);
        output_char(out, ']');
    }
    output_char(out, ']');
}

/* Writes ,"name":value. */
static void write_optional(struct output *out, const char *name, int64_t value)
{
    LITERAL(out, ",\"");
    output_text(out, name);
    LITERAL(out, "\":");
    record_optional(out, value);
}

void record_request(struct output *out, struct amounts_text *text, const struct site *site,
                    const struct lease_request *request, int64_t stop)
{
    LITERAL(out, "{\"id\":");
    output_integer(out, request->id);
    LITERAL(out, ",\"kind\":\"");
    output_text(out, lease_kind_name(request->kind));
    output_char(out, '"');
    write_optional(out, "submit", request->submit);
    if (stop != request->submit)
        write_optional(out, "stop", stop);
    write_optional(out, "start", request->start);
    write_optional(out, "deadline", request->deadline);
    write_optional(out, "duration_original", request->duration_original);
    write_optional(out, "duration", request->duration);
    write_optional(out, "duration_known", request->duration_known);
    for (size_t i = 0; i < LEASE_TERM_COUNT; i++)
        write_term(out, &lease_terms[i], &request->term_values);
    write_optional(out, "user", request->user < 0 ? INSTANT_NONE : request->user);
    LITERAL(out, ",\"vms\":");
    write_node_sets(out, text, site, request);
    LITERAL(out, ",\"software\":");
    write_software(out, request);
    output_char(out, '}');
}
