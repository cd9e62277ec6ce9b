/* What the commands that talk to galernad print, against a daemon with canned answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/command.h"
#include "test/daemon/directory.h"
#include "test/daemon/server.h"
#include "util/unqualified.h"

enum { OUTPUT_MAX = 8192, ARGUMENTS_MAX = 24 };

/* An answer to a command; with `field`, only if the request's field (as JSON) is `value`. */
struct canned {
    const char *command, *field, *value, *answer;
};

#define LEASE(id, name, phase, more)                                                               \
    "{\"lease\":" #id ",\"name\":\"" name "\",\"user\":\"anna\",\"user_group\":\"users\","         \
    "\"kind\":\"best-effort\",\"phase\":\"" phase "\",\"vms\":2,\"terms\":\"suspendable\","        \
    "\"origin\":\"local\",\"priority\":0,\"submitted\":\"2026-11-21T14:00:00Z\","                  \
    "\"duration\":3600,\"run\":0,\"left\":3600,\"start\":null" more "}"
#define BEGIN "{\"ok\":true,\"now\":\"2026-11-21T15:00:00Z\","
#define WAITING_9                                                                                  \
    LEASE(9, "batch", "waiting",                                                                   \
          ",\"position\":2,\"expected\":\"2026-11-21T15:05:10Z\",\"promise\":\"estimate\","        \
          "\"activity\":\"Waiting: 2 VMs asked for\",\"reason\":{\"word\":\"no-room-now\"}")
#define RESERVED_4                                                                                 \
    LEASE(4, "lecture", "reserved",                                                                \
          ",\"expected\":\"2026-11-21T17:00:00Z\",\"promise\":\"contract\"")
#define OVERDUE_5                                                                                  \
    LEASE(5, "exam", "reserved",                                                                   \
          ",\"activity\":\"Reserved\",\"expected\":null,"                                          \
          "\"was_expected\":\"2026-11-21T14:59:00Z\","                                             \
          "\"promise\":\"contract\",\"waits_for\":\"VM 3 (SAVE_STOP) to leave host 1\"")
#define OVERDUE_6                                                                                  \
    LEASE(6, "b", "waiting",                                                                       \
          ",\"position\":1,\"activity\":\"Waiting\",\"expected\":null,"                            \
          "\"was_expected\":\"2026-11-21T14:59:50Z\","                                             \
          "\"promise\":\"estimate\",\"waits_for\":null")

