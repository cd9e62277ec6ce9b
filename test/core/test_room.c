/* What a preemption policy is told about room is what happens then. */
#include <string.h>

#include "scenario.h"

#include "test/support/random.h"

enum { SCENES = 4000, QUESTIONS = 20, LEASES = 24, HOSTS_MAX = 6, BACKGROUND = 4, BEGIN = 500 };
enum { NEWCOMER = 1000 };

/* Chooses victims at random, and remembers whether they were said to be enough. */
struct scene {
    struct scenario s;
    struct random random;
    uint64_t allowed[(HOSTS_MAX + 63) / 64];
    struct host_filter filter;
    int asked;
    bool said_first, said;
};

/* Smaller than a host; some are asked for with none of the memory. */
static struct amounts vm_size(struct random *random)
{
    return (struct amounts){
        {random_between(random, 1, 4) * 20, random_between(random, 0, 4) * 128}};
}

static void fill_site(struct scene *scene)
{
    struct random *random = &scene->random;

    for (int64_t id = 1; id <= LEASES; id++) {
        const struct node_set set = {.count = (uint32_t)random_between(random, 1, 3),
                                     .amounts = vm_size(random)};
        bool fixed = id <= BACKGROUND; /* does not go, and ends or begins at any time */

        ask(&scene->s, (struct ask){.id = id,
                                    .kind = fixed ? LEASE_RESERVATION : LEASE_BEST_EFFORT,
                                    .start = fixed ? random_between(random, 1, 2 * BEGIN) : 0,
                                    .duration = random_between(random, BEGIN, 4 * BEGIN),
                                    .sets = &set,
                                    .n_sets = 1});
    }
    at(&scene->s, 1);
}

/* One at least: none means that no set was found. */
static size_t choose_some(struct random *random, size_t n, size_t *chosen)
{
    int64_t share = random_between(random, 2, 4);
    size_t n_chosen = 0;

    for (size_t i = 0; i < n; i++)
        if (random_between(random, 1, 4) <= share || (i + 1 == n && n_chosen == 0))
            chosen[n_chosen++] = i;
    return n_chosen;
}

/* Each question changes the set a little; the last one counts. */
static size_t choose_at_random(void *context, const struct victim_batch *batch,
                               const struct victim_test *test, size_t *chosen)
{
    struct scene *scene = context;
    int64_t questions = random_between(&scene->random, 1, QUESTIONS);
    size_t n_chosen = 0;

    for (int64_t question = 0; question < questions; question++) {
        n_chosen = choose_some(&scene->random, batch->n, chosen);
        scene->said = test->enough(test, chosen, n_chosen);
    }
    if (scene->asked++ == 0)
        scene->said_first = scene->said;
    return n_chosen;
}

static bool only_the_newcomer(void *context, const struct lease *preemptor)
{
    return preemptor->request.id == NEWCOMER;
}

/* Hosts are liked in an order of their own, and one of them not at all. */
static void score_hosts(void *context, const struct host_batch *batch, int64_t *scores)
{
    for (size_t i = 0; i < batch->n_hosts; i++)
        scores[i] = batch->hosts[i] == 4 ? POLICY_VETO : (int64_t)(batch->hosts[i] * 7 % 5);
}

static void scene_begin(struct scene *scene, uint32_t seed)
{
    memset(scene, 0, sizeof *scene);
    random_init(&scene->random, seed);
    scenario_begin(&scene->s, (size_t)random_between(&scene->random, 1, HOSTS_MAX));
    scene->s.seed = seed;
    scene->s.unchecked = true;
    scene->s.policies.context = scene;
    scene->s.policies.may_preempt = only_the_newcomer;
    scene->s.policies.choose_victims = choose_at_random;
    if (random_once_in(&scene->random, 5))
        scene->s.settings.behaviour.mapper_stops_at_first_misfit = true;
    if (random_once_in(&scene->random, 3))
        scene->s.policies.score_hosts = score_hosts;
    fill_site(scene);
}

/* A reservation at BEGIN, for VMs of one size or two, on all hosts or some. */
static void ask_for_room(struct scene *scene)
{
    struct random *random = &scene->random;
    const struct host_filter *hosts = random_once_in(random, 3) ? &scene->filter : NULL;
    const struct node_set sets[] = {
        {.count = (uint32_t)random_between(random, 1, 5),
         .amounts = vm_size(random),
         .hosts = hosts},
        {.count = (uint32_t)random_between(random, 1, 3),
         .amounts = vm_size(random),
         .hosts = hosts},
    };

    for (int host = 0; host < HOSTS_MAX; host++)
        if (!random_once_in(random, 3))
            bitmap_add(scene->allowed, host);
    scene->filter.allowed = scene->allowed;
    ask(&scene->s, (struct ask){.id = NEWCOMER,
                                .kind = LEASE_RESERVATION,
                                .start = BEGIN,
                                .duration = random_between(random, 1, 2 * BEGIN),
                                .sets = sets,
                                .n_sets = (size_t)random_between(random, 1, 2)});
    at(&scene->s, 2);
}

static void what_is_said_to_be_enough_is_enough(void **state)
{
    static struct scene scene;
    int yes = 0, no = 0;

    for (uint32_t seed = 1; seed <= SCENES; seed++) {
        scene_begin(&scene, seed);
        ask_for_room(&scene);
        if (scene.asked > 0) {
            bool accepted = state_of(&scene.s, NEWCOMER) != LEASE_REJECTED;

            if (accepted != scene.said)
                fail_msg("seed %u: the victims were %s, and the lease was %s", seed,
                         scene.said ? "enough" : "not enough", accepted ? "accepted" : "refused");
            /* The set is asked for again when the first was not enough: hosts that host selection
             * vetoes are counted at first. */
            if (scene.asked > 1 && scene.said_first && !scene.s.policies.score_hosts)
                fail_msg("seed %u: counting was wrong", seed);
            yes += scene.said;
            no += !scene.said;
        }
        scenario_end(&scene.s);
    }
    assert_in_range(yes, SCENES / 20, SCENES);
    assert_in_range(no, SCENES / 20, SCENES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_said_to_be_enough_is_enough),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
