/* What the daemon makes of its configuration, and where it keeps its things. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "configuration/configuration.h"
#include "util/unqualified.h"

static char path[] = "live-XXXXXX.conf";
static struct configuration *configuration;

static int begin(void **state)
{
    int fd;

    strcpy(path, "live-XXXXXX.conf");
    fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    close(fd);
    return 0;
}

static int end(void **state)
{
    configuration_destroy(configuration);
    configuration = NULL;
    unlink(path);
    return 0;
}

static int try_to_read(const char *text, struct error *err)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    configuration_destroy(configuration);
    configuration = live_configuration_read(path, NULL, err);
    return configuration ? 0 : -1;
}

static const struct live_configuration *live_of(const char *text)
{
    struct error err = {0};

    if (try_to_read(text, &err) < 0)
        fail_msg("refused: %s", err.text);
    return &configuration->live;
}

static void refused(const char *text, const char *line, const char *words)
{
    struct error err = {0};
    char where[64];

    snprintf(where, sizeof where, "%s:%s: ", path, line);
    if (try_to_read(text, &err) == 0)
        fail_msg("accepted, expected: %s", words);
    if (!strstr(err.text, where) || !strstr(err.text, words))
        fail_msg("'%s' does not say '%s' and '%s'", err.text, where, words);
}

static void test_one_line_is_enough(void **state)
{
    const struct live_configuration *live = live_of("[opennebula]\npoll-interval: 3\n");

    assert_int_equal(configuration->mode, MODE_OPENNEBULA);
    assert_int_equal(live->poll_interval, 3);
    assert_string_equal(configuration->policy_preemption, "ar-preempts-everything");
    assert_int_equal(configuration->settings.backfilling, BACKFILLING_AGGRESSIVE);
    assert_int_equal(configuration->counters_left_out, 0);
    assert_null(live->endpoint);
    assert_null(live->auth_file);
    assert_false(live->allow_plaintext);
    assert_true(live->leader_check);
    assert_true(live->exclusive);
    assert_true(live->enforce);
    assert_int_equal(live->suspend_with, SUSPEND_WITH_STOP);
    assert_int_equal(live->end_action, END_TERMINATE);
    assert_true(live->unlock);
    assert_int_equal(live->refusal, REFUSAL_HOLD);
    assert_int_equal(live->plain_vms, PLAIN_BEST_EFFORT);
    assert_int_equal(live->host_policy, LIVE_HOSTS_MODULES);
    assert_int_equal(live->boot_time, 0);
    assert_null(live->record);
}

static void test_everything_set(void **state)
{
    const struct live_configuration *live = live_of(
        "[opennebula]\nendpoint: https://one:2634/RPC2\nauth-file: auth\n"
        "allow-plaintext: yes\nca-file: /etc/ca.pem\ntimeout: 0:01:00\nanswer-limit: "
        "10\nmemory-limit: 100\n"
        "parallel-calls: 3\nleader-check: no\nexclusive: no\nsubmit-on-hold: yes\n"
        "actions-per-host: 2\nactions-in-all: 9\nstuck-after: 8\nretry-limit: 4\nretry-backoff: 7\n"
        "boot-time: 45\nlive-rescheds: no\nstart-in-front: 120\ncold-moves: "
        "poweroff\nsuspend-with: "
        "suspend\nend-action: poweroff\n"
        "end-warning: 60\nunlock: no\n"
        "refusal: message\nplain-vms: ignore\ngroup-timeout: -1\nhost-policy: load-aware\n"
        "memory-system-ds-scale: 1.5\ndry-run: yes\n"
        "[daemon]\nstate-dir: state\ncontrol-socket: /run/x\ncontrol-group: users\n"
        "record: r.lwf\nlog-level: debug\nhistory-keep: 1:00:00:00\n"
        "[http]\nlisten: [::1]:9750\n");

    assert_string_equal(live->endpoint, "https://one:2634/RPC2");
    assert_string_equal(live->auth_file, "auth");
    assert_true(live->allow_plaintext);
    assert_int_equal(live->timeout, 60);
    assert_int_equal(live->answer_limit, 10);
    assert_int_equal(live->memory_limit, 100);
    assert_int_equal(live->parallel_calls, 3);
    assert_false(live->leader_check);
    assert_false(live->exclusive);
    assert_true(live->submit_on_hold);
    assert_false(live->live_rescheds);
    assert_int_equal(live->start_in_front, 120);
    assert_int_equal(live->cold_moves, COLD_MOVES_POWEROFF);
    assert_int_equal(live->actions_per_host, 2);
    assert_int_equal(live->actions_in_all, 9);
    assert_int_equal(live->stuck_after, 8);
    assert_int_equal(live->retry_limit, 4);
    assert_int_equal(live->retry_backoff, 7);
    assert_int_equal(live->boot_time, 45);
    assert_int_equal(live->suspend_with, SUSPEND_WITH_SUSPEND);
    assert_false(live->enforce); /* nothing would fit beside a suspended VM */
    assert_int_equal(live->end_action, END_POWEROFF);
    assert_false(live->unlock);
    assert_int_equal(live->end_warning, 60);
    assert_int_equal(live->refusal, REFUSAL_MESSAGE);
    assert_int_equal(live->plain_vms, PLAIN_IGNORE);
    assert_int_equal(live->group_timeout, GROUP_TIMEOUT_NEVER);
    assert_int_equal(live->host_policy, LIVE_HOSTS_LOAD_AWARE);
    assert_true(live->memory_scale == 1.5);
    assert_true(live->dry_run);
    assert_string_equal(live->state_dir, "state");
    assert_string_equal(live->control_socket, "/run/x");
    assert_string_equal(live->control_group, "users");
    assert_int_equal(live->log_level, LOG_LEVEL_DEBUG);
    assert_int_equal(live->history_keep, 86400);
    assert_string_equal(live->http_listen, "[::1]:9750");
}