static const struct canned canned[] = {
    {"lease-list", "user", "\"late\"",
     BEGIN "\"leases\":[" OVERDUE_5 "," OVERDUE_6
           "," LEASE(8, "s", "starting", ",\"expected\":null,\"promise\":null") "]}"},
    {"lease-list", "user", "\"cleo\"",
     BEGIN "\"leases\":[" LEASE(
         1, "s", "waiting",
         ",\"run\":34,\"preempted_for\":2,\"preempted_at\":\"2026-11-21T14:59:00Z\","
         "\"expected\":\"2026-11-21T15:05:10Z\",\"promise\":\"estimate\","
         "\"activity\":\"Suspended for lease 2\"") "," LEASE(3, "t", "running",
                                                             ",\"since\":\"2026-11-21T14:00:00Z\","
                                                             "\"end\":\"2026-11-21T15:30:00Z\","
                                                             "\"preempted_for\":4,\"preempted_at\":"
                                                             "\"2026-11-21T15:05:00Z\","
                                                             "\"activity\":\"Running, to be "
                                                             "suspended for lease 4\"") "]}"},
    {"lease-list", "user", "\"nobody\"", BEGIN "\"leases\":[]}"},
    {"lease-list", "user", "\"far\"",
     BEGIN "\"leases\":[" LEASE(9, "\\u202egnp.exe\\u2066", "waiting",
                                ",\"expected\":\"never\",\"promise\":\"estimate\"") "]}"},
    {"lease-list", "all", "true",
     BEGIN "\"leases\":[{\"lease\":3,\"name\":\"x\",\"user\":\"bo\",\"kind\":\"reservation\","
           "\"phase\":\"refused\",\"vms\":null,\"duration\":\"unlimited\","
           "\"start\":\"2026-11-21T17:00:00Z\"}," RESERVED_4
           "," LEASE(2, "done", "ended",
                     ",\"began\":\"2026-11-21T12:00:00Z\",\"end\":\"2026-11-21T13:00:00Z\","
                     "\"hosts\":[0,1,2,7]") "]}"},
    {"lease-list", NULL, NULL,
     BEGIN "\"leases\":[" RESERVED_4 "," LEASE(
         7, "a very long name that would not fit into a line of eighty places", "running",
         ",\"since\":\"2026-11-21T11:48:00Z\",\"end\":\"2026-11-21T15:30:00Z\","
         "\"hosts\":[4]") "," WAITING_9
                          "," LEASE(12, "evil\\u001b[2J", "waiting", ",\"position\":1") "]}"},
    {"lease-show", "lease", "77",
     "{\"ok\":false,\"error\":\"there is no lease 77\",\"code\":\"not-found\"}"},
    {"lease-show", "lease", "5", BEGIN "\"lease\":" OVERDUE_5 "}"},
    {"lease-why", "lease", "5", BEGIN "\"lease\":" OVERDUE_5 "}"},
    {"lease-why", "lease", "6", BEGIN "\"lease\":" OVERDUE_6 "}"},
    {"lease-show", "lease", "20",
     BEGIN "\"lease\":" LEASE(20, "r", "refused", ",\"activity\":\"Refused: never fits\"") "}"},
    {"lease-show", NULL, NULL,
     BEGIN "\"lease\":" LEASE(
         9, "batch", "waiting",
         ",\"expected\":\"2026-11-21T15:05:10Z\",\"promise\":\"estimate\","
         "\"activity\":\"Waiting: 2 VMs asked for\",\"reason\":{\"word\":\"no-room-now\"},"
         "\"members\":[{\"vm\":9,\"host\":null,\"cpu\":0.5,\"memory\":512,\"attempts\":0,"
         "\"command\":null,\"message\":\"waits\"},{\"vm\":10,\"host\":3,\"cpu\":0.5,"
         "\"memory\":512,\"attempts\":1,\"command\":\"deploy\",\"message\":null}]") "}"},
    {"lease-why", NULL, NULL,
     BEGIN "\"lease\":" WAITING_9 ",\"position\":2,\"n_ahead\":12,\"ahead\":[" LEASE(
         12, "first", "waiting", "") "],\"messages\":[{\"vm\":9,\"text\":\"waits\"}]}"},
    {"queue", NULL, NULL, BEGIN "\"leases\":[" WAITING_9 "]}"},
    {"lease-history", NULL, NULL,
     BEGIN "\"events\":[{\"at\":\"2026-11-21T14:00:00Z\",\"lease\":9,\"event\":\"requested\","
           "\"text\":\"by anna\"},{\"at\":\"2026-11-21T14:00:03Z\",\"lease\":null,"
           "\"event\":\"begun\",\"text\":\"galernad\"}]}"},
    {"lease-cancel", "lease", "9", BEGIN "\"lease\":9,\"phase\":\"ending\"}"},
    {"lease-cancel", NULL, NULL,
     "{\"ok\":false,\"error\":\"user 5 may only look\",\"code\":\"denied\"}"},
    {"lease-request", "dry_run", "true",
     BEGIN "\"accepted\":true,\"start\":\"2026-11-21T15:00:05Z\",\"promise\":\"contract\","
           "\"text\":\"on host 4\\nnobody makes room\"}"},
    {"lease-request", "name", "\"refused\"", BEGIN "\"lease\":20,\"vms\":[20]}"},
    {"lease-request", "name", "\"echo\"",
     "{\"ok\":false,\"error\":\"start: is 60 s ago\",\"code\":\"malformed\"}"},
    {"lease-request", NULL, NULL, BEGIN "\"lease\":9,\"vms\":[9,10]}"},
    {"host-release", "host", "\"alpha\"", BEGIN "\"host\":4,\"name\":\"alpha\"}"},
    {"host-release", NULL, NULL,
     "{\"ok\":false,\"error\":\"host 5 is not quarantined\",\"code\":\"failed\"}"},
    {"host-list", NULL, NULL,
     BEGIN "\"hosts\":[{\"host\":4,\"name\":\"alpha\",\"cluster\":\"default\",\"state\":\"on\","
           "\"cpu\":8.0,\"cpu_used\":1.5,\"memory\":16384,\"memory_used\":512,\"vms\":2}]}"},
    {"host-timeline", "host", "\"alpha\"",
     BEGIN "\"host\":4,\"name\":\"alpha\",\"operations\":["
           "{\"lease\":4,\"vm\":null,\"what\":\"run\",\"from\":\"2026-11-21T17:00:00Z\","
           "\"until\":\"2026-11-21T18:00:00Z\",\"cpu\":8.0,\"memory\":4096,\"planned\":true,"
           "\"name\":\"lecture\"},"
           "{\"lease\":7,\"vm\":7,\"what\":\"run\",\"from\":\"2026-11-21T11:48:00Z\","
           "\"until\":\"never\",\"cpu\":0.5,\"memory\":512,\"planned\":false,\"name\":\"x\"}]}"},
    {"host-timeline", NULL, NULL,
     "{\"ok\":false,\"error\":\"there is no host 5\",\"code\":\"not-found\"}"},
    {"status", NULL, NULL,
     BEGIN "\"instance\":\"f00\",\"leases\":{\"waiting\":2,\"running\":1,\"ended\":0},\"late\":1,"
           "\"vms\":6,\"daemon\":{\"version\":\"0.1.0\",\"started\":\"2026-11-21T11:48:00Z\","
           "\"opennebula\":{\"endpoint\":\"http://localhost:2633/RPC2\",\"last_poll\":"
           "\"2026-11-21T14:59:57Z\",\"reached\":true}}}"},
};

