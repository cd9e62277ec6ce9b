/* Random days with hosts that have units, and leases with demands and roles: reservations,
 * preemption, suspension, migration, deadlines, early ends. After every step, what is booked is
 * checked slowly; immediate leases are refused only where trying everything finds no place.
 * GALERNA_SEED=n plays day n only, or with GALERNA_DAYS=m the m days from there. */
#include <stdlib.h>
#include <string.h>

#include "demand_checks.h"

enum { LEASES = 40, DAYS = 120, HOSTS = 4, DEMANDS = 12, ROLES = 4 };

struct dice {
    uint32_t x;
};

static int64_t draw(struct dice *dice, uint32_t below)
{
    dice->x = dice->x * 1664525 + 1013904223;
    return (int64_t)((dice->x >> 8) % below);
}

/* --- hosts ------------------------------------------------------------------------------------ */

struct machine {
    struct host_units units;
    struct numa_node nodes[2];
    struct numa_core cores[2][4];
    uint32_t threads[2][4][4];
    struct huge_pages pages[2][2];
    struct pci_device devices[5];
    uint32_t profiles[5];
};

static void make_node(struct machine *m, uint32_t node, struct dice *dice)
{
    uint32_t per_core = 1U << draw(dice, 3), n_cores = 1 + (uint32_t)draw(dice, 4);

    for (uint32_t core = 0; core < n_cores; core++) {
        for (uint32_t i = 0; i < per_core; i++)
            m->threads[node][core][i] = node * 100 + core * 10 + i;
        m->cores[node][core] = (struct numa_core){m->threads[node][core], per_core};
    }
    m->pages[node][0] = (struct huge_pages){2048, draw(dice, 200)};
    m->pages[node][1] = (struct huge_pages){1 << 20, draw(dice, 3)};
    m->nodes[node] = (struct numa_node){.id = (int32_t)node * 2,
                                        .cores = m->cores[node],
                                        .n_cores = n_cores,
                                        .memory_kb = 1024 * (100 + draw(dice, 900)),
                                        .pages = m->pages[node],
                                        .n_pages = (uint32_t)draw(dice, 3)};
}

static void make_machine(struct machine *m, struct dice *dice)
{
    memset(m, 0, sizeof *m);
    m->units = (struct host_units){.nodes = m->nodes,
                                   .n_nodes = (uint32_t)draw(dice, 3),
                                   .vms_per_thread = (uint32_t)draw(dice, 3),
                                   .devices = m->devices,
                                   .n_devices = (uint32_t)draw(dice, 6)};
    for (uint32_t node = 0; node < m->units.n_nodes; node++)
        make_node(m, node, dice);
    for (uint32_t i = 0; i < m->units.n_devices; i++) {
        m->profiles[i] = (uint32_t)draw(dice, 2);
        m->devices[i] = (struct pci_device){.vendor = (uint32_t)draw(dice, 2),
                                            .device = (uint32_t)draw(dice, 2),
                                            .class_id = (uint32_t)draw(dice, 2),
                                            .address = i,
                                            .numa_node = (int32_t)draw(dice, 3) * 2 - 2,
                                            .profiles = &m->profiles[i],
                                            .n_profiles = (uint32_t)draw(dice, 2)};
        if (m->devices[i].numa_node < 0)
            m->devices[i].numa_node = NODE_ANY;
    }
}

/* --- demands ---------------------------------------------------------------------------------- */

struct wanted {
    struct vm_demand demand;
    struct vm_node nodes[2];
    struct pci_demand devices[3];
    struct company_rule rules[4 * ROLES];
    struct amounts rest;
};

static uint32_t some_or_any(struct dice *dice, uint32_t below)
{
    return draw(dice, 2) ? DEMAND_ANY : (uint32_t)draw(dice, below);
}

/* By pair of roles. Those that must be together are one set on each level. */
struct rules {
    bool together[ROLES], in_cluster[ROLES], apart[ROLES][ROLES];
    enum company_level apart_by[ROLES][ROLES];
    int64_t weight[ROLES][ROLES];
};

static void make_rules(struct rules *rules, struct dice *dice)
{
    memset(rules, 0, sizeof *rules);
    for (uint32_t a = 0; a < ROLES; a++) {
        rules->together[a] = draw(dice, 4) == 0;
        rules->in_cluster[a] = draw(dice, 4) == 0;
        for (uint32_t b = 0; b <= a; b++) {
            rules->apart[a][b] = rules->apart[b][a] =
                draw(dice, 3) == 0 && !(rules->together[a] && rules->together[b]);
            rules->apart_by[a][b] = rules->apart_by[b][a] =
                draw(dice, 4) ? COMPANY_HOST : COMPANY_CLUSTER;
            rules->weight[a][b] = draw(dice, 3) ? 0 : draw(dice, 11) - 5;
        }
    }
}