static void test_host_policies_by_number(void **state)
{
    assert_int_equal(live_of("[opennebula]\nhost-policy: 0\n")->host_policy, LIVE_HOSTS_PACKING);
    assert_int_equal(live_of("[opennebula]\nhost-policy: 1\n")->host_policy, LIVE_HOSTS_STRIPING);
    assert_int_equal(live_of("[opennebula]\nhost-policy: 2\n")->host_policy, LIVE_HOSTS_LOAD_AWARE);
    assert_int_equal(live_of("[opennebula]\nhost-policy: 3\nrank: FREE_CPU\n")->host_policy,
                     LIVE_HOSTS_CUSTOM);
    assert_int_equal(live_of("[opennebula]\nhost-policy: 4\n")->host_policy, LIVE_HOSTS_FIXED);
    assert_int_equal(live_of("[opennebula]\nrank: 2 * FREE_CPU\n")->host_policy, LIVE_HOSTS_CUSTOM);
    assert_string_equal(configuration->live.rank, "2 * FREE_CPU");
    assert_int_equal(live_of("[opennebula]\n")->datastore_policy, LIVE_PLACEMENT_STRIPING);
    assert_int_equal(live_of("[opennebula]\ndatastore-policy: 0\n")->datastore_policy,
                     LIVE_PLACEMENT_PACKING);
    assert_int_equal(live_of("[opennebula]\ndatastore-policy: fixed\n")->datastore_policy,
                     LIVE_PLACEMENT_FIXED);
    assert_int_equal(live_of("[opennebula]\ndatastore-rank: -FREE_MB\n")->datastore_policy,
                     LIVE_PLACEMENT_CUSTOM);
    assert_string_equal(configuration->live.datastore_rank, "-FREE_MB");
}

static void test_mistakes(void **state)
{
    refused("[opennebula]\n\npol-interval: 3\n", "3", "did you mean 'poll-interval'");
    refused("[opennebula]\npoll-interval: 0\n", "2", "poll-interval is '0'");
    refused("[opennebula]\nsuspend-with: pause\n", "2", "one of stop, suspend");
    refused("[opennebula]\nhost-policy: 5\n", "2", "host-policy is '5'");
    refused("[opennebula]\nhost-policy: custom\n", "2", "set opennebula.rank");
    refused("[opennebula]\nhost-policy: packing\nrank: FREE_CPU\n", "3", "host-policy: custom");
    refused("[opennebula]\nsuspend-with: suspend\nenforce: yes\n", "3", "suspend-with: stop");
    refused("[http]\nlisten: 0.0.0.0:9750\n", "2", "not a loopback address");
    refused("[daemon]\npoll-interval: 3\n", "2", "belongs in section [opennebula]");
    refused("[demon]\n", "1", "did you mean 'daemon'");
    refused("[opennebula]\nparallel-calls: 65\n", "2", "from 1 to 64");
}

static void test_multi_is_for_replays(void **state)
{
    struct error err = {0};

    assert_int_equal(
        try_to_read("[multi]\ntracefiles: a.lwf\n[p:general]\nmode: simulated\n", &err), -1);
    assert_non_null(strstr(err.text, "[multi]"));
}