static bool matches(const struct canned *one, const json_t *request)
{
    char *value;
    bool same;

    if (strcmp(one->command, json_string_value(json_object_get(request, "command"))) != 0)
        return false;
    if (!one->field)
        return true;
    if (!json_object_get(request, one->field))
        return false;
    value = json_dumps(json_object_get(request, one->field), JSON_ENCODE_ANY);
    same = strcmp(value, one->value) == 0;
    free(value);
    return same;
}

/* Requests of the leases that the tests ask for are kept, to be looked at. */
static json_t *answer(void *context, const struct control_peer *peer, const json_t *request)
{
    (void)peer;
    if (json_dump_file(request, context, JSON_SORT_KEYS) < 0)
        _exit(1);
    for (size_t i = 0; i < sizeof canned / sizeof *canned; i++)
        if (matches(&canned[i], request))
            return json_loads(canned[i].answer, 0, NULL);
    return json_pack("{s:b, s:s, s:s}", "ok", 0, "error", "not canned", "code", "failed");
}

struct fixture {
    char directory[DIRECTORY_NAME_MAX], socket[96], seen[96], out_file[96], err_file[96];
    pid_t server;
    char out[OUTPUT_MAX], err[OUTPUT_MAX];
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    directory_make(fixture->directory);
    snprintf(fixture->socket, sizeof fixture->socket, "%s/control.sock", fixture->directory);
    snprintf(fixture->seen, sizeof fixture->seen, "%s/seen", fixture->directory);
    snprintf(fixture->out_file, sizeof fixture->out_file, "%s/out", fixture->directory);
    snprintf(fixture->err_file, sizeof fixture->err_file, "%s/err", fixture->directory);
    fixture->server = server_start(fixture->socket, answer, fixture->seen);
    setenv("GALERNA_SOCKET", fixture->socket, 1);
    setenv("TZ", "UTC-1", 1);
    setenv("COLUMNS", "80", 1);
    tzset();
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    if (fixture->server)
        server_stop(fixture->server);
    directory_remove(fixture->directory);
    free(fixture);
    return 0;
}

