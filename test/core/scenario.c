/* Builds the site and the leases of a scenario, runs it, and keeps a log. */
#include "scenario.h"
#include "scenario_checks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- setting up ------------------------------------------------------------------------------- */

void add_hosts(struct scenario *s, size_t n_hosts, int64_t cpu, int64_t memory)
{
    struct amounts capacity = {{cpu, memory, 1000000, 1000000, 1000000}};

    assert_int_equal(site_add_hosts(&s->site, n_hosts, &capacity, NULL), 0);
}

void scenario_begin(struct scenario *s, size_t n_hosts)
{
    memset(s, 0, sizeof *s);
    site_init(&s->site);
    if (n_hosts)
        add_hosts(s, n_hosts, SCENARIO_CPU, SCENARIO_MEMORY);
    engine_settings_init(&s->settings);
    engine_outputs_init(&s->outputs);
    s->log = open_memstream(&s->log_text, &s->log_length);
    assert_non_null(s->log);
}

void scenario_end(struct scenario *s)
{
    engine_destroy(s->engine);
    engine_outputs_finish(&s->outputs);
    site_finish(&s->site);
    fclose(s->log);
    free(s->log_text);
}

void as_haizea(struct scenario *s)
{
    behaviour_haizea_1_0(&s->settings.behaviour);
}

static void score_best_effort(void *context, const struct victim_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n; i++) {
        const struct lease_request *request = &batch->victims[i].lease->request;
        bool spared = request->kind != LEASE_BEST_EFFORT ||
                      request->terms == TERMS_NON_PREEMPTABLE ||
                      (batch->preemptor->request.kind != LEASE_RESERVATION &&
                       batch->preemptor->request.kind != LEASE_DEADLINE);

        scores[i] = spared ? POLICY_VETO : request->id;
    }
}

void reservations_preempt(struct scenario *s)
{
    s->policies.score_victims = score_best_effort;
}

/* --- asking
 * ---------------------------------------------------------------------------------------- */

static struct engine_input *add_input(struct scenario *s, enum engine_input_kind kind, int64_t id)
{
    struct engine_input *input = &s->inputs[s->n_inputs];

    assert_true(s->n_inputs < SCENARIO_INPUTS);
    *input = (struct engine_input){.kind = kind, .lease = id};
    s->n_inputs++;
    return input;
}

static enum lease_terms terms_of(const char *name)
{
    enum lease_terms terms = TERMS_CANCELABLE;

    while (strcmp(lease_terms_name(terms), name) != 0)
        terms++;
    return terms;
}

static const struct lease_request *make_request(struct scenario *s, size_t place, struct ask what)
{
    struct node_set usual = {.count = what.vms ? what.vms : 1,
                             .amounts = {{what.cpu ? what.cpu : SCENARIO_CPU,
                                          what.memory ? what.memory : SCENARIO_MEMORY, what.disk}},
                             .hosts = what.hosts,
                             .demand = what.demand};
    bool exact = what.kind == LEASE_RESERVATION;

    assert_true(what.n_sets <= SCENARIO_SETS);
    s->sets[place][0] = usual;
    for (size_t i = 0; i < what.n_sets; i++)
        s->sets[place][i] = what.sets[i];
    s->requests[place] = (struct lease_request){
        .id = what.id,
        .kind = what.kind,
        .submit = what.submit ? what.submit : s->now,
        .start = what.start || exact ? what.start : INSTANT_NONE,
        .deadline = what.deadline ? what.deadline : INSTANT_NONE,
        .duration_original = what.duration,
        .duration = what.duration,
        .duration_known = SPAN_NONE,
        .priority = what.priority,
        .preemptible = !what.non_preemptable,
        .terms = what.terms             ? terms_of(what.terms)
                 : what.non_preemptable ? TERMS_NON_PREEMPTABLE
                                        : TERMS_SUSPENDABLE,
        .user = what.user ? what.user : -1,
        .group = what.group,
        .node_sets = s->sets[place],
        .n_node_sets = what.n_sets ? what.n_sets : 1,
        .image = what.image,
        .image_size = what.image_size,
    };
    return &s->requests[place];
}

void ask(struct scenario *s, struct ask what)
{
    size_t place = s->n_inputs;
    struct engine_input *input = add_input(s, INPUT_REQUEST, what.id);

    input->request = make_request(s, place, what);
}

void best_effort(struct scenario *s, int64_t id, uint32_t vms, int64_t duration)
{
    ask(s, (struct ask){.id = id, .kind = LEASE_BEST_EFFORT, .vms = vms, .duration = duration});
}

