/* Collects the contents of a picture during a run. */
#include "report/gantt.h"

#include <errno.h>
#include <stdlib.h>

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

static void add_box(struct gantt *gantt, const struct gantt_box *box, const uint32_t *hosts,
                    size_t n_hosts)
{
    if (box->from < box->until) {
        gantt->box_kinds |= 1u << box->kind;
        gantt->lease_kinds |= 1u << box->lease_kind;
    }
    gantt_boxes_add(&gantt->boxes, box, hosts, n_hosts);
}

/* Adds the lease's past operations and, before `limit`, its planned ones. */
static void add_lease(struct gantt *gantt, const struct lease *lease, int64_t limit)
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

        if (reservation->lease == lease)
            add_box(gantt, &box, reservation->placement->hosts, reservation->placement->n_hosts);
    }
}

/* Marks the hosts on which the victim runs at that time; withdrawn runs are marked elsewhere. */
static void add_preemption(struct gantt *gantt, const struct engine_output *output)
{
    const struct placement *placement = NULL;

    gantt->preemptions++;
    if (output->how == PREEMPTED_REQUEUE)
        return;
    for (size_t i = 0; i < output->lease->n_reservations; i++) {
        const struct reservation *reservation = output->lease->reservations[i];

        if (reservation->kind == RESERVATION_VM && reservation->from <= output->at)
            placement = reservation->placement;
    }
    if (placement)
        gantt_boxes_mark(&gantt->boxes, output->at, placement->hosts, placement->n_hosts);
}

static void add_lost(struct gantt *gantt, const struct engine_output *output,
                     const struct begun_run *lost)
{
    struct gantt_box box = {
        .from = lost->from,
        .until = output->time,
        .lease = lost->lease,
        .kind = GANTT_LOST,
        .lease_kind = (uint8_t)output->lease->request.kind,
    };

    add_box(gantt, &box, lost->placement->hosts, lost->placement->n_hosts);
    if (output->lease->state != LEASE_CANCELLED || output->lease->reason.id == REASON_CANCELLED_FOR)
        gantt_boxes_mark(&gantt->boxes, output->time, lost->placement->hosts,
                         lost->placement->n_hosts);
}

static void look_at(struct gantt *gantt, const struct engine_output *output)
{
    struct begun_run lost;

    if (running_note(gantt->running, output, &lost)) {
        add_lost(gantt, output, &lost);
        placement_destroy(lost.placement);
    }
    if (output->kind == OUTPUT_PREEMPTED)
        add_preemption(gantt, output);
    else if (output->kind == OUTPUT_FINISHED)
        add_lease(gantt, output->lease, INSTANT_NEVER);
}

static int step(void *context, const struct engine *engine, int64_t now,
                const struct engine_outputs *outputs, struct error *err)
{
    struct gantt *gantt = context;

    (void)now;
    (void)err;
    if (!gantt->hosts_known)
        gantt_boxes_set_hosts(&gantt->boxes, engine_site(engine)->n_hosts);
    gantt->hosts_known = true;
    for (size_t i = 0; i < outputs->n_items; i++)
        look_at(gantt, &outputs->items[i]);
    return 0;
}

struct unfinished_bar {
    struct gantt *gantt;
    int64_t end_time;
};

static void add_unfinished(void *context, const struct lease *lease)
{
    struct unfinished_bar *walk = context;

    if (!lease_state_is_final(lease->state))
        add_lease(walk->gantt, lease, walk->end_time);
}

static int end(void *context, const struct engine *engine, int64_t end_time, struct error *err)
{
    struct gantt *gantt = context;
    struct unfinished_bar walk = {.gantt = gantt, .end_time = end_time};
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
    picture.n_leases = gantt->n_leases;
    picture.lease_kinds = gantt->lease_kinds;
    picture.box_kinds = gantt->box_kinds;
    picture.preemptions = gantt->preemptions;
    gantt_draw(&picture, &gantt->boxes);
    gantt->out = NULL;
    return output_close(out, err);
}

struct observer gantt_observer(struct gantt *gantt)
{
    return (struct observer){.context = gantt, .step = step, .end = end};
}