static void read_file(const char *path, char text[OUTPUT_MAX])
{
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, OUTPUT_MAX - 1, file) : 0;

    text[n] = '\0';
    if (file)
        fclose(file);
}

static int redirect(FILE *stream, const char *path)
{
    int saved;

    fflush(stream);
    saved = dup(fileno(stream));
    if (saved < 0 || !freopen(path, "w", stream))
        abort();
    return saved;
}

static void restore(FILE *stream, int saved)
{
    fflush(stream);
    dup2(saved, fileno(stream));
    close(saved);
}

/* Run "galerna WORDS" (words are separated by blanks; '_' stands for a blank inside one). */
static int run(struct fixture *fixture, const char *words)
{
    char copy[512], *argv[ARGUMENTS_MAX + 1] = {unqualified("galerna")}, *rest = copy;
    int argc = 1, code, out, err;

    snprintf(copy, sizeof copy, "%s", words);
    for (char *word; (word = strsep(&rest, " ")) && argc < ARGUMENTS_MAX;) {
        for (char *at = word; *at; at++)
            *at = *at == '_' ? ' ' : *at;
        argv[argc++] = word;
    }
    argv[argc] = NULL;
    out = redirect(stdout, fixture->out_file);
    err = redirect(stderr, fixture->err_file);
    code = command_main(argc, argv);
    restore(stdout, out);
    restore(stderr, err);
    read_file(fixture->out_file, fixture->out);
    read_file(fixture->err_file, fixture->err);
    return code;
}

static void expect(struct fixture *fixture, const char *words, int code, const char *out)
{
    int result = run(fixture, words);

    if (result != code)
        fail_msg("galerna %s: exit code %d: %s", words, result, fixture->err);
    assert_string_equal(fixture->out, out);
}

static void expect_error(struct fixture *fixture, const char *words, int code, const char *part)
{
    int result = run(fixture, words);

    if (result != code || !strstr(fixture->err, part))
        fail_msg("galerna %s: exit code %d: '%s' instead of '%s'", words, result, fixture->err,
                 part);
}

static void lists_fit_the_terminal(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease list", EXIT_DONE,
           "LEASE  NAME              USER  PHASE     VMS  START      END        LEFT   HOSTS\n"
           "    7  a very long na..  anna  running     2  3h12m ago  in 30m00s  1h00m  4\n"
           "    4  lecture           anna  reserved    2  in 2h00m   in 3h00m   1h00m  -\n"
           "   12  evil?[2J          anna  waiting     2  -          -          1h00m  -\n"
           "    9  batch             anna  waiting     2  ~in 5m10s  ~in 1h05m  1h00m  -\n");
}

static void columns_are_left_out_of_narrow_tables(void **state)
{
    struct fixture *fixture = *state;

    setenv("COLUMNS", "40", 1);
    expect(fixture, "lease list", EXIT_DONE,
           "LEASE  NAME          PHASE     START\n"
           "    7  a very lon..  running   3h12m ago\n"
           "    4  lecture       reserved  in 2h00m\n"
           "   12  evil?[2J      waiting   -\n"
           "    9  batch         waiting   ~in 5m10s\n");
    expect(fixture, "queue", EXIT_DONE,
           "PLACE  LEASE  USER  VMS  PRIO  START\n"
           "    2      9  anna    2     0  ~in 5m10s\n");
    expect(fixture, "host list", EXIT_DONE,
           "HOST  NAME   STATE    CPU  MEMORY MB\n"
           "   4  alpha  on     1.5/8  512/16384\n");
    expect(fixture, "host timeline alpha", EXIT_DONE,
           "FROM                 FOR        LEASE\n"
           "2026-11-21 12:48:00  unlimited      7\n"
           "2026-11-21 18:00:00  1h00m          4\n");
    setenv("COLUMNS", "80", 1);
}

static void what_cannot_be_known_or_shown_is_marked(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease list --user far", EXIT_DONE,
           "LEASE  NAME       USER  KIND         PHASE    VMS  START    END  LEFT   HOSTS\n"
           "    9  ?gnp.exe?  anna  best-effort  waiting    2  unknown  -    1h00m  -\n");
    expect(fixture, "lease list --start --user far", EXIT_DONE,
           "LEASE  NAME       PHASE    START    IN       PROMISE\n"
           "    9  ?gnp.exe?  waiting  unknown  unknown  estimate\n");
}