void immediate(struct scenario *s, int64_t id, uint32_t vms, int64_t duration)
{
    ask(s, (struct ask){.id = id, .kind = LEASE_IMMEDIATE, .vms = vms, .duration = duration});
}

void reservation(struct scenario *s, int64_t id, uint32_t vms, int64_t start, int64_t duration)
{
    ask(s,
        (struct ask){
            .id = id, .kind = LEASE_RESERVATION, .vms = vms, .start = start, .duration = duration});
}

void deadline_lease(struct scenario *s, int64_t id, uint32_t vms, int64_t duration,
                    int64_t deadline)
{
    ask(s, (struct ask){.id = id,
                        .kind = LEASE_DEADLINE,
                        .vms = vms,
                        .duration = duration,
                        .deadline = deadline});
}

void cancel(struct scenario *s, int64_t id)
{
    add_input(s, INPUT_CANCEL, id);
}

void ends(struct scenario *s, int64_t id)
{
    add_input(s, INPUT_ENDED, id);
}

void is_unsent(struct scenario *s, int64_t id)
{
    add_input(s, INPUT_UNSENT, id);
}

static void write_log(struct scenario *s)
{
    static const char *const how[] = {"suspend", "requeue", "cancel"};

    for (size_t i = 0; i < s->outputs.n_items; i++) {
        const struct engine_output *output = &s->outputs.items[i];
        const struct reservation *r = output->reservation;

        fprintf(s->log, "%" PRId64 " %d %" PRId64, output->time, output->kind,
                output->lease->request.id);
        if (output->kind == OUTPUT_STATE) {
            fprintf(s->log, " %s", lease_state_name(output->to));
            check_transition(s, output);
        }
        if (output->kind == OUTPUT_PREEMPTED)
            fprintf(s->log, " for %" PRId64 " at %" PRId64 " %s", output->other, output->at,
                    how[output->how]);
        if (output->kind == OUTPUT_REQUESTED)
            fprintf(s->log, " %d", output->accepted);
        if (r)
            fprintf(s->log, " %s %" PRId64 "-%" PRId64, reservation_kind_name(r->kind), r->from,
                    r->until);
        fputc('\n', s->log);
    }
}

/* --- time ------------------------------------------------------------------------------------- */

static void create_engine(struct scenario *s)
{
    struct error err = {0};

    s->engine = engine_create(&s->site, &s->settings, &s->policies, &err);
    if (!s->engine)
        fail_msg("%s", err.text);
}

static void step(struct scenario *s, int64_t now)
{
    struct error err = {0};

    if (!s->engine)
        create_engine(s);
    s->now = now;
    if (engine_step(s->engine, now, s->inputs, s->n_inputs, &s->outputs, &err) < 0)
        fail_msg("at %d: %s", (int)now, err.text);
    s->n_inputs = 0;
    s->stepped = true;
    write_log(s);
    if (s->unchecked)
        return;
    check_everything(s);
}

static int try_adoption(struct scenario *s, struct ask what, struct adoption how, struct error *err)
{
    if (!s->engine) {
        create_engine(s);
        assert_int_equal(engine_begin(s->engine, s->now, err), 0);
    }
    how.request = *make_request(s, 0, what);
    return engine_adopt(s->engine, &how, err);
}

int adopt(struct scenario *s, struct ask what, struct adoption how)
{
    struct error err = {0};
    int adopted = try_adoption(s, what, how, &err);

    if (adopted < 0)
        fail_msg("%s", err.text);
    return adopted;
}

const char *adoption_error(struct scenario *s, struct ask what, struct adoption how)
{
    struct error err = {0};

    if (try_adoption(s, what, how, &err) >= 0)
        return NULL;
    snprintf(s->answer, sizeof s->answer, "%s", err.text);
    return s->answer;
}

void settle(struct scenario *s)
{
    if (s->n_inputs || !s->stepped)
        step(s, s->now);
}

static void step_until(struct scenario *s, int64_t before)
{
    settle(s);
    for (int64_t next; (next = engine_next_time(s->engine)) < before;) {
        if (next <= s->now)
            fail_msg("at %d: the next time is %d", (int)s->now, (int)next);
        step(s, next);
    }
}

void at(struct scenario *s, int64_t time)
{
    step_until(s, time);
    s->now = time;
    s->stepped = false;
}

void run_to_end(struct scenario *s)
{
    step_until(s, INSTANT_NEVER);
}

/* --- answers ---------------------------------------------------------------------------------- */

