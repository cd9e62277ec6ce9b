/* What oned's drivers and hooks of ours answer, and that galernad hears of it: with a daemon that
 * answers, one that does not, and none. */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define EMPTY_PLAN "<PLAN><ID>-1</ID></PLAN>\n"

enum { INPUT = 4 << 20, NOT_LONGER_MS = 2500 };

static char folder[64], socket_path[96], heard_path[96];
static pid_t listener;

static long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int begin(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/shim.XXXXXX"); /* a socket's path must be short */
    assert_non_null(mkdtemp(folder));
    snprintf(socket_path, sizeof socket_path, "%s/control.sock", folder);
    snprintf(heard_path, sizeof heard_path, "%s/heard", folder);
    setenv("GALERNA_SOCKET", socket_path, 1);
    setenv("GALERNA_WAKE", WAKE, 1);
    listener = 0;
    return 0;
}

static int end(void **state)
{
    if (listener > 0) {
        kill(listener, SIGKILL);
        waitpid(listener, NULL, 0);
    }
    unlink(socket_path);
    unlink(heard_path);
    rmdir(folder);
    return 0;
}

/* Writes down what it hears; answers, or keeps silent. */
static void listen_on(int fd, bool answers)
{
    char line[256];
    FILE *heard = fopen(heard_path, "w");

    for (;;) {
        int client = accept(fd, NULL, NULL);
        ssize_t n = recv(client, line, sizeof line, 0);

        if (n > 0)
            fwrite(line, 1, (size_t)n, heard);
        fflush(heard);
        if (answers) {
            send(client, "{\"ok\": true}\n", 13, MSG_NOSIGNAL);
            close(client);
        }
    }
}

static void start_listener(bool answers)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    strcpy(address.sun_path, socket_path);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 8), 0);
    listener = fork();
    assert_true(listener >= 0);
    if (listener == 0)
        listen_on(fd, answers);
    close(fd);
}

static void assert_heard(const char *expected)
{
    char text[512] = "";
    FILE *file;

    for (int i = 0; i < 100 && strcmp(text, expected) != 0; i++) {
        memset(text, 0, sizeof text);
        file = fopen(heard_path, "r");
        if (file) {
            (void)!fread(text, 1, sizeof text - 1, file);
            fclose(file);
        }
        usleep(10000);
    }
    assert_string_equal(text, expected);
}

struct outcome {
    char out[512], err[512];
    int status;
    long ms;
};

static void read_all(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t n;

    assert_non_null(file);
    n = fread(text, 1, size - 1, file);
    text[n] = '\0';
    fclose(file);
    unlink(path);
}

/* Run a command as oned does, its input being many bytes. */
static void run(const char *command, struct outcome *outcome)
{
    char line[512], out[96], err[96];
    long begun = now_ms();

    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(err, sizeof err, "%s/err", folder);
    snprintf(line, sizeof line, "head -c %d /dev/zero | %s >%s 2>%s", INPUT, command, out, err);
    outcome->status = WEXITSTATUS(system(line));
    outcome->ms = now_ms() - begun;
    read_all(out, outcome->out, sizeof outcome->out);
    read_all(err, outcome->err, sizeof outcome->err);
}

static void test_place_wakes(void **state)
{
    struct outcome outcome;

    start_listener(true);
    run(SHIM "/place", &outcome);
    assert_int_equal(outcome.status, 0);
    assert_string_equal(outcome.out, EMPTY_PLAN);
    assert_string_equal(outcome.err, "");
    assert_heard("{\"command\": \"wake\"}\n");
    assert_true(outcome.ms < NOT_LONGER_MS);
}

static void test_place_without_daemon(void **state)
{
    struct outcome outcome;

    run(SHIM "/place", &outcome);
    assert_int_equal(outcome.status, 0);
    assert_string_equal(outcome.out, EMPTY_PLAN);
    assert_int_equal(strncmp(outcome.err, "WARN: ", 6), 0);
    assert_true(outcome.ms < NOT_LONGER_MS);
}