static void preempted_leases_are_seen_in_the_list(void **state)
{
    struct fixture *fixture = *state;

    setenv("COLUMNS", "150", 1);
    expect(fixture, "lease list --user cleo", EXIT_DONE,
           "LEASE  NAME  USER  KIND         PHASE      VMS  START      END        LEFT   HOSTS  "
           "ACTIVITY\n"
           "    3  t     anna  best-effort  running      2  1h00m ago  -          1h00m  -      "
           "Running, to be suspended for lease 4\n"
           "    1  s     anna  best-effort  suspended    2  ~in 5m10s  ~in 1h05m  1h00m  -      "
           "Suspended for lease 2\n");
    setenv("COLUMNS", "80", 1);
}

static void starts_are_contracts_or_estimates(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease list --start", EXIT_DONE,
           "LEASE  NAME                   PHASE     START                IN         PROMISE\n"
           "    7  a very long name th..  running   2026-11-21 12:48:00  3h12m ago  started\n"
           "    4  lecture                reserved  2026-11-21 18:00:00  in 2h00m   contract\n"
           "   12  evil?[2J               waiting   -                    -          -\n"
           "    9  batch                  waiting   2026-11-21 16:05:10  in 5m10s   estimate\n");
    expect(fixture, "lease list --all", EXIT_DONE,
           "LEASE  NAME     USER  PHASE     VMS  START      END        LEFT   HOSTS\n"
           "    4  lecture  anna  reserved    2  in 2h00m   in 3h00m   1h00m  -\n"
           "    3  x        bo    refused     -  -          -          -      -\n"
           "    2  done     anna  ended       2  3h00m ago  2h00m ago  -      0-2,7\n");
    expect(fixture, "lease list --user nobody", EXIT_DONE, "No leases found.\n");
}

static void why_is_told_in_a_few_lines(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease why 9", EXIT_DONE,
           "Lease 9 (batch of anna), position 2 in the queue:\n"
           "Waiting: 2 VMs asked for [no-room-now]\n"
           "Queued behind: 12 (first of anna) and 11 more.\n"
           "Starts in 5m10s: estimate, may change.\n");
}

static void a_lease_is_shown(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease show 9", EXIT_DONE,
           "Lease       9\n"
           "Name        batch\n"
           "Owner       anna, group users\n"
           "Kind        best-effort\n"
           "Phase       waiting\n"
           "Activity    Waiting: 2 VMs asked for [no-room-now]\n"
           "Submitted   2026-11-21 15:00:00 (1h00m ago)\n"
           "Expected    2026-11-21 16:05:10 (in 5m10s, estimate)\n"
           "Duration    1h00m, 0s run, 1h00m left\n"
           "Terms       suspendable, origin local, priority 0\n"
           "\n"
           "VM  HOST   CPU   MB  COMMAND  TRIES\n"
           " 9     -  0.50  512  -            0\n"
           "10     3  0.50  512  deploy       1\n");
    expect_error(fixture, "lease show 77", EXIT_FAILED,
                 "galerna lease show: there is no lease 77\n");
    expect_error(fixture, "lease show", EXIT_USAGE, "missing argument: LEASE");
    expect_error(fixture, "lease show nine", EXIT_USAGE, "'nine' is not a lease number");
}