static void add_rule(struct wanted *w, struct company_rule rule)
{
    w->rules[w->demand.n_rules++] = rule;
}

static void give_rules(struct wanted *w, const struct rules *rules, uint32_t role)
{
    for (uint32_t other = 0; other < ROLES; other++) {
        if (rules->together[role] && rules->together[other])
            add_rule(w, (struct company_rule){.role = other});
        if (rules->in_cluster[role] && rules->in_cluster[other])
            add_rule(w, (struct company_rule){.role = other, .level = COMPANY_CLUSTER});
        if (rules->apart[role][other])
            add_rule(w, (struct company_rule){
                            .role = other, .apart = true, .level = rules->apart_by[role][other]});
        if (rules->weight[role][other])
            add_rule(w, (struct company_rule){.role = other, .weight = rules->weight[role][other]});
    }
}

static void make_pins(struct wanted *w, struct dice *dice)
{
    w->demand.nodes = w->nodes;
    w->demand.n_nodes = draw(dice, 4) ? 1 : 2;
    for (uint32_t i = 0; i < w->demand.n_nodes; i++)
        w->nodes[i] = (struct vm_node){1 + (uint32_t)draw(dice, 4), 1024 * (1 + draw(dice, 200))};
    w->demand.pin = (enum pin_policy)draw(dice, 4);
    if (draw(dice, 3) == 0)
        w->demand.page_kb = draw(dice, 4) ? 2048 : 1 << 20;
    if (w->demand.pin == PIN_NONE && (!w->demand.page_kb || draw(dice, 2)))
        w->demand.node = (int32_t)draw(dice, 2) * 2;
    if (w->demand.pin != PIN_CORE && draw(dice, 3) == 0)
        w->demand.threads_per_core = 1U << draw(dice, 2);
}

static void make_demand(struct wanted *w, const struct rules *rules, struct dice *dice)
{
    uint32_t role = (uint32_t)draw(dice, 2 * ROLES);

    memset(w, 0, sizeof *w);
    w->demand = (struct vm_demand){
        .node = NODE_ANY, .devices = w->devices, .rules = w->rules, .role = DEMAND_ANY};
    if (draw(dice, 2))
        make_pins(w, dice);
    w->demand.n_devices = draw(dice, 2) ? (uint32_t)draw(dice, 3) : 0;
    for (uint32_t i = 0; i < w->demand.n_devices; i++)
        w->devices[i] =
            (struct pci_demand){.vendor = (uint32_t)draw(dice, 2),
                                .device = some_or_any(dice, 2),
                                .class_id = some_or_any(dice, 2),
                                .address = draw(dice, 5) ? DEMAND_ANY : (uint32_t)draw(dice, 5),
                                .profile = draw(dice, 5) ? DEMAND_ANY : (uint32_t)draw(dice, 2)};
    w->demand.devices_near = draw(dice, 4) == 0;
    if (role >= ROLES)
        return;
    w->demand.role = role;
    give_rules(w, rules, role);
}

/* --- a day ------------------------------------------------------------------------------------ */

struct day {
    struct scenario s;
    struct dice dice;
    struct machine machines[HOSTS];
    struct rules rules;
    struct wanted wanted[DEMANDS];
};

static void begin(struct day *day, uint32_t seed)
{
    struct engine_settings *settings = &day->s.settings;
    struct dice *dice = &day->dice;

    dice->x = seed * 7919;
    scenario_begin(&day->s, 0);
    day->s.seed = seed;
    for (uint32_t host = 0; host < HOSTS; host++) {
        add_hosts(&day->s, 1, 400, 4096);
        make_machine(&day->machines[host], dice);
        if (draw(dice, 8))
            day->s.site.hosts[host].units = &day->machines[host].units;
        day->s.site.hosts[host].cluster = (int32_t)draw(dice, 2);
    }
    make_rules(&day->rules, dice);
    for (int i = 0; i < DEMANDS; i++)
        make_demand(&day->wanted[i], &day->rules, dice);
    settings->backfilling = (enum backfilling)draw(dice, 4);
    settings->backfilling_reservations = draw(dice, 4);
    settings->suspension = draw(dice, 4) ? SUSPENSION_ALL : (enum suspension)draw(dice, 2);
    settings->exclusion = (enum suspension_exclusion)draw(dice, 2);
    settings->migration = (enum migration)draw(dice, 3);
    settings->shutdown_time = draw(dice, 2) * 7;
    if (draw(dice, 3))
        reservations_preempt(&day->s);
}

