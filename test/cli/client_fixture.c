/* A daemon with canned answers, and what commands print against it. */
#include "test/cli/client_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/unqualified.h"

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
#define DRAINED                                                                                    \
    "{\"host\":6,\"name\":\"gamma\",\"cluster\":\"default\",\"state\":\"draining\",\"cpu\":8.0,"   \
    "\"cpu_used\":1.0,\"memory\":16384,\"memory_used\":256,\"vms\":1,"                             \
    "\"drain_from\":\"2026-11-21T14:00:00Z\",\"drain_until\":\"2026-11-21T17:00:00Z\","            \
    "\"staying\":[{\"vm\":7,\"lease\":7,\"why\":\"must leave its host, but no room\\u001b[2J "     \
    "elsewhere\"},"                                                                                \
    "{\"vm\":8,\"lease\":8,\"why\":\"must leave its host, but no room\\u001b[2J elsewhere\"}]}"
#define WAITING_9                                                                                  \
    LEASE(9, "batch", "waiting",                                                                   \
          ",\"position\":2,\"expected\":\"2026-11-21T15:05:10Z\",\"promise\":\"estimate\","        \
          "\"activity\":\"Waiting: 2 VMs asked for\","                                             \
          "\"why\":\"Waiting for room: 2 VMs requested, room for 1 "                               \
          "now\",\"reason\":{\"word\":\"no-room-now\"}")
#define RESERVED_4                                                                                 \
    LEASE(4, "lecture", "reserved",                                                                \
          ",\"expected\":\"2026-11-21T17:00:00Z\",\"promise\":\"contract\"")
#define RUNNING_7                                                                                  \
    LEASE(7, "a very long name that would not fit into a line of eighty places", "running",        \
          ",\"since\":\"2026-11-21T11:48:00Z\",\"end\":\"2026-11-21T15:30:00Z\","                  \
          "\"hosts\":[4]")