static void a_start_that_has_passed_is_called_so(void **state)
{
    struct fixture *fixture = *state;

    expect(
        fixture, "lease why 5", EXIT_DONE,
        "Lease 5 (exam of anna):\n"
        "Reserved.\n"
        "Overdue since 2026-11-21 15:59:00 (1m00s ago): contract. It starts as soon as possible.\n"
        "Waiting for VM 3 (SAVE_STOP) to leave host 1.\n");
    expect(
        fixture, "lease why 6", EXIT_DONE,
        "Lease 6 (b of anna):\n"
        "Waiting.\n"
        "Overdue since 2026-11-21 15:59:50 (10s ago): estimate. There is no new estimate yet.\n");
    expect(fixture, "lease show 5", EXIT_DONE,
           "Lease       5\n"
           "Name        exam\n"
           "Owner       anna, group users\n"
           "Kind        best-effort\n"
           "Phase       reserved\n"
           "Activity    Reserved\n"
           "Submitted   2026-11-21 15:00:00 (1h00m ago)\n"
           "Overdue     since 2026-11-21 15:59:00 (1m00s ago, contract)\n"
           "Waits for   VM 3 (SAVE_STOP) to leave host 1\n"
           "Duration    1h00m, 0s run, 1h00m left\n"
           "Terms       suspendable, origin local, priority 0\n");
    expect(fixture, "lease list --user late", EXIT_DONE,
           "LEASE  NAME  USER  KIND         PHASE     VMS  START          END  LEFT   HOSTS\n"
           "    8  s     anna  best-effort  starting    2  now            -    1h00m  -\n"
           "    5  exam  anna  best-effort  reserved    2  due 1m00s ago  -    1h00m  -\n"
           "    6  b     anna  best-effort  waiting     2  due 10s ago    -    1h00m  -\n");
    expect(fixture, "lease list --start --user late", EXIT_DONE,
           "LEASE  NAME  PHASE     START                IN         PROMISE\n"
           "    8  s     starting  -                    -          -\n"
           "    5  exam  reserved  2026-11-21 15:59:00  1m00s ago  overdue\n"
           "    6  b     waiting   2026-11-21 15:59:50  10s ago    estimate, overdue\n");
}

static void other_tables(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "queue", EXIT_DONE,
           "PLACE  LEASE  USER  VMS  PRIO  START      WHY\n"
           "    2      9  anna    2     0  ~in 5m10s  Waiting: 2 VMs asked for\n");
    expect(fixture, "lease history 9", EXIT_DONE,
           "TIME                 LEASE  EVENT      WHAT\n"
           "2026-11-21 15:00:00      9  requested  by anna\n"
           "2026-11-21 15:00:03      -  begun      galernad\n");
    expect(fixture, "host list", EXIT_DONE,
           "HOST  NAME   CLUSTER  STATE    CPU  MEMORY MB  VMS\n"
           "   4  alpha  default  on     1.5/8  512/16384    2\n");
    expect(fixture, "host timeline alpha", EXIT_DONE,
           "FROM                 FOR        LEASE  VM  WHAT  CPU    MB  NAME\n"
           "2026-11-21 12:48:00  unlimited      7   7  run   0.5   512  x\n"
           "2026-11-21 18:00:00  1h00m          4   -  run     8  4096  lecture\n");
    expect(fixture, "host release alpha", EXIT_DONE,
           "Host 4 (alpha) is no longer quarantined.\n");
    expect_error(fixture, "host release 5", EXIT_FAILED, "host 5 is not quarantined");
    expect_error(fixture, "host timeline 5", EXIT_FAILED, "there is no host 5");
    expect(fixture, "status", EXIT_DONE,
           "version                 0.1.0\n"
           "started                 2026-11-21 12:48:00 (3h12m ago)\n"
           "opennebula endpoint     http://localhost:2633/RPC2\n"
           "opennebula last poll    2026-11-21 15:59:57 (3s ago)\n"
           "opennebula reached      yes\n"
           "policies                the built-in defaults\n"
           "leases                  2 waiting, 1 running\n"
           "late                    1\n"
           "vms                     6\n");
}

static void leases_are_cancelled(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease cancel 9", EXIT_DONE, "Lease 9 is cancelled; it is now ending.\n");
    expect_error(fixture, "lease cancel 9 10", EXIT_FAILED, "user 5 may only look");
    assert_string_equal(fixture->out, "Lease 9 is cancelled; it is now ending.\n");
    expect_error(fixture, "lease cancel 9 x", EXIT_USAGE, "'x' is not a lease number");
    assert_string_equal(fixture->out, "");
}

