/* The client's side of the control socket: kept connections, crowds, strangers. */
#include <errno.h>
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

#include "daemon/control/control.h"
#include "test/daemon/directory.h"
#include "test/daemon/server.h"

enum { BIG = 200000 };

struct fixture {
    char directory[DIRECTORY_NAME_MAX];
};

/* "later": never. */
static json_t *handle(void *context, const struct control_peer *peer, const json_t *request)
{
    const char *command = json_string_value(json_object_get(request, "command"));
    char text[BIG + 1] = "";

    if (strcmp(command, "later") == 0)
        return NULL;
    if (strcmp(command, "big") == 0)
        memset(text, 'x', BIG);
    return json_pack("{s:b, s:s}", "ok", 1, "text", text);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    directory_make(fixture->directory);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    directory_remove(fixture->directory);
    free(fixture);
    return 0;
}

static void say(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static json_t *ask(const char *path, const char *command, struct error *err)
{
    json_t *request = json_pack("{s:s}", "command", command);
    json_t *answer = control_ask(path, request, 300, err);

    json_decref(request);
    return answer;
}

static void a_question_gets_its_answer(void **state)
{
    const struct fixture *fixture = *state;
    struct error err = {0};
    char path[256];
    json_t *answer;
    pid_t server;

    /* Longer than the address of a socket may be. */
    snprintf(path, sizeof path, "%s/%0100d", fixture->directory, 1);
    assert_int_equal(mkdir(path, 0700), 0);
    strcat(path, "/control.sock");
    server = server_start(path, handle, NULL);
    answer = ask(path, "big", &err);
    if (!answer)
        fail_msg("%s", err.text);
    assert_int_equal(json_string_length(json_object_get(answer, "text")), BIG);
    json_decref(answer);
    assert_null(ask(path, "later", &err));
    assert_int_equal(err.code, ETIMEDOUT);
    assert_non_null(strstr(err.text, "does not answer in time"));
    server_stop(server);
    assert_null(ask(path, "x", &err));
    assert_non_null(strstr(err.text, "no galernad answers"));
    assert_non_null(strstr(err.text, "systemctl start"));
}

static void a_kept_connection_is_used_again(void **state)
{
    const struct fixture *fixture = *state;
    json_t *request = json_pack("{s:s}", "command", "x");
    int fd = -1, first = -1;
    char path[256], *answer;
    pid_t server;

    snprintf(path, sizeof path, "%s/other.sock", fixture->directory);
    server = server_start(path, handle, NULL);
    for (int i = 0; i < 2; i++, first = fd) {
        free(answer = control_ask_on(&fd, path, request, 300, NULL));
        assert_true(answer && control_is_open(fd) && (first < 0 || fd == first));
    }
    server_stop(server);
    assert_true(!control_is_open(fd) && !control_ask_on(&fd, path, request, 300, NULL) && fd < 0);
    json_decref(request);
}

/* More clients than are let in at a time: the next one waits for its turn, until its time is over.
 */
static void a_crowd_is_waited_for(void **state)
{
    const struct fixture *fixture = *state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), first = socket(AF_UNIX, SOCK_STREAM, 0);
    struct error err = {0};
    json_t *answer;
    pid_t server;

    snprintf(address.sun_path, sizeof address.sun_path, "%s/crowd", fixture->directory);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 0), 0);
    assert_int_equal(connect(first, (struct sockaddr *)&address, sizeof address), 0);
    assert_null(ask(address.sun_path, "x", &err));
    assert_int_equal(err.code, ETIMEDOUT);
    server = fork();
    if (server == 0) {
        usleep(100000); /* the question is asked meanwhile */
        accept(listener, NULL, NULL);
        say(accept(listener, NULL, NULL), "{\"ok\":true}\n");
        _exit(0);
    }
    answer = ask(address.sun_path, "x", &err);
    if (!answer)
        fail_msg("%s", err.text);
    json_decref(answer);
    waitpid(server, NULL, 0);
    close(first);
    close(listener);
}

/* What listens is something else: it says `text` and hangs up. */
static void ask_stranger(const struct fixture *fixture, const char *text, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd;
    pid_t child;

    snprintf(address.sun_path, sizeof address.sun_path, "%s/stranger", fixture->directory);
    unlink(address.sun_path);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    child = fork();
    if (child == 0) {
        fd = accept(listener, NULL, NULL);
        say(fd, text);
        _exit(0);
    }
    close(listener);
    assert_null(ask(address.sun_path, "x", err));
    waitpid(child, NULL, 0);
}

static void strangers_are_not_believed(void **state)
{
    struct error err = {0};

    ask_stranger(*state, "220 smtp ready\n", &err);
    assert_int_equal(err.code, EPROTO);
    assert_non_null(strstr(err.text, "is not galernad"));
    ask_stranger(*state, "{\"fine\":1}\n", &err);
    assert_non_null(strstr(err.text, "has no \"ok\""));
    ask_stranger(*state, "{\"ok\":true", &err);
    assert_int_equal(err.code, ECONNRESET);
    assert_null(ask("/nonexistent/control.sock", "x", &err));
    assert_int_equal(err.code, ENOENT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_question_gets_its_answer),
        TEST(a_kept_connection_is_used_again),
        TEST(a_crowd_is_waited_for),
        TEST(strangers_are_not_believed),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
