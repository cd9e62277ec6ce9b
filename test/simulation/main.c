/* simulate-daemon: seeds of simulations, each in a process of its own. */
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simulation.h"
#include "test/sandbox/options.h"
#include "virtual_clock.h"

#ifdef GALERNA_SANITIZED
/* A galernad that is killed frees nothing. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

struct call {
    uint64_t first, last;
    long jobs;
    bool trace, tight;
};

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    return remove(path);
}

static void make_site(struct simulation *now)
{
    struct oned_options options;
    struct error err;

    oned_options_init(&options);
    options.version = random_once_in(&now->requests_random, 2) ? ONED_6_10 : ONED_7_4;
    options.hosts = SITE_HOSTS;
    options.host_cpu = SITE_CPU;
    options.host_memory = SITE_MEMORY;
    options.seed = now->seed + 1;
    options.times[ONED_BOOT] = random_between(&now->requests_random, 100, 2000);
    options.times[ONED_SAVE] = random_between(&now->requests_random, 100, 2000);
    options.times[ONED_RESTORE] = random_between(&now->requests_random, 100, 2000);
    options.times[ONED_SHUTDOWN] = random_between(&now->requests_random, 100, 1000);
    now->oned = oned_create(&options, &err);
    if (!now->oned)
        abort();
}

static void begin(struct simulation *now, uint64_t seed)
{
    now->seed = seed;
    now->digest = UINT64_C(0xcbf29ce484222325);
    now->deposed_since = now->leads_again = -1;
    virtual_clock_begin(seed);
    now->began = virtual_clock_now();
    random_init(&now->requests_random, seed);
    random_init(&now->calls_random, seed + (UINT64_C(1) << 40));
    make_site(now);
    requests_plan(now);
    if (!now->is_tight)
        disturbance_plan(now);
}

static void live(struct simulation *now)
{
    while (!simulation_is_over() && now->lives <= CRASHES_MAX && now->n_violations == 0)
        life_run();
    if (now->n_violations == 0)
        judge_end();
}

/* Returns whether all held. */
static bool simulate(uint64_t seed, const struct call *call)
{
    struct simulation *now = simulation();
    bool trace = call->trace;

    snprintf(now->directory, sizeof now->directory, "%s/galerna-simulation-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(now->directory))
        abort();
    now->trace = trace ? stderr : NULL;
    now->is_tight = call->tight;
    now->host_breaks = now->host_repaired = -1;
    begin(now, seed);
    live(now);
    if (!trace)
        nftw(now->directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    printf("seed %" PRIu64 ": %s, %zu violations, %d lives, %zu requests, %zu calls, %zu writes, "
           "%" PRId64 " s, digest %016" PRIx64 "\n",
           seed, now->n_violations ? "WRONG" : "right", now->n_violations, now->lives,
           now->n_requests, now->n_calls, now->n_writes, simulation_now() / 1000, now->digest);
    fflush(stdout);
    return now->n_violations == 0;
}

static pid_t start(uint64_t seed, const struct call *call)
{
    pid_t child = fork();

    if (child == 0)
        _exit(simulate(seed, call) ? EXIT_SUCCESS : EXIT_FAILURE);
    if (child < 0)
        perror("fork");
    return child;
}

/* Returns how many seeds are wrong. */
static size_t run_all(const struct call *call)
{
    size_t n_wrong = 0;
    long running = 0;
    int status;

    for (uint64_t seed = call->first; seed <= call->last || running > 0;) {
        if (seed <= call->last && running < call->jobs) {
            running += start(seed++, call) > 0;
            continue;
        }
        if (wait(&status) < 0)
            break;
        running--;
        if (WIFSIGNALED(status))
            printf("a simulation was ended by signal %d\n", WTERMSIG(status));
        n_wrong += status != 0;
    }
    return n_wrong;
}

static int read_call(struct call *call, int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "s:n:j:tg")) != -1) {
        if (option == 's')
            call->first = strtoull(optarg, NULL, 10);
        else if (option == 'n')
            call->last = strtoull(optarg, NULL, 10);
        else if (option == 'j')
            call->jobs = strtol(optarg, NULL, 10);
        else if (option == 't')
            call->trace = true;
        else if (option == 'g')
            call->tight = true;
        else
            return -1;
    }
    call->last += call->first - 1;
    return optind == argc ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct call call = {.first = 1, .last = 1, .jobs = 1};
    size_t n_wrong;

    if (read_call(&call, argc, argv) < 0) {
        fprintf(stderr, "usage: %s [-s FIRST] [-n SEEDS] [-j JOBS] [-g] [-t]\n", argv[0]);
        return 64;
    }
    setenv("TZ", "UTC", 1);
    setenv("GALERNA_POLICY_PATH", POLICIES, 1);
    n_wrong = run_all(&call);
    printf("%zu of %" PRIu64 " seeds are wrong\n", n_wrong, call.last - call.first + 1);
    return n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