static void expect_request(struct fixture *fixture, const char *words, const char *part)
{
    char seen[OUTPUT_MAX];

    if (run(fixture, words) != EXIT_DONE)
        fail_msg("%s: %s", words, fixture->err);
    read_file(fixture->seen, seen);
    if (!strstr(seen, part))
        fail_msg("galerna %s: sent %s", words, seen);
}

static void requests_are_sent_as_they_are_meant(void **state)
{
    struct fixture *fixture = *state;

    expect_request(fixture, "lease request --cpu 0.5 --memory 2G --wait 0",
                   "{\"command\": \"lease-request\", \"cpu\": 0.5, \"kind\": \"best-effort\", "
                   "\"memory\": 2048}");
    expect_request(fixture,
                   "lease request --template 3 --start 2126-11-21_15:00 --duration 1h30m "
                   "--preemptible --count 4 --priority 2 --name web --wait 0",
                   "{\"command\": \"lease-request\", \"count\": 4, \"duration\": 5400, "
                   "\"kind\": \"reservation\", \"name\": \"web\", \"preemptible\": true, "
                   "\"priority\": 2, \"start\": \"2126-11-21T14:00:00Z\", \"template\": 3}");
    expect_request(fixture,
                   "lease request --template 3 --terms cancelable --origin external --wait 0",
                   "\"origin\": \"external\", \"template\": 3, \"terms\": \"cancelable\"}");
    expect_request(fixture, "lease request --template 3 --start now --duration 2:30 --wait 0",
                   "\"duration\": 9000, \"kind\": \"immediate\", \"template\": 3}");
    expect_request(fixture,
                   "lease request --template 3 --earliest 2126-11-21T15:00:00Z --deadline "
                   "2126-11-22T15:00:00-02:00 --duration 1d --wait 0",
                   "\"deadline\": \"2126-11-22T17:00:00Z\", \"duration\": 86400, "
                   "\"earliest\": \"2126-11-21T15:00:00Z\", \"kind\": \"deadline\"");
    expect_request(fixture, "lease request --template 3 --duration unlimited --wait 0",
                   "\"duration\": \"unlimited\"");
}

static void decisions_are_waited_for(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease request --template 3", EXIT_DONE,
           "Lease 9 requested: VM 9, 10.\n"
           "Lease 9: Waiting: 2 VMs asked for.\n");
    expect(fixture, "lease request --template 3 --name refused", EXIT_REFUSED,
           "Lease 20 requested: VM 20.\n"
           "Lease 20: Refused: never fits.\n");
    expect(fixture, "lease request --cpu 1 --memory 1 --dry-run", EXIT_DONE,
           "The lease would be accepted and start at 2026-11-21 16:00:05 (in 5s, contract).\n"
           "on host 4\n"
           "nobody makes room\n");
    expect_error(fixture, "lease request --template 3 --name echo", EXIT_USAGE,
                 "start: is 60 s ago");
}

