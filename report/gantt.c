/* A picture of a run as SVG: hosts over time, one colour per lease. */
#include "report/gantt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/gantt_boxes.h"
#include "report/gantt_draw.h"
#include "report/running.h"
#include "util/memory.h"

struct gantt {
    struct output *out;
    char *title;
    int64_t start_epoch;
    struct gantt_boxes boxes;
    struct running *running;
    bool hosts_known;
    int64_t n_leases, preemptions;
    unsigned lease_kinds, box_kinds;
};

struct gantt *gantt_create(const struct gantt_options *options, struct error *err)
{
    struct gantt *gantt = memory_new(1, sizeof *gantt);

    gantt_boxes_init(&gantt->boxes);
    gantt->title = memory_text(options->title ? options->title : "Schedule");
    gantt->start_epoch = options->start_epoch;
    gantt->running = running_create();
    gantt->out = output_create(options->path, err);
    if (gantt->out)
        return gantt;
    gantt_destroy(gantt);
    return NULL;
}

void gantt_destroy(struct gantt *gantt)
{
    int saved = errno;

    if (!gantt)
        return;
    output_destroy(gantt->out);
    gantt_boxes_finish(&gantt->boxes);
    running_destroy(gantt->running);
    free(gantt->title);
    free(gantt);
    errno = saved;
}

static int add_box(struct gantt *gantt, const struct gantt_box *box, const uint32_t *hosts,
                   size_t n_hosts, struct error *err)
{
    if (box->from < box->until) {
        gantt->box_kinds |= 1u << box->kind;
        gantt->lease_kinds |= 1u << box->lease_kind;
    }
    return gantt_boxes_add(&gantt->boxes, box, hosts, n_hosts, err);
}

/* What the lease did and, before `limit`, is to do. */
static int add_lease(struct gantt *gantt, const struct lease *lease, int64_t limit,
                     struct error *err)
{
    gantt->n_leases += lease->n_reservations > 0;
    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct reservation *reservation = lease->reservations[i];
        struct gantt_box box = {
            .from = reservation->from,
            .until = reservation->until < limit ? reservation->until : limit,
            .lease = lease->request.id,
            .kind = (uint8_t)reservation->kind,
            .lease_kind = (uint8_t)lease->request.kind,
        };

        if (reservation->lease == lease && add_box(gantt, &box, reservation->placement->hosts,
                                                   reservation->placement->n_hosts, err) < 0)
            return -1;
    }
    return 0;
}

/* Mark the hosts on which the victim runs at the time; a run that is withdrawn is marked then. */
static int add_preemption(struct gantt *gantt, const struct engine_output *output,
                          struct error *err)
{
    const struct placement *placement = NULL;

    gantt->preemptions++;
    if (output->how == PREEMPTED_REQUEUE)
        return 0;
    for (size_t i = 0; i < output->lease->n_reservations; i++) {
        const struct reservation *reservation = output->lease->reservations[i];

        if (reservation->kind == RESERVATION_VM && reservation->from <= output->at)
            placement = reservation->placement;
    }
    if (!placement)
        return 0;
    return gantt_boxes_mark(&gantt->boxes, output->at, placement->hosts, placement->n_hosts, err);
}

static int add_lost(struct gantt *gantt, const struct engine_output *output,
                    const struct begun_run *lost, struct error *err)
{
    struct gantt_box box = {
        .from = lost->from,
        .until = output->time,
        .lease = lost->lease,
        .kind = GANTT_LOST,
        .lease_kind = (uint8_t)output->lease->request.kind,
    };

    if (add_box(gantt, &box, lost->hosts, lost->n_hosts, err) < 0)
        return -1;
    if (output->lease->state == LEASE_CANCELLED && output->lease->reason.id != REASON_CANCELLED_FOR)
        return 0;
    return gantt_boxes_mark(&gantt->boxes, output->time, lost->hosts, lost->n_hosts, err);
}

static int look_at(struct gantt *gantt, const struct engine_output *output, struct error *err)
{
    struct begun_run lost;

    if (running_note(gantt->running, output, &lost)) {
        int result = add_lost(gantt, output, &lost, err);

        free(lost.hosts);
        if (result < 0)
            return -1;
    }
    if (output->kind == OUTPUT_PREEMPTED)
        return add_preemption(gantt, output, err);
    if (output->kind == OUTPUT_FINISHED)
        return add_lease(gantt, output->lease, INSTANT_NEVER, err);
    return 0;
}

static int step(void *context, const struct engine *engine, int64_t now,
                const struct engine_outputs *outputs, struct error *err)
{
    struct gantt *gantt = context;

    (void)now;
    if (!gantt->hosts_known)
        gantt_boxes_set_hosts(&gantt->boxes, engine_site(engine)->n_hosts);
    gantt->hosts_known = true;
    for (size_t i = 0; i < outputs->n_items; i++) {
        if (look_at(gantt, &outputs->items[i], err) < 0)
            return -1;
    }
    return 0;
}

struct unfinished_bar {
    struct gantt *gantt;
    int64_t end_time;
    struct error *err;
    bool failed;
};

static void add_unfinished(void *context, const struct lease *lease)
{
    struct unfinished_bar *walk = context;

    if (!walk->failed && !lease_state_is_final(lease->state))
        walk->failed = add_lease(walk->gantt, lease, walk->end_time, walk->err) < 0;
}

static int end(void *context, const struct engine *engine, int64_t end_time, struct error *err)
{
    struct gantt *gantt = context;
    struct unfinished_bar walk = {.gantt = gantt, .end_time = end_time, .err = err};
    struct gantt_picture picture = {
        .out = gantt->out,
        .site = engine_site(engine),
        .title = gantt->title,
        .start_epoch = gantt->start_epoch,
        .end_time = end_time > 0 ? end_time : 1,
    };
    struct output *out = gantt->out;

    if (!gantt->hosts_known)
        gantt_boxes_set_hosts(&gantt->boxes, picture.site->n_hosts);
    engine_each_lease(engine, add_unfinished, &walk);
    if (walk.failed)
        return -1;
    picture.n_leases = gantt->n_leases;
    picture.lease_kinds = gantt->lease_kinds;
    picture.box_kinds = gantt->box_kinds;
    picture.preemptions = gantt->preemptions;
    if (gantt_draw(&picture, &gantt->boxes, err) < 0)
        return -1;
    gantt->out = NULL;
    return output_close(out, err);
}

struct observer gantt_observer(struct gantt *gantt)
{
    return (struct observer){.context = gantt, .step = step, .end = end};
}