static void test_place_with_a_silent_daemon(void **state)
{
    struct outcome outcome;

    start_listener(false);
    run(SHIM "/place", &outcome);
    assert_int_equal(outcome.status, 0);
    assert_string_equal(outcome.out, EMPTY_PLAN);
    assert_true(outcome.ms < NOT_LONGER_MS);
}

static void test_place_with_a_stale_socket(void **state)
{
    struct outcome outcome;

    start_listener(true);
    kill(listener, SIGKILL);
    waitpid(listener, NULL, 0);
    listener = 0;
    run(SHIM "/place", &outcome);
    assert_int_equal(outcome.status, 0);
    assert_string_equal(outcome.out, EMPTY_PLAN);
}

static void test_place_without_the_helper(void **state)
{
    struct outcome outcome;

    setenv("GALERNA_WAKE", "/nowhere/galerna-wake", 1);
    run(SHIM "/place", &outcome);
    assert_int_equal(outcome.status, 0);
    assert_string_equal(outcome.out, EMPTY_PLAN);
    assert_int_equal(strncmp(outcome.err, "WARN: ", 6), 0);
}

/* oned may keep the driver's input open. */
static void test_place_does_not_wait_for_the_end_of_input(void **state)
{
    long begun = now_ms();
    int input[2], status;
    pid_t child;

    start_listener(true);
    assert_int_equal(pipe(input), 0);
    child = fork();
    if (child == 0) {
        dup2(input[0], STDIN_FILENO);
        (void)!freopen("/dev/null", "w", stdout);
        execl(SHIM "/place", "place", (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(now_ms() - begun < NOT_LONGER_MS);
    close(input[0]);
    close(input[1]);
}

static void test_optimize(void **state)
{
    struct outcome outcome;

    run(SHIM "/optimize 17", &outcome);
    assert_int_equal(outcome.status, 0);
    assert_string_equal(outcome.out, "<PLAN><ID>17</ID></PLAN>\n");
    assert_non_null(strstr(outcome.err, "galerna host rebalance 17"));
    run(SHIM "/optimize", &outcome);
    assert_int_equal(outcome.status, 1);
    assert_string_equal(outcome.out, "");
    run(SHIM "/optimize '1</ID>'", &outcome);
    assert_int_equal(outcome.status, 1);
}

static void test_hook(void **state)
{
    struct outcome outcome;

    start_listener(true);
    run(SHIM "/hook", &outcome);
    assert_int_equal(outcome.status, 0);
    assert_heard("{\"command\": \"wake\"}\n");
}

static void test_hook_without_daemon(void **state)
{
    struct outcome outcome;

    run(SHIM "/hook", &outcome);
    assert_int_equal(outcome.status, 0);
    assert_non_null(strstr(outcome.out, "does not answer"));
}

static void test_wake(void **state)
{
    struct outcome outcome;

    start_listener(true);
    run(WAKE " --vm 42", &outcome);
    assert_int_equal(outcome.status, 0);
    assert_heard("{\"command\": \"wake\", \"vm\": 42}\n");
    run(WAKE " --vm 4x", &outcome);
    assert_int_equal(outcome.status, 64);
    run(WAKE " --socket /nowhere/s", &outcome);
    assert_int_equal(outcome.status, 1);
    assert_non_null(strstr(outcome.err, "/nowhere/s"));
    run(WAKE " --help", &outcome);
    assert_int_equal(outcome.status, 0);
    assert_non_null(strstr(outcome.out, "usage:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_place_wakes, begin, end),
        cmocka_unit_test_setup_teardown(test_place_without_daemon, begin, end),
        cmocka_unit_test_setup_teardown(test_place_with_a_silent_daemon, begin, end),
        cmocka_unit_test_setup_teardown(test_place_with_a_stale_socket, begin, end),
        cmocka_unit_test_setup_teardown(test_place_without_the_helper, begin, end),
        cmocka_unit_test_setup_teardown(test_place_does_not_wait_for_the_end_of_input, begin, end),
        cmocka_unit_test_setup_teardown(test_optimize, begin, end),
        cmocka_unit_test_setup_teardown(test_hook, begin, end),
        cmocka_unit_test_setup_teardown(test_hook_without_daemon, begin, end),
        cmocka_unit_test_setup_teardown(test_wake, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
