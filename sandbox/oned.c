/* A stand-in for OpenNebula's daemon, for tests, demonstrations and simulation. */
#include "sandbox/oned.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "sandbox/calls.h"
#include "sandbox/hook.h"
#include "sandbox/host.h"
#include "sandbox/http_server.h"
#include "sandbox/machine.h"
#include "sandbox/placer.h"
#include "sandbox/state_file.h"
#include "sandbox/vm_action.h"
#include "util/clock.h"
#include "util/memory.h"

enum { STEP_MAX = 200, STEP_BUSY = 10, MICROSECONDS = 1000000 };

/* Keep the texts the options point to. */
static void copy_options(struct oned *oned, const struct oned_options *options)
{
    const char **texts[] = {
        &oned->options.user,          &oned->options.password, &oned->options.state,
        &oned->options.faults,        &oned->options.place,    &oned->options.hook,
        &oned->options.configuration,
    };

    oned->options = *options;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = oned->strings[i] = memory_text(*texts[i]);
}

static void start_clock(struct oned *oned)
{
    oned->base_real = clock_microseconds(CLOCK_REALTIME);
    oned->base_own = oned->base_real + oned->options.clock_offset * 1000000;
    oned->rate = oned->options.clock_rate;
}

static int seed_random(struct oned *oned, struct error *err)
{
    oned->random = oned->options.seed;
    if (oned->random == 0 &&
        getrandom(&oned->random, sizeof oned->random, 0) != sizeof oned->random)
        return error_errno(err, "no random numbers");
    return 0;
}

static int begin(struct oned *oned, struct error *err)
{
    const struct oned_options *options = &oned->options;

    if (seed_random(oned, err))
        return -1;
    start_clock(oned);
    if (options->hook)
        oned->hooks = oned_hooks_create(options->hook);
    if (options->place)
        oned->placer = oned_placer_create(options->place);
    if (options->faults && oned_faults_read(&oned->faults, options->faults, err))
        return -1;
    if (options->state && !(oned->store = oned_store_open(oned, options->state, err)))
        return -1;
    if (!oned->store || oned_store_is_empty(oned->store))
        oned_world_begin(oned);
    else if (oned_store_load(oned, err))
        return -1;
    oned_store_commit(oned);
    oned->calls = oned_calls_create(oned, err);
    return oned->calls ? 0 : -1;
}

struct oned *oned_create(const struct oned_options *options, struct error *err)
{
    struct oned *oned = memory_new(1, sizeof *oned);

    copy_options(oned, options);
    if (begin(oned, err)) {
        oned_destroy(oned);
        return NULL;
    }
    return oned;
}

void oned_destroy(struct oned *oned)
{
    if (!oned)
        return;
    oned_server_destroy(oned->server);
    if (oned->calls)
        oned_store_commit(oned);
    oned_calls_destroy(oned->calls);
    oned_store_close(oned->store);
    oned->store = NULL;
    oned_hooks_destroy(oned->hooks);
    oned_placer_destroy(oned->placer);
    oned_faults_finish(&oned->faults);
    free(oned->changed.items);
    oned_world_finish(oned);
    for (size_t i = 0; i < sizeof oned->strings / sizeof *oned->strings; i++)
        free(oned->strings[i]);
    free(oned->raft_leader);
    free(oned);
}

int oned_listen(struct oned *oned, const char *address, int port, struct error *err)
{
    oned->server = oned_server_create(oned, address, port, err);
    return oned->server ? oned->port : -1;
}

/* Performs everything that is due. Returns the real ms until the next event, at most STEP_MAX. */
static int advance(struct oned *oned)
{
    int64_t next = oned_machine_advance(oned), other = oned_hosts_advance(oned), left;
    bool places;

    next = other < next ? other : next;
    other = oned_scheduled_actions_run(oned);
    if (other != INT64_MAX && other * MICROSECONDS < next)
        next = other * MICROSECONDS;
    other = oned_placer_advance(oned, &places);
    next = other < next ? other : next;
    oned_store_commit(oned);
    if (oned_hooks_advance(oned) || places)
        return STEP_BUSY;
    if (next == INT64_MAX)
        return STEP_MAX;
    left = oned_real_until(oned, next);
    return left / 1000 >= STEP_MAX ? STEP_MAX : (int)(left / 1000) + 1;
}

int oned_step(struct oned *oned, int timeout, struct error *err)
{
    int left = advance(oned), result = 0;

    left = left < timeout ? left : timeout;
    if (oned->server) {
        result = oned_server_step(oned->server, left, err);
    } else if (left > 0) {
        struct timespec wait = {.tv_nsec = left * 1000000L};

        nanosleep(&wait, NULL);
    }
    advance(oned);
    return result;
}

int oned_run(struct oned *oned, const volatile sig_atomic_t *stop, struct error *err)
{
    while (!*stop)
        if (oned_step(oned, STEP_MAX, err))
            return -1;
    return 0;
}

char *oned_call(struct oned *oned, const char *request, size_t request_size, size_t *size)
{
    const struct oned_fault *fault;

    advance(oned);
    return oned_calls_process(oned, request, request_size, size, &fault);
}
