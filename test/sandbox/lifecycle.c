/* The states that real daemons went through, command by command (data/<version>/lifecycle.txt):
 * each must be met here, in that order, with the same end on the same host. They were sampled, so
 * some that lasted only milliseconds are missing there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xmlrpc-c/base.h>

#include "test/sandbox/fixture.h"

enum { SEQUENCE_MAX = 256, COMMAND_WIDTH = 42, SECONDS_MAX = 10 };

struct line {
    char method[40], arguments[3][24];
    char status[8], states[120], host[16];
    const char *text; /* of a refusal */
};

static void parse_line(const char *text, struct line *line)
{
    char command[COMMAND_WIDTH + 1] = {0};

    memset(line, 0, sizeof *line);
    memcpy(command, text, COMMAND_WIDTH);
    sscanf(command, "%39s %23s %23s %23s", line->method, line->arguments[0], line->arguments[1],
           line->arguments[2]);
    assert_int_equal(
        sscanf(text + COMMAND_WIDTH, "%7s %119s host=%15s", line->status, line->states, line->host),
        3);
    line->text = strchr(text + COMMAND_WIDTH, '[');
}

static int vm_of(const struct line *line)
{
    return atoi(line->arguments[!strcmp(line->method, "one.vm.action") ? 1 : 0]);
}

static const struct answer *command(struct oned *oned, const struct line *line, int *cold)
{
    int a = atoi(line->arguments[0]), b = atoi(line->arguments[1]);
    bool c = !strcmp(line->arguments[2], "True");

    if (!strcmp(line->method, "one.vm.action"))
        return fixture_call(oned, line->method, "(ssi)", ADMIN, line->arguments[0], b);
    if (!strcmp(line->method, "one.vm.recover"))
        return fixture_call(oned, line->method, "(sii)", ADMIN, a, b);
    if (!strcmp(line->method, "one.vm.deploy"))
        return fixture_call(oned, line->method, "(siibis)", ADMIN, a, b, (xmlrpc_bool)c, -1, "");
    return fixture_call(oned, line->method, "(siibbii)", ADMIN, a, b, (xmlrpc_bool)c,
                        (xmlrpc_bool)0, -1, c ? 0 : (*cold)++ % 3);
}

/* Append "state/lcm->" unless that is where it is already. */
static void sample(struct oned *oned, int vm, char *sequence)
{
    const struct answer *answer = fixture_call(oned, "one.vm.info", "(si)", ADMIN, vm);
    size_t length = strlen(sequence), piece_length;
    char piece[32];

    assert_true(answer->ok);
    snprintf(piece, sizeof piece, "%d/%d->", (int)fixture_first(answer->text, "STATE"),
             (int)fixture_first(answer->text, "LCM_STATE"));
    piece_length = strlen(piece);
    if (length >= piece_length && !strcmp(sequence + length - piece_length, piece) &&
        (length == piece_length || sequence[length - piece_length - 1] == '>'))
        return;
    assert_true(length + piece_length < SEQUENCE_MAX);
    strcat(sequence, piece);
}

/* Whether every state of `recorded` is in `seen`, in that order, and both end alike. */
static bool passes_through(const char *recorded, const char *seen)
{
    char copy[SEQUENCE_MAX], *rest = copy, *state;
    const char *at = seen;
    char last[32] = "";

    snprintf(copy, sizeof copy, "%s", recorded);
    while ((state = strsep(&rest, ">"))) {
        state[strcspn(state, "-")] = '\0';
        snprintf(last, sizeof last, "%.28s->", state);
        while (*at && strncmp(at, last, strlen(last)) != 0) {
            at = strchr(at, '>');
            at = at ? at + 1 : "";
        }
        if (!*at)
            return false;
    }
    return strlen(seen) >= strlen(last) && !strcmp(seen + strlen(seen) - strlen(last), last);
}

static void check_host(struct oned *oned, const struct line *line)
{
    const struct answer *answer = fixture_call(oned, "one.vm.info", "(si)", ADMIN, vm_of(line));

    if (!strcmp(line->host, "None"))
        assert_null(strstr(answer->text, "<HISTORY>"));
    else
        assert_int_equal(fixture_last(answer->text, "HID"), atoi(line->host));
}

static void run_line(struct oned *oned, const char *text, int *cold)
{
    char seen[SEQUENCE_MAX] = "";
    const struct answer *answer;
    struct line line;

    parse_line(text, &line);
    sample(oned, vm_of(&line), seen);
    answer = command(oned, &line, cold);
    assert_string_equal(answer->ok ? "ok" : "FAIL", line.status);
    if (line.text)
        assert_string_equal(answer->text, line.text);
    for (int i = 0; i < SECONDS_MAX; i++) {
        sample(oned, vm_of(&line), seen);
        fixture_pass(oned, 1);
    }
    sample(oned, vm_of(&line), seen);
    if (!passes_through(line.states, seen))
        fail_msg("%s\n  was %s", text, seen);
    check_host(oned, &line);
}

static void play(enum oned_version version, const char *path)
{
    struct oned_options options = fixture_options(version, 4);
    struct oned *oned;
    FILE *file = fopen(path, "r");
    int lines = 0, cold = 0;
    char text[400];

    for (int phase = 0; phase < ONED_PHASES; phase++)
        options.times[phase] = 1000;
    oned = oned_create(&options, NULL);
    assert_non_null(oned);
    assert_non_null(file);
    for (int i = 0; i < 5; i++)
        fixture_do(oned, "one.vm.allocate", "(ssb)", ADMIN, "CPU=1\nMEMORY=512",
                   (xmlrpc_bool)(i == 0));
    for (; fgets(text, sizeof text, file); lines++) {
        text[strcspn(text, "\n")] = '\0';
        run_line(oned, text, &cold);
    }
    fclose(file);
    oned_destroy(oned);
    assert_int_equal(lines, 44);
}

static void lifecycle_of_6_10(void **state)
{
    play(ONED_6_10, ONED_TEST_DATA "/6.10/lifecycle.txt");
}

static void lifecycle_of_7_4(void **state)
{
    play(ONED_7_4, ONED_TEST_DATA "/7.4/lifecycle.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lifecycle_of_6_10),
        cmocka_unit_test(lifecycle_of_7_4),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
