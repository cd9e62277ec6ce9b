/* Over HTTP: the daemon in a process of its own, as galernad's simulation has it. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/sandbox/options.h"

enum { REPLY_MAX = 1 << 16 };

struct daemon {
    pid_t pid;
    int port;
};

static void serve(int tell)
{
    static volatile sig_atomic_t never;
    struct oned_options options;
    struct error err = {0};
    struct oned *oned;
    int port;

    oned_options_init(&options);
    options.hosts = 2;
    oned = oned_create(&options, &err);
    port = oned ? oned_listen(oned, "127.0.0.1", 0, &err) : -1;
    if (write(tell, &port, sizeof port) != sizeof port || port < 0)
        _exit(1);
    _exit(oned_run(oned, &never, &err) ? 1 : 0);
}

static void start(struct daemon *daemon)
{
    int pipes[2];

    assert_int_equal(pipe(pipes), 0);
    daemon->pid = fork();
    if (daemon->pid == 0)
        serve(pipes[1]);
    assert_true(daemon->pid > 0);
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &daemon->port, sizeof daemon->port), sizeof daemon->port);
    close(pipes[0]);
    assert_true(daemon->port > 0);
}

static void stop(struct daemon *daemon)
{
    int status;

    kill(daemon->pid, SIGKILL);
    waitpid(daemon->pid, &status, 0);
    assert_true(WIFSIGNALED(status));
}

/* What comes back for a request, with headers, until the connection ends. */
static size_t post(const struct daemon *daemon, const char *path, const char *body, char *reply)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons((uint16_t)daemon->port)};
    struct timeval patience = {.tv_sec = 10};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    size_t size = 0;
    ssize_t more;

    inet_pton(AF_INET, "127.0.0.1", &name.sin_addr);
    assert_int_equal(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    dprintf(fd,
            "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\nConnection: "
            "close\r\nContent-Length: %zu\r\n\r\n%s",
            path, strlen(body), body);
    while (size < REPLY_MAX - 1 && (more = read(fd, reply + size, REPLY_MAX - 1 - size)) > 0)
        size += (size_t)more;
    close(fd);
    reply[size] = '\0';
    return size;
}

static size_t call(const struct daemon *daemon, const char *method, const char *argument,
                   char *reply)
{
    char body[2048];

    snprintf(body, sizeof body,
             "<?xml version=\"1.0\"?><methodCall><methodName>%s</methodName><params><param><value>"
             "<string>oneadmin:opennebula</string></value></param>%s</params></methodCall>",
             method, argument);
    return post(daemon, "/RPC2", body, reply);
}

static void order(const struct daemon *daemon, const char *fault)
{
    char argument[400], reply[REPLY_MAX];

    snprintf(argument, sizeof argument, "<param><value><string>%s</string></value></param>", fault);
    call(daemon, "sandbox.fault", argument, reply);
    assert_non_null(strstr(reply, "<boolean>1"));
}

static const char template[] = "<param><value><string>CPU=1\nMEMORY=512</string></value></param>"
                               "<param><value><boolean>0</boolean></value></param>";

static int vm_count(const struct daemon *daemon)
{
    char reply[REPLY_MAX];
    int count = 0;

    call(daemon, "one.vmpool.info",
         "<param><value><int>-2</int></value></param><param><value><int>-1</int></value></param>"
         "<param><value><int>-1</int></value></param><param><value><int>-1</int></value></param>",
         reply);
    for (const char *at = reply; (at = strstr(at, "&lt;VM&gt;")); at++)
        count++;
    return count;
}

static void connections_are_dropped_before_or_after_the_effect(void **state)
{
    struct daemon *daemon = *state;
    char reply[REPLY_MAX];
    int before = vm_count(daemon);

    order(daemon, "FAULT=[KIND=drop-before,METHOD=one.vm.allocate]");
    assert_int_equal(call(daemon, "one.vm.allocate", template, reply), 0);
    assert_int_equal(vm_count(daemon), before);
    order(daemon, "FAULT=[KIND=drop-after,METHOD=one.vm.allocate]");
    assert_int_equal(call(daemon, "one.vm.allocate", template, reply), 0);
    assert_int_equal(vm_count(daemon), before + 1);
}