#define OVERDUE_5                                                                                  \
    LEASE(5, "exam", "reserved",                                                                   \
          ",\"activity\":\"Reserved\",\"expected\":null,"                                          \
          "\"was_expected\":\"2026-11-21T14:59:00Z\","                                             \
          "\"promise\":\"contract\",\"late\":true,"                                                \
          "\"waits_for\":\"VM 3 (SAVE_STOP) to leave host 1\"")
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
    {"lease-list", "phase", "[\"parked\"]", BEGIN "\"leases\":[]}"},
    {"lease-list", "phase", "[\"parked\", \"waiting\"]", BEGIN "\"leases\":[]}"},
    {"lease-list", "phase", "[\"waiting\", \"reserved\"]",
     BEGIN "\"leases\":[" LEASE(
         1, "s", "waiting",
         ",\"run\":34,\"preempted_for\":2,"
         "\"preempted_at\":\"2026-11-21T14:59:00Z\"") "," RESERVED_4
                                                      "," LEASE(11, "its host is drained",
                                                                "waiting", ",\"run\":34") "]}"},
    {"lease-list", "user", "\"before\"",
     BEGIN "\"outdated\":{\"text\":\"no\\u001b[2J answer\",\"since\":"
           "\"2026-11-21T14:55:00Z\"},\"leases\":[]}"},
    {"lease-list", "user", "\"nobody\"", BEGIN "\"leases\":[]}"},
    {"lease-list", "user", "\"far\"",
     BEGIN "\"leases\":[" LEASE(
         9, "\\u202egnp.exe\\u2066", "waiting",
         ",\"expected\":\"never\",\"promise\":\"estimate\"") "," LEASE(10, "off", "ending",
                                                                       ",\"expected\":\"2026-11-"
                                                                       "22T15:00:00Z\"") "]}"},
    {"lease-list", "host", "44",
     "{\"ok\":false,\"error\":\"host 44 does not exist\",\"code\":\"not-found\"}"},
    {"lease-list", "host", "\"beta\"",
     "{\"ok\":false,\"error\":\"host 'beta' does not exist\",\"code\":\"not-found\"}"},
    {"lease-list", "host", "4", BEGIN "\"leases\":[" RUNNING_7 "]}"},
    {"lease-list", "host", "\"alpha\"", BEGIN "\"leases\":[" RUNNING_7 "]}"},
    {"lease-list", "all", "true",
     BEGIN "\"leases\":[{\"lease\":3,\"name\":\"x\",\"user\":\"bo\",\"kind\":\"reservation\","
           "\"phase\":\"refused\",\"vms\":null,\"duration\":\"unlimited\","
           "\"start\":\"2026-11-21T17:00:00Z\"}," RESERVED_4
           "," LEASE(2, "done", "ended",
                     ",\"began\":\"2026-11-21T12:00:00Z\",\"end\":\"2026-11-21T13:00:00Z\","
                     "\"hosts\":[0,1,2,7]") "," LEASE(8, "no", "refused", "") "]}"},
    {"lease-list", NULL, NULL,
     BEGIN "\"leases\":[" RESERVED_4 "," RUNNING_7 "," WAITING_9
           "," LEASE(12, "evil\\u001b[2J", "waiting", ",\"position\":1") "]}"},
    {"lease-show", "lease", "77",
     "{\"ok\":false,\"error\":\"lease 77 does not exist\",\"code\":\"not-found\"}"},
    {"lease-show", "lease", "5", BEGIN "\"lease\":" OVERDUE_5 "}"},
    {"lease-why", "lease", "5", BEGIN "\"lease\":" OVERDUE_5 "}"},
    {"lease-why", "lease", "24",
     BEGIN
     "\"lease\":" LEASE(24, "risk", "reserved",
                        ",\"activity\":\"Reserved. At present: none of the 4 hosts can be used\","
                        "\"expected\":\"2026-11-21T17:00:00Z\",\"promise\":\"contract\","
                        "\"reason\":{\"word\":\"hosts-excluded\"}") "}"},
    {"lease-why", "lease", "6", BEGIN "\"lease\":" OVERDUE_6 "}"},
    {"lease-show", "lease", "22",
     BEGIN "\"lease\":" LEASE(22, "s", "waiting",
                              ",\"activity\":\"Suspended for lease 2\",\"run\":34,"
                              "\"left\":3566") "}"},
    {"lease-show", "lease", "23",
     BEGIN "\"lease\":" LEASE(23, "r", "refused",
                              ",\"activity\":\"Refused\",\"left\":null,"
                              "\"end\":\"2026-11-21T14:30:00Z\"") "}"},
    {"lease-show", "lease", "21",
     BEGIN "\"lease\":" LEASE(
         21, "m", "running",
         ",\"activity\":\"Running\",\"run\":2400,\"left\":1200,\"since\":\"2026-11-21T14:50:00Z\","
         "\"stays\":[{\"host\":1,\"from\":\"2026-11-21T14:00:00Z\",\"until\":\"2026-11-21T14:10:"
         "00Z\"},"
         "{\"host\":1,\"from\":\"2026-11-21T14:50:00Z\",\"until\":null},"
         "{\"host\":2,\"from\":\"2026-11-21T14:30:00Z\",\"until\":\"2026-11-21T14:50:00Z\"}]") "}"},
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
    {"usage", NULL, NULL,
     BEGIN "\"since\":\"2026-11-01T00:00:00Z\",\"until\":\"2026-11-21T15:00:00Z\",\"usage\":["
           "{\"user\":\"=anna\",\"leases\":3,\"cpu_hours\":12.25,\"memory_gb_hours\":3.5,"
           "\"reserved_cpu_hours\":4.0,\"reserved_used_cpu_hours\":2.0,\"started\":2,"
           "\"mean_wait\":90,\"preemptions\":1,\"late\":0,\"refused\":5}]}"},
    {"lease-history", NULL, NULL,
     BEGIN "\"events\":[{\"at\":\"2026-11-21T14:00:00Z\",\"lease\":9,\"event\":\"requested\","
           "\"text\":\"by anna\"},{\"at\":\"2026-11-21T14:00:03Z\",\"lease\":null,"
           "\"event\":\"begun\",\"text\":\"galernad\"}]}"},
    {"lease-change", "lease", "9",
     BEGIN "\"lease\":9,\"dry_run\":false,\"accepted\":true,\"text\":\"duration "
           "2:00:00\",\"victims\":\"Lease 4 would be suspended\"}"},
    {"lease-change", NULL, NULL,
     BEGIN "\"lease\":10,\"dry_run\":true,\"accepted\":false,\"text\":\"lease 9 is promised\","
           "\"in_the_way\":9,\"alternative\":{\"start\":null,\"duration\":5400}}"},
    {"lease-cancel", "lease", "9", BEGIN "\"lease\":9,\"phase\":\"ending\"}"},
    {"lease-cancel", NULL, NULL,
     "{\"ok\":false,\"error\":\"user 5 has read-only access\",\"code\":\"denied\"}"},
    {"lease-request", "dry_run", "true",
     BEGIN "\"accepted\":true,\"start\":\"2026-11-21T15:00:05Z\",\"promise\":\"contract\","
           "\"text\":\"on host 4\\nnobody makes room\"}"},
    {"lease-request", "name", "\"refused\"", BEGIN "\"lease\":20,\"vms\":[20]}"},
    {"lease-request", "name", "\"echo\"",
     "{\"ok\":false,\"error\":\"start: 1m00s in the past\",\"code\":\"malformed\"}"},
    {"lease-request", NULL, NULL, BEGIN "\"lease\":9,\"vms\":[9,10]}"},
    {"host-release", "host", "\"alpha\"", BEGIN "\"host\":4,\"name\":\"alpha\"}"},
    {"host-release", NULL, NULL,
     "{\"ok\":false,\"error\":\"host 5 is not quarantined\",\"code\":\"failed\"}"},
    {"host-list", NULL, NULL,
     BEGIN "\"hosts\":[{\"host\":4,\"name\":\"alpha\",\"cluster\":\"default\",\"state\":\"on\","
           "\"cpu\":8.0,\"cpu_used\":1.5,\"memory\":16384,\"memory_used\":512,\"vms\":2,"
           "\"unread_vms\":1,\"unread_cpu\":1.0,\"unread_memory\":256}," DRAINED "]}"},
    {"host-timeline", "host", "\"alpha\"",
     BEGIN "\"host\":4,\"name\":\"alpha\",\"cluster\":\"default\",\"state\":\"on\",\"cpu\":8.0,"
           "\"cpu_used\":1.5,\"memory\":16384,\"memory_used\":512,\"vms\":2,\"unread_vms\":1,"
           "\"unread_cpu\":1.0,\"unread_memory\":256,\"operations\":["
           "{\"lease\":6,\"vm\":null,\"what\":\"hold\",\"use\":\"held\",\"user\":\"otto\","
           "\"from\":\"2026-11-21T15:00:00Z\",\"until\":null,\"cpu\":2.0,\"memory\":512,"
           "\"planned\":false,\"name\":\"big\"},"
           "{\"lease\":null,\"vm\":8,\"what\":\"run\",\"use\":\"other\","
           "\"from\":\"2026-11-21T15:00:00Z\",\"until\":\"never\",\"cpu\":1.0,\"memory\":0,"
           "\"planned\":false,\"user\":null,\"name\":null},"
           "{\"lease\":4,\"vm\":null,\"what\":\"run\",\"use\":\"reserved\",\"user\":\"anna\","
           "\"from\":\"2026-11-21T17:00:00Z\","
           "\"until\":\"2026-11-21T18:00:00Z\",\"cpu\":8.0,\"memory\":4096,\"planned\":true,"
           "\"name\":\"lecture\"},"
           "{\"lease\":7,\"vm\":7,\"what\":\"run\",\"use\":\"running\",\"user\":\"max\",\"from\":"
           "\"2026-11-21T11:48:00Z\","
           "\"until\":\"never\",\"cpu\":0.5,\"memory\":512,\"planned\":false,\"name\":\"x\"}]}"},
    {"host-timeline", "host", "\"idle\"",
     BEGIN "\"host\":7,\"name\":\"idle\",\"cluster\":\"default\",\"state\":\"on\",\"cpu\":8.0,"
           "\"cpu_used\":0.0,\"memory\":16384,\"memory_used\":0,\"vms\":0,\"operations\":[]}"},
    {"host-timeline", NULL, NULL,
     "{\"ok\":false,\"error\":\"host 5 does not exist\",\"code\":\"not-found\"}"},
    {"status", NULL, NULL,
     BEGIN "\"instance\":\"f00\",\"leases\":{\"waiting\":12,\"reserved\":3,\"starting\":1,"
           "\"running\":241,\"stopping\":2,\"parked\":4,\"ended\":0},\"late\":1,"
           "\"vms\":6,\"far_reservations\":{\"count\":4,\"largest\":[{\"lease\":3,\"user\":\"max\","
           "\"start\":\"2026-12-21T17:00:00Z\",\"cpu\":64.0,\"memory\":1024,"
           "\"waiting\":1}]},"
           "\"drains\":[" DRAINED "],\"daemon\":{"
           "\"version\":\"0.1.0\",\"started\":\"2026-11-21T11:48:00Z\","
           "\"opennebula\":{\"endpoint\":\"http://localhost:2633/RPC2\",\"last_poll\":"
           "\"2026-11-21T14:59:57Z\",\"reached\":true,\"clock_ahead\":-90,\"version\":\"6.10.5\","
           "\"role\":\"follower\",\"server\":1,\"raft_term\":7,\"acts\":false,"
           "\"acting_on\":\"front2\"},"
           "\"clock\":{\"set_by\":-40,\"noticed\":\"2026-11-21T14:55:00Z\","
           "\"while\":\"galernad was running\"},\"cpu_hours\":{\"of anna in staff\":12.5},"
           "\"figures\":{\"commands_under_way\":3}}}"},
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
    static int turned_away; /* in the process of the server */
    const char *name = json_string_value(json_object_get(request, "name"));

    if (name && strcmp(name, "patient") == 0 && turned_away++ == 0)
        return json_pack("{s:b, s:s, s:s}", "ok", 0, "error", "busy", "code", "not-ready");
    if (json_dump_file(request, context, JSON_SORT_KEYS) < 0)
        _exit(1);
    for (size_t i = 0; i < sizeof canned / sizeof *canned; i++)
        if (matches(&canned[i], request))
            return json_loads(canned[i].answer, 0, NULL);
    return json_pack("{s:b, s:s, s:s}", "ok", 0, "error", "not canned", "code", "failed");
}

int client_set_up(void **state)
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

int client_tear_down(void **state)
{
    struct fixture *fixture = *state;

    if (fixture->server)
        server_stop(fixture->server);
    directory_remove(fixture->directory);
    free(fixture);
    return 0;
}

void read_file(const char *path, char text[OUTPUT_MAX])
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
int run(struct fixture *fixture, const char *words)
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

void expect(struct fixture *fixture, const char *words, int code, const char *out)
{
    int result = run(fixture, words);

    if (result != code)
        fail_msg("galerna %s: exit code %d: %s", words, result, fixture->err);
    assert_string_equal(fixture->out, out);
}

void expect_error(struct fixture *fixture, const char *words, int code, const char *part)
{
    int result = run(fixture, words);

    if (result != code || !strstr(fixture->err, part))
        fail_msg("galerna %s: exit code %d: '%s' instead of '%s'", words, result, fixture->err,
                 part);
}