static void test_haizeas_keys(void **state)
{
    const struct live_configuration *live =
        live_of("[general]\nmode: opennebula\n[opennebula]\nhost: one.example.org\n"
                "stop-when-no-more-leases: no\ndry-run: true\n[scheduling]\nwakeup-interval: 25\n"
                "suspension: all\nsuspend-rate: 32\nresume-rate: 32\n[accounting]\n"
                "datafile: x\nprobes: ar\n");

    assert_string_equal(live->endpoint, "http://one.example.org:2633/RPC2");
    assert_int_equal(live->poll_interval, 25);
    assert_true(live->dry_run);
    /* A whole file of Haizea's: its defaults hold. */
    assert_string_equal(configuration->policy_preemption, "no-preemption");
    assert_int_equal(configuration->settings.backfilling, BACKFILLING_OFF);
}

static void test_own_keys_win_over_haizeas(void **state)
{
    const struct live_configuration *live =
        live_of("[opennebula]\nhost: a\nport: 9999\nendpoint: http://b/\npoll-interval: 5\n"
                "[scheduling]\nwakeup-interval: 25\n");

    assert_string_equal(live->endpoint, "http://b/");
    assert_int_equal(live->poll_interval, 5);
    assert_string_equal(live_of("[opennebula]\nhost: a\nport: 9999\n")->endpoint,
                        "http://a:9999/RPC2");
}

static void test_interactive_simulation(void **state)
{
    live_of("[general]\nmode: simulated\n[simulation]\nresources: 4 CPU:100 Memory:1024\n");
    assert_int_equal(configuration->mode, MODE_SIMULATED);
    assert_string_equal(configuration->policy_preemption, "ar-preempts-everything");
}

static void test_rights_are_left_to_the_daemon(void **state)
{
    live_of("[rights]\npriority: 0\n[rights group:students]\nreservations: no\n");
    assert_non_null(ini_find(&configuration->ini, "rights group:students", "reservations"));
    refused("[rightsx]\na: b\n", "1", "unknown section");
}

static void test_files_are_beside_the_configuration(void **state)
{
    struct error err = {0};
    char file[64];

    mkdir("live-folder", 0755);
    snprintf(file, sizeof file, "live-folder/a.conf");
    FILE *stream = fopen(file, "w");
    assert_non_null(stream);
    fputs("[daemon]\nrecord: r.lwf\nstate-dir: /var/x\n", stream);
    fclose(stream);
    configuration_destroy(configuration);
    configuration = live_configuration_read(file, NULL, &err);
    unlink(file);
    rmdir("live-folder");
    assert_non_null(configuration);
    assert_string_equal(configuration->live.record, "live-folder/r.lwf");
    assert_string_equal(configuration->live.state_dir, "/var/x");
}

static void test_missing_file(void **state)
{
    struct error err = {0};

    assert_null(live_configuration_read("no/such/file.conf", NULL, &err));
    assert_non_null(strstr(err.text, "no/such/file.conf"));
}

