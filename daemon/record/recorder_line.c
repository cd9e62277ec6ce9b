/* Writes a lease as one line of a trace. */
#include "daemon/record/recorder_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lwf/lwf_writer.h"
#include "lwf/values.h"
#include "util/memory.h"

#define REQUEST_BEGIN "<lease-request arrival=\""
#define LEASE_BEGIN   "<lease id=\""
#define FIRST_LEASE   LEASE_BEGIN "1\""
#define BEFORE_BEGIN  "<!-- ran before: "

/* The output of lwf_writer for a site (NULL: none) and a request (NULL: none). *header is the
 * length of the part before the request. */
static char *written(const struct lwf_description *description, const struct lease_request *request,
                     size_t *header, struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct lwf_writer *writer = NULL;
    int result = -1;

    if (!file)
        abort();
    writer = lwf_writer_create(file, description, err);
    if (!writer)
        goto done;
    fflush(file);
    *header = size;
    result = request ? lwf_writer_request(writer, request, err) : 0;
done:
    lwf_writer_destroy(writer);
    fclose(file);
    if (result < 0) {
        free(text);
        return NULL;
    }
    return text;
}

char *record_header(const struct site *site, int64_t start, struct error *err)
{
    char name[64];
    struct lwf_description description = {
        .name = name,
        .text = "Recorded by galernad; second 0 is the number in the name, in seconds since 1970.",
        .site = site,
    };
    size_t header;

    snprintf(name, sizeof name, RECORD_NAME "%" PRId64, start);
    return written(&description, NULL, &header, err);
}

/* Adjacent equal VMs form one node set. */
static struct node_set *node_sets_of(const struct recorded_lease *facts, size_t *n)
{
    struct node_set *sets = memory_new(facts->n_vms, sizeof *sets);

    *n = 0;
    for (size_t i = 0; i < facts->n_vms; i++) {
        struct node_set set = {.count = 1};

        set.amounts.of[RESOURCE_CPU] = facts->vms[i]->cpu;
        set.amounts.of[RESOURCE_MEMORY] = facts->vms[i]->memory;
        if (*n && !memcmp(&sets[*n - 1].amounts, &set.amounts, sizeof set.amounts))
            sets[*n - 1].count++;
        else
            sets[(*n)++] = set;
    }
    return sets;
}

static int64_t not_before(int64_t instant, int64_t start, int64_t arrival)
{
    if (instant == INSTANT_NONE)
        return INSTANT_NONE;
    return instant - start > arrival ? instant - start : arrival;
}

/* The part of the lease to be scheduled after the start of the record. */
static void fill_request(struct lease_request *request, const struct lease_record *lease,
                         const struct record_line *line, int64_t start)
{
    bool unlimited = lease->duration >= SPAN_UNLIMITED;
    int64_t spec = lease->kind == LEASE_RESERVATION ? lease->start : lease->earliest;

    if (lease->kind == LEASE_DEADLINE && spec == INSTANT_NONE)
        spec = start + line->arrival;
    *request = (struct lease_request){
        .id = line->id,
        .kind = lease->kind,
        .submit = line->arrival,
        .start = not_before(spec, start, line->arrival),
        .deadline = not_before(lease->deadline, start, line->arrival),
        .duration = unlimited ? SPAN_UNLIMITED : lease->duration - line->ran_before,
        .duration_known = SPAN_NONE,
        .term_values = lease->term_values,
        .user = lease->uid,
    };
    if (request->duration < 1)
        request->duration = 1;
    request->duration_original = request->duration;
}

static bool is_over(const struct lease_record *lease)
{
    return lease->phase == PHASE_ENDED || lease->phase == PHASE_FAILED;
}

/* Replaces the number, since lwf_writer numbers its requests from 1. */
static char *with_own_number(const char *request, int64_t id)
{
    const char *number = strstr(request, FIRST_LEASE);
    int before = number ? (int)(number - request) : 0;
    int length = (int)strcspn(request, "\n");

    if (!number)
        return memory_format("%.*s", length, request);
    number += sizeof FIRST_LEASE - 1;
    return memory_format("%.*s" LEASE_BEGIN "%" PRId64 "\"%.*s", before, request, id,
                         length - (int)(number - request), number);
}

char *record_line(const struct recorded_lease *facts, const struct record_line *line, int64_t start,
                  struct error *err)
{
    const struct lease_record *lease = facts->lease;
    struct lease_request request;
    struct node_set *sets;
    int64_t ran = lease->accumulated - line->ran_before;
    char *text, *request_text;
    size_t header;

    if (is_over(lease) && ran <= 0)
        return memory_format("<!-- lease %" PRId64 " %s -->", lease->id,
                             lease->phase == PHASE_FAILED ? "failed" : "ended before it ran");
    if (!facts->n_vms || lease->duration < 1)
        return memory_format("<!-- lease %" PRId64 " could not be read -->", lease->id);
    fill_request(&request, lease, line, start);
    if (is_over(lease))
        request.duration_known = ran < request.duration ? ran : request.duration;
    sets = node_sets_of(facts, &request.n_node_sets);
    request.node_sets = sets;
    text = written(&(struct lwf_description){0}, &request, &header, err);
    free(sets);
    if (!text)
        return NULL;
    request_text = with_own_number(text + header, lease->id);
    free(text);
    if (line->ran_before == 0)
        return request_text;
    text = memory_format("%s" BEFORE_BEGIN "%" PRId64 " s -->", request_text, line->ran_before);
    free(request_text);
    return text;
}

int record_line_parse(const char *text, struct record_line *line)
{
    const char *id = strstr(text, LEASE_BEGIN), *before = strstr(text, BEFORE_BEGIN);
    const char *arrival = text + sizeof REQUEST_BEGIN - 1;

    if (strncmp(text, REQUEST_BEGIN, sizeof REQUEST_BEGIN - 1) != 0 || !id ||
        !value_parse_delta(arrival, arrival + strcspn(arrival, "\""), &line->arrival))
        return -1;
    line->id = strtoll(id + sizeof LEASE_BEGIN - 1, NULL, 10);
    line->ran_before = before ? strtoll(before + sizeof BEFORE_BEGIN - 1, NULL, 10) : 0;
    return 0;
}