const struct lease *lease_of(struct scenario *s, int64_t id)
{
    const struct lease *lease;

    settle(s);
    lease = engine_lease(s->engine, id);
    if (!lease)
        fail_msg("lease %d is not there", (int)id);
    return lease;
}

enum lease_state state_of(struct scenario *s, int64_t id)
{
    return lease_of(s, id)->state;
}

static char *append(struct scenario *s, char *end, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static char *append(struct scenario *s, char *end, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(end, (size_t)(s->answer + sizeof s->answer - end), format, args);
    va_end(args);
    assert_in_range(length, 0, s->answer + sizeof s->answer - end - 1);
    return end + length;
}

const char *log_of(struct scenario *s)
{
    settle(s);
    fflush(s->log);
    return s->log_text;
}

const char *states_of(struct scenario *s, int64_t id)
{
    const char *line = log_of(s);
    char *end = append(s, s->answer, "%s", "");
    long long last = INT64_MIN, time, lease;
    char state[32];
    int kind;

    for (; line && *line; line = strchr(line, '\n') + 1) {
        if (sscanf(line, "%lld %d %lld %31s", &time, &kind, &lease, state) != 4 ||
            kind != OUTPUT_STATE || lease != id)
            continue;
        if (time != last)
            end = append(s, end, "%s%lld", end == s->answer ? "" : " | ", time);
        end = append(s, end, " %s", state);
        last = time;
    }
    return s->answer;
}

const char *preemptions(struct scenario *s)
{
    const char *line = log_of(s);
    char *end = append(s, s->answer, "%s", "");
    long long time, lease, other, when;
    char how[16];
    int kind;

    for (; line && *line; line = strchr(line, '\n') + 1)
        if (sscanf(line, "%lld %d %lld for %lld at %lld %15s", &time, &kind, &lease, &other, &when,
                   how) == 6)
            end = append(s, end, "%s%lld: %lld for %lld at %lld %s", end == s->answer ? "" : "; ",
                         time, lease, other, when, how);
    return s->answer;
}

static char *append_hosts(struct scenario *s, char *end, const struct reservation *r)
{
    for (uint32_t i = 0; i < r->placement->n_hosts; i++) {
        const char *before = i ? "," : " on ";

        if (r->placement->hosts[i] == HOST_REPOSITORY)
            end = append(s, end, "%srepository", before);
        else
            end = append(s, end, "%s%d", before, s->site.hosts[r->placement->hosts[i]].id);
    }
    return end;
}

const char *plan_of(struct scenario *s, int64_t id)
{
    const struct lease *lease = lease_of(s, id);
    char *end = append(s, s->answer, "%s", "");

    for (size_t i = 0; i < lease->n_reservations; i++) {
        const struct reservation *r = lease->reservations[i];

        end = append(s, end, "%s%s %" PRId64 "-", i ? "; " : "", reservation_kind_name(r->kind),
                     r->from);
        if (r->until == INSTANT_NEVER)
            end = append(s, end, "ever");
        else
            end = append(s, end, "%" PRId64, r->until);
        end = append_hosts(s, end, r);
    }
    return s->answer;
}

static void seconds_text(int64_t instant, char *text, size_t size)
{
    if (instant == INSTANT_NEVER)
        snprintf(text, size, "never");
    else
        snprintf(text, size, "%" PRId64, instant);
}

const char *reason_of(struct scenario *s, int64_t id)
{
    const struct reason *reason = &lease_of(s, id)->reason;
    char *end = append(s, s->answer, "%s: ", reason_name(reason->id));

    reason_format(reason, end, (size_t)(s->answer + sizeof s->answer - end), seconds_text);
    return s->answer;
}

void expect_nothing_left(struct scenario *s)
{
    settle(s);
    assert_true(engine_is_idle(s->engine));
    assert_true(engine_next_time(s->engine) == INSTANT_NEVER);
    assert_int_equal(engine_queue_length(s->engine), 0);
    assert_int_equal(engine_disk_used_most(s->engine), 0);
    for (int kind = 0; kind < 4; kind++)
        assert_int_equal(engine_unfinished(s->engine, (enum lease_kind)kind), 0);
    for (int kind = 0; kind < RESERVATION_KINDS; kind++)
        assert_int_equal(engine_cpu_used(s->engine, (enum reservation_kind)kind), 0);
    for (uint32_t host = 0; host < s->site.n_hosts; host++)
        for (int type = 0; type < s->site.types.count; type++)
            for (int64_t time = s->now; time < s->now + 100000; time += 9999)
                assert_int_equal(engine_free(s->engine, host, type, time),
                                 s->site.hosts[host].capacity.of[type]);
}
