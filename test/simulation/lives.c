/* The lives of galernad in a simulation: with which store each begins, and how it ends. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/startup.h"
#include "simulation.h"

enum { FIRST_DESCRIPTOR = 3 }; /* of galernad: the simulation has no files open */

static const char configuration[] = "[galerna]\n"
                                    "\n"
                                    "[opennebula]\n"
                                    "endpoint: http://localhost:2633/RPC2\n"
                                    "auth-file: %1$s/one_auth\n"
                                    "promise-key: %1$s/promise.key\n"
                                    "poll-interval: %2$d\n"
                                    "retry-backoff: 1\n"
                                    "end-warning: 2\n"
                                    "timeout: 5\n"
                                    "\n"
                                    "[daemon]\n"
                                    "log-level: %3$s\n"
                                    "\n"
                                    "[scheduling]\n"
                                    "policy-preemption: ar-preempts-everything\n"
                                    "suspend-rate: 256\n"
                                    "resume-rate: 256\n";

static void write_files(const struct simulation *simulation)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof path, "%s/one_auth", simulation->directory);
    file = fopen(path, "we");
    fprintf(file, "oneadmin:opennebula\n");
    fclose(file);
    chmod(path, 0600);
    snprintf(path, sizeof path, "%s/galerna.conf", simulation->directory);
    file = fopen(path, "we");
    fprintf(file, configuration, simulation->directory, POLL_INTERVAL,
            simulation->trace ? "debug" : "error");
    fclose(file);
}

static void copy_file(const char *from, const char *to, const char *name)
{
    char path[192], bytes[65536];
    size_t n;
    FILE *in, *out;

    snprintf(path, sizeof path, "%s/%.60s", from, name);
    in = fopen(path, "re");
    if (!in)
        return;
    snprintf(path, sizeof path, "%s/%.60s", to, name);
    out = fopen(path, "we");
    while ((n = fread(bytes, 1, sizeof bytes, in)) > 0)
        fwrite(bytes, 1, n, out);
    fclose(out);
    fclose(in);
    chmod(path, 0600);
}

/* The index of SQLite's log belongs to a process; sockets and the lock are made again. */
static void copy_files(const char *from, const char *to)
{
    static const char *const left_out[] = {"store.db-shm", "lock"};
    DIR *directory = opendir(from);
    const struct dirent *entry;

    while ((entry = readdir(directory))) {
        bool copies = entry->d_type == DT_REG;

        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            copies = copies && strcmp(entry->d_name, left_out[i]) != 0;
        if (copies)
            copy_file(from, to, entry->d_name);
    }
    closedir(directory);
}

static void name_state(char state[96], const char *name, int number)
{
    snprintf(state, 96, "%s/%s%d", simulation()->directory, name, number);
}

/* What the dead galernad had written: its files are still open in this process, so that the next
 * one has copies. */
static void make_state(char state[96])
{
    struct simulation *now = simulation();
    const struct crash *last = now->crash > 0 ? &now->crashes[now->crash - 1] : NULL;
    char from[96];

    name_state(state, "state", now->lives);
    mkdir(state, 0700);
    if (!last || last->next == STORE_EMPTY)
        return;
    if (last->next == STORE_OLDER && now->has_older)
        snprintf(from, sizeof from, "%s/older", now->directory);
    else
        name_state(from, "state", now->lives - 1);
    copy_files(from, state);
}

/* The store as it was at the first end of a galernad. */
static void put_older_away(void)
{
    struct simulation *now = simulation();
    char from[96], older[96];

    if (now->has_older)
        return;
    now->has_older = true;
    snprintf(older, sizeof older, "%s/older", now->directory);
    name_state(from, "state", now->lives);
    mkdir(older, 0700);
    copy_files(from, older);
}

/* Its memory is lost, and its descriptors are closed, as the kernel would do. */
void life_end(const char *why)
{
    struct simulation *now = simulation();

    simulation_note("galernad %d ends: %s", now->lives, why);
    now->is_alive = false;
    transport_forget();
    longjmp(now->end_of_life, 1);
}

static void run(const char *state)
{
    char path[128];
    struct startup startup = {.file = path, .state_directory = state, .foreground = true};
    int code;

    snprintf(path, sizeof path, "%s/galerna.conf", simulation()->directory);
    setenv("RUNTIME_DIRECTORY", simulation()->directory, 1);
    code = startup_run(&startup);
    if (code != EXIT_SUCCESS)
        simulation_violation("galernad ended by itself with %d", code);
    simulation_note("galernad %d ended", simulation()->lives);
}

static bool is_away(const struct simulation *now)
{
    return now->n_away > 0 && now->away[now->n_away - 1].until == OVER_AFTER;
}

static void go_away(struct simulation *now)
{
    if (is_away(now)) /* it has never read OpenNebula */
        return;
    now->away[now->n_away].from = simulation_now();
    now->away[now->n_away++].until = OVER_AFTER;
}

void life_has_read(void)
{
    struct simulation *now = simulation();

    if (is_away(now))
        now->away[now->n_away - 1].until = simulation_now();
}

bool life_is_deposed(int64_t until)
{
    struct simulation *now = simulation();

    if (is_away(now))
        return false;
    now->away[now->n_away].from = simulation_now();
    now->away[now->n_away++].until = until;
    return true;
}

void life_run(void)
{
    struct simulation *now = simulation();
    char state[96];

    if (now->lives == 0)
        write_files(now);
    make_state(state);
    simulation_note("galernad %d begins", now->lives);
    now->is_alive = true;
    if (setjmp(now->end_of_life) == 0)
        run(state);
    now->is_alive = false;
    put_older_away();
    go_away(now);
    close_range(FIRST_DESCRIPTOR, ~0U, 0);
    now->lives++;
    if (simulation_is_over())
        return;
    if (now->crash < now->n_crashes)
        simulation_pass(simulation_now() + now->crashes[now->crash++].away);
}
