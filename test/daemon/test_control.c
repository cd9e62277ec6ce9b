/* The control socket: who may come in, and that nobody can stop it from serving the others. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/control/change_page.h"
#include "daemon/control/control.h"
#include "daemon/control/control_client.h"
#include "test/daemon/directory.h"
#include "test/daemon/server.h"

enum { TURN = 20, BIG = 200000 };

struct fixture {
    char directory[DIRECTORY_NAME_MAX], path[96];
    struct control *control;
    int handled;
    uint64_t later; /* ticket of the last request that was put off */
    struct control_peer peer;
    uint64_t state; /* that is shared */
};

static json_t *handle(void *context, const struct control_peer *peer, const json_t *request)
{
    struct fixture *fixture = context;
    const char *command = json_string_value(json_object_get(request, "command"));
    char *text;
    json_t *answer;

    fixture->handled++;
    fixture->peer = *peer;
    if (command && strcmp(command, "later") == 0) {
        fixture->later = peer->ticket;
        return NULL;
    }
    if (command && strcmp(command, "early") == 0) {
        control_answer(fixture->control, peer->ticket,
                       json_pack("{s:b, s:s}", "ok", 1, "was", "early"));
        return NULL;
    }
    if (command && strcmp(command, "big") == 0) {
        text = malloc(BIG + 1);
        memset(text, 'x', BIG);
        text[BIG] = '\0';
        answer = json_pack("{s:b, s:s}", "ok", 1, "text", text);
        free(text);
        return answer;
    }
    return json_pack("{s:b, s:O}", "ok", 1, "echo", request);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error err = {0};

    directory_make(fixture->directory);
    snprintf(fixture->path, sizeof fixture->path, "%s/control.sock", fixture->directory);
    fixture->control = control_create(fixture->path, NULL, handle, fixture, &err);
    if (!fixture->control)
        fail_msg("%s", err.text);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    control_destroy(fixture->control);
    directory_remove(fixture->directory);
    free(fixture);
    return 0;
}