static void assert_text(char *text, const char *expected)
{
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void test_places(void **state)
{
    char here[PATH_MAX], absolute[PATH_MAX + 8];
    struct live_configuration live = {0}, set = {.state_dir = unqualified("/set"),
                                                 .control_socket = unqualified("/set.sock")};

    setenv("STATE_DIRECTORY", "/var/lib/one:/var/lib/two", 1);
    setenv("RUNTIME_DIRECTORY", "/run/one", 1);
    unsetenv("GALERNA_SOCKET");
    assert_text(live_state_directory(&live, NULL, NULL), "/var/lib/one");
    assert_text(live_state_directory(&live, "/wanted", NULL), "/wanted");
    assert_text(live_state_directory(&set, NULL, NULL), "/set");
    assert_non_null(getcwd(here, sizeof here));
    snprintf(absolute, sizeof absolute, "%s/wanted", here);
    assert_text(live_state_directory(&live, "wanted", NULL), absolute);
    assert_text(live_control_socket(&live, NULL, "/var/lib/one"), "/run/one/control.sock");
    assert_text(live_control_socket(&live, "/wanted", "/wanted"), "/wanted/control.sock");
    assert_text(live_control_socket(&set, NULL, "/set"), "/set.sock");
    assert_text(live_lock_directory(NULL), "/run/one");
    assert_text(live_client_socket(&set, NULL), "/set.sock");
    unsetenv("RUNTIME_DIRECTORY");
    assert_text(live_control_socket(&live, NULL, "/var/lib/one"), "/var/lib/one/control.sock");
    setenv("GALERNA_SOCKET", "/told.sock", 1);
    assert_text(live_client_socket(&set, NULL), "/told.sock");
    unsetenv("GALERNA_SOCKET");
    unsetenv("STATE_DIRECTORY");
}

/* The sample that is shipped says what holds without it. */
static void test_sample(void **state)
{
    struct error err = {0};
    struct configuration *sample = live_configuration_read(SAMPLE, NULL, &err);
    struct live_configuration defaults;

    if (!sample)
        fail_msg("%s", err.text);
    defaults = *live_of("");
    assert_int_equal(sample->live.poll_interval, defaults.poll_interval);
    assert_int_equal(sample->live.actions_per_host, defaults.actions_per_host);
    assert_int_equal(sample->live.end_action, defaults.end_action);
    assert_int_equal(sample->live.suspend_with, defaults.suspend_with);
    assert_string_equal(sample->policy_preemption, configuration->policy_preemption);
    configuration_destroy(sample);
}

/* So does what is commented out: it is right, and mostly the default. */
static void test_sample_uncommented(void **state)
{
    static char text[16384], line[256];
    const struct live_configuration *live;
    struct live_configuration defaults;
    FILE *file = fopen(SAMPLE, "r");
    size_t n = 0;

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        bool is_option = line[0] == '#' && line[1] != ' ' && !strstr(line, "rank:");

        n += (size_t)snprintf(text + n, sizeof text - n, "%s", line + is_option);
        assert_true(n < sizeof text);
    }
    fclose(file);
    defaults = *live_of("");
    defaults.endpoint = NULL;
    live = live_of(text);
    assert_non_null(live->endpoint);
    assert_int_equal(live->timeout, defaults.timeout);
    assert_int_equal(live->answer_limit, defaults.answer_limit);
    assert_int_equal(live->memory_limit, defaults.memory_limit);
    assert_int_equal(live->parallel_calls, defaults.parallel_calls);
    assert_int_equal(live->actions_per_host, defaults.actions_per_host);
    assert_int_equal(live->actions_in_all, defaults.actions_in_all);
    assert_int_equal(live->stuck_after, defaults.stuck_after);
    assert_int_equal(live->retry_limit, defaults.retry_limit);
    assert_int_equal(live->retry_backoff, defaults.retry_backoff);
    assert_int_equal(live->boot_time, defaults.boot_time);
    assert_int_equal(live->suspend_with, defaults.suspend_with);
    assert_int_equal(live->enforce, defaults.enforce);
    assert_int_equal(live->end_warning, defaults.end_warning);
    assert_int_equal(live->refusal, defaults.refusal);
    assert_int_equal(live->plain_vms, defaults.plain_vms);
    assert_int_equal(live->group_timeout, defaults.group_timeout);
    assert_int_equal(live->host_policy, defaults.host_policy);
    assert_int_equal(live->submit_on_hold, defaults.submit_on_hold);
    assert_int_equal(live->leader_check, defaults.leader_check);
    assert_int_equal(live->exclusive, defaults.exclusive);
    assert_int_equal(live->log_level, defaults.log_level);
    assert_int_equal(live->history_keep, defaults.history_keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_line_is_enough, begin, end),
        cmocka_unit_test_setup_teardown(test_everything_set, begin, end),
        cmocka_unit_test_setup_teardown(test_host_policies_by_number, begin, end),
        cmocka_unit_test_setup_teardown(test_mistakes, begin, end),
        cmocka_unit_test_setup_teardown(test_multi_is_for_replays, begin, end),
        cmocka_unit_test_setup_teardown(test_haizeas_keys, begin, end),
        cmocka_unit_test_setup_teardown(test_own_keys_win_over_haizeas, begin, end),
        cmocka_unit_test_setup_teardown(test_interactive_simulation, begin, end),
        cmocka_unit_test_setup_teardown(test_rights_are_left_to_the_daemon, begin, end),
        cmocka_unit_test_setup_teardown(test_files_are_beside_the_configuration, begin, end),
        cmocka_unit_test_setup_teardown(test_missing_file, begin, end),
        cmocka_unit_test_setup_teardown(test_places, begin, end),
        cmocka_unit_test_setup_teardown(test_sample, begin, end),
        cmocka_unit_test_setup_teardown(test_sample_uncommented, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