static void an_effect_is_lost_behind_a_good_answer(void **state)
{
    struct daemon *daemon = *state;
    char reply[REPLY_MAX];
    int before = vm_count(daemon);

    order(daemon, "FAULT=[KIND=lose,METHOD=one.vm.allocate]");
    call(daemon, "one.vm.allocate", template, reply);
    assert_non_null(strstr(reply, "<boolean>1"));
    assert_int_equal(vm_count(daemon), before);
}

static void answers_are_cut_changed_and_replaced(void **state)
{
    struct daemon *daemon = *state;
    char whole[REPLY_MAX], damaged[REPLY_MAX];
    size_t size = call(daemon, "one.hostpool.info", "", whole), left;

    order(daemon, "FAULT=[KIND=truncate,METHOD=one.hostpool.info]");
    left = call(daemon, "one.hostpool.info", "", damaged);
    assert_in_range(left, 1, size - 100);
    assert_null(strstr(damaged, "</methodResponse>"));
    order(daemon, "FAULT=[KIND=garble,METHOD=one.hostpool.info]");
    assert_int_equal(call(daemon, "one.hostpool.info", "", damaged), size);
    assert_true(memcmp(strstr(whole, "\r\n\r\n"), strstr(damaged, "\r\n\r\n"),
                       strlen(strstr(whole, "\r\n\r\n"))) != 0);
    order(daemon, "FAULT=[KIND=error-500,METHOD=one.hostpool.info]");
    call(daemon, "one.hostpool.info", "", damaged);
    assert_memory_equal(damaged, "HTTP/1.1 500", 12);
    call(daemon, "one.hostpool.info", "", damaged);
    assert_memory_equal(damaged, "HTTP/1.1 200", 12);
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* While one answer is held back others are served. */
static void a_held_back_answer_holds_nobody_else_back(void **state)
{
    struct daemon *daemon = *state;
    char reply[REPLY_MAX];
    double begin;
    pid_t other;

    order(daemon, "FAULT=[KIND=delay,METHOD=one.system.version,TIME=700]");
    begin = seconds_now();
    other = fork();
    if (other == 0) {
        call(daemon, "one.system.version", "", reply);
        _exit(strstr(reply, "7.4.0") && seconds_now() - begin > 0.65 ? 0 : 1);
    }
    usleep(100000);
    assert_int_not_equal(call(daemon, "one.zone.raftstatus", "", reply), 0);
    assert_true(seconds_now() - begin < 0.6);
    {
        int status;

        waitpid(other, &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

static void nonsense_gets_an_answer(void **state)
{
    struct daemon *daemon = *state;
    char reply[REPLY_MAX];

    post(daemon, "/RPC2", "this is not xml", reply);
    assert_non_null(strstr(reply, "<i4>-503</i4>"));
    post(daemon, "/other", "<x/>", reply);
    assert_memory_equal(reply, "HTTP/1.1 404", 12);
    post(daemon, "/RPC2", "", reply);
    assert_non_null(strstr(reply, "<i4>-503</i4>"));
}

static int begin_daemon(void **state)
{
    static struct daemon daemon;

    start(&daemon);
    *state = &daemon;
    return 0;
}

static int end_daemon(void **state)
{
    stop(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_are_dropped_before_or_after_the_effect),
        cmocka_unit_test(an_effect_is_lost_behind_a_good_answer),
        cmocka_unit_test(answers_are_cut_changed_and_replaced),
        cmocka_unit_test(a_held_back_answer_holds_nobody_else_back),
        cmocka_unit_test(nonsense_gets_an_answer),
    };

    return cmocka_run_group_tests(tests, begin_daemon, end_daemon);
}