static int join(const struct fixture *fixture)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    strcpy(address.sun_path, fixture->path);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void say(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* What has come, 0-terminated; -1: the connection is closed. */
static ssize_t hear(int fd, char *text, size_t size)
{
    ssize_t n = recv(fd, text, size - 1, 0);

    if (n == 0)
        n = -1;
    else if (n < 0)
        n = errno == EAGAIN ? 0 : -1;
    text[n > 0 ? n : 0] = '\0';
    return n;
}

static void expect(struct fixture *fixture, int fd, const char *expected)
{
    char text[4096];

    server_run(fixture->control, TURN);
    hear(fd, text, sizeof text);
    assert_string_equal(text, expected);
}

static void expect_part(struct fixture *fixture, int fd, const char *part)
{
    char text[4096];

    server_run(fixture->control, TURN);
    hear(fd, text, sizeof text);
    if (!strstr(text, part))
        fail_msg("expected '%s', heard '%s'", part, text);
}

static void expect_end(struct fixture *fixture, int fd)
{
    char text[64];

    server_run(fixture->control, TURN);
    assert_int_equal(hear(fd, text, sizeof text), -1);
    close(fd);
}

static void requests_are_answered_in_order(void **state)
{
    struct fixture *fixture = *state;
    int fd = join(fixture);

    say(fd, "{\"a\":1}\n");
    expect(fixture, fd, "{\"ok\":true,\"echo\":{\"a\":1}}\n");
    say(fd, "{\"a\":2}\n{\"a\":3}\n{\"a\":");
    expect(fixture, fd, "{\"ok\":true,\"echo\":{\"a\":2}}\n{\"ok\":true,\"echo\":{\"a\":3}}\n");
    say(fd, "4}\n");
    expect(fixture, fd, "{\"ok\":true,\"echo\":{\"a\":4}}\n");
    close(fd);
    server_run(fixture->control, TURN);
}

static void a_hundred_requests_at_once_are_answered(void **state)
{
    struct fixture *fixture = *state;
    int fd = join(fixture), lines = 0;
    char text[4096];

    for (int i = 0; i < 100; i++)
        say(fd, "{}\n");
    for (int i = 0; i < 10; i++) {
        server_run(fixture->control, TURN);
        while (hear(fd, text, sizeof text) > 0)
            for (const char *at = text; (at = strchr(at, '\n')); at++)
                lines++;
    }
    assert_int_equal(lines, 100);
    close(fd);
}

static void garbage_is_answered_with_what_is_wrong(void **state)
{
    struct fixture *fixture = *state;
    int fd = join(fixture);
    char deep[200] = "{\"a\":";

    say(fd, "what?\n");
    expect_part(fixture, fd, "\"error\":\"the request is not JSON: column 4: ");
    say(fd, "[1]\n");
    expect_part(fixture, fd, "is not a JSON object");
    say(fd, "\n");
    expect_part(fixture, fd, "\"code\":\"malformed\"");
    say(fd, "{\"a\":1,\"a\":2}\n");
    expect_part(fixture, fd, "duplicate object key");
    say(fd, "{\"a\":\"\xff\xfe\"}\n");
    expect_part(fixture, fd, "\"code\":\"malformed\"");
    memset(deep + 5, '[', 40);
    memset(deep + 45, ']', 40);
    strcpy(deep + 85, "}\n");
    say(fd, deep);
    expect_part(fixture, fd, "at most 16 levels");
    assert_int_equal(send(fd, "{\"a\":\"\0\"}\n", 10, 0), 10);
    expect_part(fixture, fd, "\"code\":\"malformed\"");
    assert_int_equal(fixture->handled, 0);
    say(fd, "{}\n");
    expect(fixture, fd, "{\"ok\":true,\"echo\":{}}\n");
    close(fd);
}

static void endless_requests_are_cut_off(void **state)
{
    struct fixture *fixture = *state;
    int fd = join(fixture);
    char *text = malloc(CONTROL_REQUEST_MAX + 1);

    memset(text, ' ', CONTROL_REQUEST_MAX);
    text[CONTROL_REQUEST_MAX] = '\0';
    say(fd, text);
    expect_part(fixture, fd, "longer than 64 KB");
    expect_end(fixture, fd);
    assert_int_equal(fixture->handled, 0);
    free(text);
}

/* Asks and asks, and never reads an answer. */
static void who_does_not_listen_is_not_answered_for_ever(void **state)
{
    struct fixture *fixture = *state;
    int deaf = join(fixture), other = join(fixture), handled;

    server_run(fixture->control, TURN);
    for (int i = 0; i < 200; i++) {
        if (send(deaf, "{\"command\":\"big\"}\n", 18, MSG_NOSIGNAL) < 0)
            break;
        server_run(fixture->control, 1);
    }
    handled = fixture->handled;
    /* What the socket's buffer holds, and one more. */
    assert_in_range(handled, 1, 10);
    say(other, "{}\n");
    expect(fixture, other, "{\"ok\":true,\"echo\":{}}\n");
    server_run(fixture->control, TURN);
    assert_int_equal(fixture->handled, handled + 1);
    close(deaf);
    close(other);
}

static void nobody_keeps_others_out(void **state)
{
    struct fixture *fixture = *state;
    int fds[CONTROL_CLIENTS_MAX], late;

    for (int i = 0; i < CONTROL_CLIENTS_MAX; i++)
        fds[i] = join(fixture);
    server_run(fixture->control, TURN);
    late = join(fixture);
    expect_part(fixture, late, "too many connections");
    expect_end(fixture, late);
    usleep(1100000);
    for (int i = 1; i < CONTROL_CLIENTS_MAX; i++) {
        char text[64];

        say(fds[i], "{}\n");
        server_run(fixture->control, 1);
        hear(fds[i], text, sizeof text);
    }
    /* The one that has been silent for longest goes. */
    late = join(fixture);
    server_run(fixture->control, TURN);
    say(late, "{}\n");
    expect(fixture, late, "{\"ok\":true,\"echo\":{}}\n");
    expect_end(fixture, fds[0]);
    for (int i = 1; i < CONTROL_CLIENTS_MAX; i++)
        close(fds[i]);
    close(late);
    server_run(fixture->control, TURN);
}

static int join_as(const struct fixture *fixture, uid_t uid)
{
    int fd;

    assert_int_equal(seteuid(uid), 0);
    fd = join(fixture);
    assert_int_equal(seteuid(0), 0);
    return fd;
}

/* One user has all connections, and is owed an answer on each. */
static void nobody_keeps_other_users_out(void **state)
{
    struct fixture *fixture = *state;
    int fds[CONTROL_CLIENTS_MAX], others[2], refused;

    if (geteuid() != 0)
        return;
    chmod(fixture->directory, 0755);
    chmod(fixture->path, 0666);
    for (int i = 0; i < CONTROL_CLIENTS_MAX; i++) {
        fds[i] = join_as(fixture, 65533);
        say(fds[i], "{\"command\":\"later\"}\n");
        server_run(fixture->control, 1);
    }
    for (int i = 0; i < 2; i++) {
        others[i] = join_as(fixture, 65534);
        server_run(fixture->control, TURN);
        say(others[i], "{}\n");
        expect(fixture, others[i], "{\"ok\":true,\"echo\":{}}\n");
    }
    refused = join_as(fixture, 65533);
    expect_part(fixture, refused, "too many connections");
    close(refused);
    control_answer(fixture->control, fixture->later, json_pack("{s:b}", "ok", 1));
    for (int i = 0; i < CONTROL_CLIENTS_MAX; i++)
        close(fds[i]);
    close(others[0]);
    close(others[1]);
    server_run(fixture->control, TURN);
}

static void answers_may_come_later(void **state)
{
    struct fixture *fixture = *state;
    int fd = join(fixture);
    uint64_t ticket;

    say(fd, "{\"command\":\"early\"}\n{\"command\":\"later\"}\n{}\n");
    expect(fixture, fd, "{\"ok\":true,\"was\":\"early\"}\n");
    expect(fixture, fd, "");
    ticket = fixture->later;
    assert_int_not_equal(ticket, 0);
    control_answer(fixture->control, ticket + 1000, json_object());
    expect(fixture, fd, "");
    control_answer(fixture->control, ticket, json_pack("{s:b}", "ok", 0));
    expect(fixture, fd, "{\"ok\":false}\n{\"ok\":true,\"echo\":{}}\n");
    control_answer(fixture->control, ticket, json_object());
    expect(fixture, fd, "");
    close(fd);
}

static void who_hangs_up_is_forgotten(void **state)
{
    struct fixture *fixture = *state;
    int fd = join(fixture);

    say(fd, "{\"command\":\"later\"}\n");
    server_run(fixture->control, TURN);
    close(fd);
    /* A hang-up must not keep the loop awake. */
    assert_in_range(server_run(fixture->control, TURN), 1, 5);
    control_answer(fixture->control, fixture->later, json_object());
    assert_in_range(server_run(fixture->control, TURN), 1, 5);
}

static void who_has_said_all_still_gets_answers(void **state)
{
    struct fixture *fixture = *state;
    int fd = join(fixture);

    say(fd, "{\"a\":1}\n{\"command\":\"later\"}\n");
    shutdown(fd, SHUT_WR);
    expect(fixture, fd, "{\"ok\":true,\"echo\":{\"a\":1}}\n");
    assert_in_range(server_run(fixture->control, TURN), 1, 5);
    control_answer(fixture->control, fixture->later, json_object());
    expect(fixture, fd, "{}\n");
    expect_end(fixture, fd);
}

static void time_runs_out(void **state)
{
    struct control_peer peer = {0};
    struct control_client *client;
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    client = control_client_create(ends[0], &peer, 1000);
    assert_false(control_client_is_late(client, 1000 + CONTROL_IDLE));
    assert_true(control_client_is_late(client, 1001 + CONTROL_IDLE));
    say(ends[1], "{");
    control_client_read(client, 2000);
    say(ends[1], "\"");
    control_client_read(client, 9000); /* trickling does not help */
    assert_false(control_client_is_late(client, 2000 + CONTROL_STALL));
    assert_true(control_client_is_late(client, 2001 + CONTROL_STALL));
    client->in_length = 0;
    client->owed = true;
    assert_false(control_client_is_late(client, 2000 + CONTROL_LATE));
    assert_true(control_client_is_late(client, 2001 + CONTROL_LATE));
    control_client_answer(client, json_object());
    assert_true(control_client_is_late(client, 2001 + CONTROL_STALL));
    client->out_sent = 1; /* sips do not help, a steady pace does */
    assert_true(control_client_is_late(client, 2001 + CONTROL_STALL));
    client->out_sent = CONTROL_PACE;
    assert_false(control_client_is_late(client, 2001 + CONTROL_STALL));
    client->out_sent = 0;
    control_client_write(client, 5000);
    assert_null(client->out);
    assert_false(control_client_is_late(client, 5000 + CONTROL_STALL));
    control_client_destroy(client);
    close(ends[1]);
}

static uint64_t state_of(void *context)
{
    return ((const struct fixture *)context)->state;
}

static void changes_are_shared_before_answers_leave(void **state)
{
    struct fixture *fixture = *state;
    int fd = join(fixture);
    struct change_page *page;
    struct error err = {0};

    assert_null(change_page_open(fixture->path));
    assert_int_equal(control_share(fixture->control, state_of, &err), 0);
    page = change_page_open(fixture->path);
    assert_non_null(page);
    say(fd, "{\"command\":\"later\"}\n");
    server_run(fixture->control, TURN);
    fixture->state = 6;
    control_answer(fixture->control, fixture->later, json_object());
    assert_int_equal(change_page_read(page), 6);
    fixture->state = 7;
    server_run(fixture->control, TURN);
    assert_int_equal(change_page_read(page), 7);
    assert_true(change_page_is_current(page));
    control_destroy(fixture->control);
    assert_false(change_page_is_current(page));
    fixture->control = control_create(fixture->path, NULL, handle, fixture, &err);
    change_page_destroy(page);
    close(fd);
}

static void only_its_user_may_connect(void **state)
{
    struct fixture *fixture = *state;
    struct control *control;
    struct stat status;
    struct error err = {0};
    char group[16], path[128];

    assert_int_equal(stat(fixture->path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    snprintf(path, sizeof path, "%s/other.sock", fixture->directory);
    snprintf(group, sizeof group, "%ld", (long)getegid());
    control = control_create(path, group, handle, fixture, &err);
    assert_non_null(control);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0660);
    assert_int_equal(status.st_gid, getegid());
    control_destroy(control);
    assert_null(control_create(path, "no-such-group", handle, fixture, &err));
    assert_non_null(strstr(err.text, "group 'no-such-group' does not exist"));
}

static void the_peer_is_known(void **state)
{
    struct fixture *fixture = *state;
    int fd = join(fixture), status;
    pid_t child;

    say(fd, "{}\n");
    server_run(fixture->control, TURN);
    assert_int_equal(fixture->peer.uid, geteuid());
    assert_true(fixture->peer.trusted);
    close(fd);
    if (geteuid() != 0)
        return;
    /* Somebody else, after an operator has opened the socket to everybody. */
    chmod(fixture->directory, 0755);
    chmod(fixture->path, 0666);
    child = fork();
    if (child == 0) {
        if (setgid(65534) < 0 || setuid(65534) < 0)
            _exit(1);
        fd = join(fixture);
        say(fd, "{}\n");
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    server_run(fixture->control, TURN);
    assert_int_equal(fixture->peer.uid, 65534);
    assert_false(fixture->peer.trusted);
}

static void sockets_in_the_way(void **state)
{
    struct fixture *fixture = *state;
    struct error err = {0};
    struct control *second;
    int fd;

    assert_null(control_create(fixture->path, NULL, handle, fixture, &err));
    assert_int_equal(err.code, EADDRINUSE);
    assert_non_null(strstr(err.text, "another galernad is listening there"));
    server_run(fixture->control, TURN);
    /* What a killed daemon leaves. */
    rename(fixture->path, "/tmp/galerna-test-stale.sock");
    control_destroy(fixture->control);
    rename("/tmp/galerna-test-stale.sock", fixture->path);
    fixture->control = control_create(fixture->path, NULL, handle, fixture, &err);
    assert_non_null(fixture->control);
    /* Somebody else's socket is not removed at the end. */
    unlink(fixture->path);
    second = control_create(fixture->path, NULL, handle, fixture, &err);
    assert_non_null(second);
    control_destroy(fixture->control);
    assert_int_equal(access(fixture->path, F_OK), 0);
    control_destroy(second);
    assert_int_equal(access(fixture->path, F_OK), -1);
    fd = open(fixture->path, O_CREAT | O_WRONLY, 0600);
    close(fd);
    fixture->control = control_create(fixture->path, NULL, handle, fixture, &err);
    assert_null(fixture->control);
    assert_int_equal(err.code, EEXIST);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(requests_are_answered_in_order),
        TEST(a_hundred_requests_at_once_are_answered),
        TEST(garbage_is_answered_with_what_is_wrong),
        TEST(endless_requests_are_cut_off),
        TEST(who_does_not_listen_is_not_answered_for_ever),
        TEST(nobody_keeps_others_out),
        TEST(nobody_keeps_other_users_out),
        TEST(answers_may_come_later),
        TEST(who_hangs_up_is_forgotten),
        TEST(who_has_said_all_still_gets_answers),
        TEST(time_runs_out),
        TEST(changes_are_shared_before_answers_leave),
        TEST(only_its_user_may_connect),
        TEST(the_peer_is_known),
        TEST(sockets_in_the_way),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