static void wrong_wishes_are_not_sent(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *words, *part;
    } cases[] = {
        {"lease request", "--cpu is required without --template"},
        {"lease request --cpu 1", "--memory is required without --template"},
        {"lease request --cpu none --memory 1", "--cpu none"},
        {"lease request --cpu nan --memory 1", "--cpu nan"},
        {"lease request --cpu 1 --memory 1K", "--memory 1K"},
        {"lease request --template 1 --count 0", "--count 0"},
        {"lease request --template 1x", "--template 1x"},
        {"lease request --template 1 --start yesterday", "--start yesterday: expected a time"},
        {"lease request --template 1 --start 2026-02-30_10:00", "expected a time"},
        {"lease request --template 1 --start +0s", "expected a time"},
        {"lease request --template 1 --duration 1:99:00", "--duration 1:99:00"},
        {"lease request --template 1 --duration 5", "--duration 5: expected a duration"},
        {"lease request --template 1 --duration -5s", "--duration -5s"},
        {"lease request --template 1 --start now --deadline +1h", "cannot be combined"},
        {"lease request --template 1 --start now --earliest +1h", "cannot be combined"},
        {"lease request --template 1 --preemptible --terms non-preemptable",
         "--terms non-preemptable conflicts with --preemptible"},
        {"lease request --template 1 --origin Mars", "--origin Mars: expected local or external"},
        {"lease request --template 1 --priority 1000001",
         "expected a whole number from -1000000 to 1000000"},
        {"lease request --template 1 --wait long", "--wait long"},
        {"lease request --template 1 9", "unexpected argument '9'"},
        {"lease list --limit x", "--limit x"},
        {"lease list 5", "unexpected argument '5'"},
        {"lease list --phases x --bad", "Try 'galerna lease list --help'"},
        {"lease history 1 2", "unexpected argument '2'"},
        {"lease history --limit 0", "--limit 0"},
        {"lease cancel", "missing argument: LEASE..."},
        {"host timeline", "missing argument: HOST"},
        {"queue x", "unexpected argument"},
        {"status x", "unexpected argument"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_error(fixture, cases[i].words, EXIT_USAGE, cases[i].part);
    assert_int_equal(access(fixture->seen, F_OK), -1);
}

static void json_is_the_whole_answer(void **state)
{
    struct fixture *fixture = *state;
    static const char *const commands[] = {
        "lease list --json",
        "lease show 9 --json",
        "lease why 9 --json",
        "lease history --json",
        "queue --json",
        "host list --json",
        "lease cancel 9 --json",
        "status --json",
        "host timeline alpha --json",
        "lease request --template 1 --json",
    };

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        json_t *document;

        assert_int_equal(run(fixture, commands[i]), EXIT_DONE);
        document = json_loads(fixture->out, 0, NULL);
        if (!document)
            fail_msg("galerna %s: no JSON: %s", commands[i], fixture->out);
        assert_true(json_is_true(json_object_get(document, "ok")));
        json_decref(document);
    }
    assert_non_null(strstr(fixture->out, "\"decision\": {"));
}

static void the_daemon_is_looked_for(void **state)
{
    struct fixture *fixture = *state;
    char words[256];

    setenv("GALERNA_SOCKET", "/nonexistent/control.sock", 1);
    expect_error(fixture, "status", EXIT_FAILED,
                 "no galernad answers at /nonexistent/control.sock: start it");
    snprintf(words, sizeof words, "status --socket %s", fixture->socket);
    assert_int_equal(run(fixture, words), EXIT_DONE);
    snprintf(words, sizeof words, "status --state-dir %s", fixture->directory);
    assert_int_equal(run(fixture, words), EXIT_DONE);
}

static void help_is_there(void **state)
{
    struct fixture *fixture = *state;
    static const char *const commands[] = {
        "lease request", "lease list", "lease show",    "lease why", "lease cancel",
        "lease history", "host list",  "host timeline", "queue",     "status",
    };
    char words[64];

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        snprintf(words, sizeof words, "%s --help", commands[i]);
        assert_int_equal(run(fixture, words), EXIT_DONE);
        assert_int_equal(strncmp(fixture->out, "usage: galerna ", 15), 0);
        for (const char *line = fixture->out; *line; line += strcspn(line, "\n") + 1)
            if (strcspn(line, "\n") > 90)
                fail_msg("galerna %s: a line is too long: %.100s", words, line);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(lists_fit_the_terminal),
        TEST(columns_are_left_out_of_narrow_tables),
        TEST(what_cannot_be_known_or_shown_is_marked),
        TEST(preempted_leases_are_seen_in_the_list),
        TEST(starts_are_contracts_or_estimates),
        TEST(why_is_told_in_a_few_lines),
        TEST(a_lease_is_shown),
        TEST(a_start_that_has_passed_is_called_so),
        TEST(other_tables),
        TEST(leases_are_cancelled),
        TEST(requests_are_sent_as_they_are_meant),
        TEST(decisions_are_waited_for),
        TEST(wrong_wishes_are_not_sent),
        TEST(json_is_the_whole_answer),
        TEST(the_daemon_is_looked_for),
        TEST(help_is_there),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