static struct ask something(struct day *day, int64_t id)
{
    struct dice *dice = &day->dice;
    struct ask what = {.id = id, .kind = (enum lease_kind)draw(dice, 4)};

    what.vms = draw(dice, 3) || what.kind == LEASE_IMMEDIATE ? 1 : 1 + (uint32_t)draw(dice, 3);
    what.cpu = 10 + draw(dice, 90);
    what.memory = 64 + draw(dice, 500);
    what.duration = draw(dice, 25) ? 5 + draw(dice, 500) : SPAN_UNLIMITED;
    if (what.kind == LEASE_DEADLINE && what.duration == SPAN_UNLIMITED)
        what.duration = 5;
    if (what.kind == LEASE_RESERVATION)
        what.start = day->s.now + draw(dice, 600);
    if (what.kind == LEASE_DEADLINE)
        what.deadline = day->s.now + 400 + draw(dice, 2500);
    what.terms = draw(dice, 3) ? NULL : draw(dice, 2) ? "migratable" : "restartable";
    if (draw(dice, 5))
        what.demand = &day->wanted[draw(dice, DEMANDS)].demand;
    return what;
}

static bool is_running(struct scenario *s, int64_t id)
{
    const struct lease *lease = lease_of(s, id);

    for (size_t i = 0; i < lease->n_reservations; i++)
        if (lease->reservations[i]->kind == RESERVATION_VM &&
            lease->reservations[i]->state == RESERVATION_ACTIVE)
            return true;
    return false;
}

/* Nothing was preempted for an immediate lease, and what was placed since leaves less room. */
static void check_refusal(struct day *day, const struct ask *what)
{
    const struct lease *lease = lease_of(&day->s, what->id);
    struct amounts amounts = {{what->cpu, what->memory}};

    if (what->kind != LEASE_IMMEDIATE || lease->state != LEASE_REJECTED || !what->demand ||
        what->duration == SPAN_UNLIMITED || what->demand->n_nodes > 1)
        return;
    if (place_exists(&day->s, &amounts, what->demand, day->s.now,
                     day->s.now + what->duration + day->s.settings.shutdown_time))
        fail_msg("seed %u: lease %d is refused at %d, but there is a place: %s", day->s.seed,
                 (int)what->id, (int)day->s.now, reason_of(&day->s, what->id));
}

static void play(uint32_t seed)
{
    struct day *day = calloc(1, sizeof *day);
    struct scenario *s = &day->s;

    begin(day, seed);
    for (int64_t id = 1; id <= LEASES; id++) {
        struct ask what;

        at(s, s->now + draw(&day->dice, 120));
        what = something(day, id);
        ask(s, what);
        settle(s);
        check_demands(s);
        check_refusal(day, &what);
        if (draw(&day->dice, 4) == 0) {
            int64_t other = 1 + draw(&day->dice, (uint32_t)id);

            if (!lease_state_is_final(state_of(s, other))) {
                if (is_running(s, other) && draw(&day->dice, 3))
                    ends(s, other);
                else
                    cancel(s, other);
                settle(s);
                check_demands(s);
            }
        }
    }
    for (int steps = 0; engine_next_time(s->engine) != INSTANT_NEVER && steps < 500; steps++) {
        at(s, engine_next_time(s->engine));
        settle(s);
        check_demands(s);
    }
    for (int64_t id = 1; id <= LEASES; id++)
        if (!lease_state_is_final(state_of(s, id))) {
            cancel(s, id);
            settle(s);
        }
    run_to_end(s);
    expect_nothing_left(s);
    scenario_end(s);
    free(day);
}

static uint32_t number_from(const char *variable, uint32_t otherwise)
{
    const char *text = getenv(variable);

    return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

static void demands_are_met_at_all_times(void **state)
{
    uint32_t first = number_from("GALERNA_SEED", 1);
    uint32_t days = number_from("GALERNA_DAYS", getenv("GALERNA_SEED") ? 1 : DAYS);

    for (uint32_t seed = first; seed < first + days; seed++)
        play(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(demands_are_met_at_all_times)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
