/* What options mean, what is refused, and what the command line may change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "configuration/configuration.h"
#include "configuration/option.h"
#include "core/accounting.h"
#include "test/configuration/configuration_text.h"
#include "util/instant.h"

/* A file of Haizea's with all that it requires. */
static const char haizeas[] = "[general]\n"
                              "loglevel: STATUS\n"
                              "mode: simulated\n"
                              "lease-preparation: unmanaged\n"
                              "persistence-file: none\n"
                              "\n"
                              "[simulation]\n"
                              "clock: simulated\n"
                              "starttime: 2006-11-25 13:00:00\n"
                              "resources: 4  CPU:100 Memory:1024\n"
                              "imagetransfer-bandwidth: 100\n"
                              "\n"
                              "[scheduling]\n"
                              "mapper: greedy\n"
                              "policy-preemption: ar-preempts-everything\n"
                              "suspension: all\n"
                              "suspend-rate: 61.86\n"
                              "resume-rate: 66.27\n"
                              "\n"
                              "[accounting]\n"
                              "datafile: results.dat\n"
                              "probes: ar best-effort immediate cpu-utilization disk-usage\n"
                              "\n"
                              "[tracefile]\n"
                              "tracefile: a.lwf\n";

static struct configuration_list list;

static int end(void **state)
{
    configuration_list_finish(&list);
    return 0;
}

static struct configuration *read_with(const char *text,
                                       const struct configuration_overrides *overrides)
{
    struct error err = {0};

    configuration_list_finish(&list);
    if (configuration_of_text("folder/a.conf", text, overrides, &list, &err) < 0)
        fail_msg("refused: %s", err.text);
    assert_int_equal(list.n_items, 1);
    return list.items[0];
}

/* Haizea's file with lines added. */
static char *with(const char *more)
{
    static char text[8192];

    snprintf(text, sizeof text, "%s%s", haizeas, more);
    return text;
}

static void refused_with(const char *text, const struct configuration_overrides *overrides,
                         const char *words)
{
    struct error err = {0};

    configuration_list_finish(&list);
    if (configuration_of_text("a.conf", text, overrides, &list, &err) == 0)
        fail_msg("accepted, expected: %s", words);
    assert_int_equal(list.n_items, 0);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
}

static void refused(const char *more, const char *words)
{
    refused_with(with(more), NULL, words);
}

static void test_haizeas_file(void **state)
{
    const struct configuration *c = read_with(haizeas, NULL);

    assert_string_equal(c->name, "a");
    assert_true(c->is_haizea_file);
    assert_int_equal(c->mode, MODE_SIMULATED);
    assert_int_equal(c->compatibility, COMPATIBILITY_DEFAULT);
    assert_int_equal(c->start_time, 1164459600);
    assert_string_equal(c->resources, "4  CPU:100 Memory:1024");
    assert_string_equal(c->tracefile, "folder/a.lwf");
    assert_null(c->imagefile);
    assert_string_equal(c->policy_admission, "accept-all");
    assert_string_equal(c->policy_preemption, "ar-preempts-everything");
    assert_string_equal(c->policy_host_selection, "greedy");
    assert_true(c->settings.suspend_rate == 61.86);
    assert_true(c->settings.resume_rate == 66.27);
    assert_int_equal(c->settings.transfer_bandwidth, 100);
    assert_int_equal(c->settings.suspension, SUSPENSION_ALL);
    assert_int_equal(c->stop_when, STOP_ALL_LEASES_DONE);
    assert_int_equal(c->n_cancellations, 0);
}

static void test_haizeas_defaults(void **state)
{
    const struct configuration *c = read_with(haizeas, NULL);

    assert_int_equal(c->settings.backfilling, BACKFILLING_OFF);
    assert_int_equal(c->settings.exclusion, EXCLUSION_LOCAL);
    assert_int_equal(c->settings.migration, MIGRATION_NO);
    assert_true(c->settings.scheduling_threshold_factor == 1);
    assert_true(c->settings.force_scheduling_threshold == SPAN_NONE);
    assert_true(c->settings.override_suspend_time == SPAN_NONE);
    assert_int_equal(c->settings.shutdown_time, 0);
    assert_int_equal(c->settings.enactment_overhead, 0);
    assert_true(c->settings.avoid_redundant_transfers);
    assert_true(c->settings.force_transfer_time == SPAN_NONE);
    assert_int_equal(c->settings.image_reuse, IMAGE_REUSE_NONE);
    assert_int_equal(c->add_overhead, 0);
    assert_int_equal(c->override_memory, -1);
    assert_int_equal(c->wakeup_interval, 60);
    assert_int_equal(c->non_schedulable_interval, 10);
    assert_int_equal(c->opennebula_port, 2633);
}

static void test_every_class_of_option(void **state)
{
    const struct configuration *c = read_with(
        with("imagefile: /abs/images\ninjectionfile: sub/inj.lwf\nadd-overhead: besteffort\n"
             "runtime-slowdown-overhead: 2.5\nbootshutdown-overhead: 1:00:30\n"
             "override-memory: 512\n"
             "[scheduling]\nbackfilling = intermediate\nbackfilling-reservations: 3\n"
             "suspendresume-exclusion: global\nmigration: yes-notransfer\n"
             "force-scheduling-threshold: 90\nscheduling-threshold-factor: 2\n"
             "[simulation]\nstop-when: besteffort-done\n"
             "[general]\nlease-preparation: imagetransfer\n"
             "[deploy-imagetransfer]\ntransfer-mechanism: multicast\n"
             "avoid-redundant-transfers: Off\ndiskimage-reuse: image-caches\n"
             "diskimage-cache-size: 4096\n"),
        NULL);

    assert_string_equal(c->imagefile, "/abs/images");
    assert_string_equal(c->injectionfile, "folder/sub/inj.lwf");
    assert_int_equal(c->add_overhead, 2);
    assert_true(c->slowdown_overhead == 2.5);
    assert_int_equal(c->bootshutdown_overhead, 3630);
    assert_int_equal(c->override_memory, 512);
    assert_int_equal(c->settings.backfilling, BACKFILLING_INTERMEDIATE);
    assert_int_equal(c->settings.backfilling_reservations, 3);
    assert_int_equal(c->settings.exclusion, EXCLUSION_GLOBAL);
    assert_int_equal(c->settings.migration, MIGRATION_YES_NOTRANSFER);
    assert_int_equal(c->settings.force_scheduling_threshold, 90);
    assert_true(c->settings.scheduling_threshold_factor == 2);
    assert_int_equal(c->stop_when, STOP_BESTEFFORT_DONE);
    assert_int_equal(c->settings.preparation, PREPARATION_IMAGE_TRANSFER);
    assert_int_equal(c->settings.transfer_mechanism, TRANSFER_MULTICAST);
    assert_false(c->settings.avoid_redundant_transfers);
    assert_int_equal(c->settings.image_reuse, IMAGE_REUSE_CACHES);
    assert_int_equal(c->settings.image_cache_size, 4096);
}

static void test_unknown_names_get_a_suggestion(void **state)
{
    refused("[scheduling]\nbackfiling: off\n",
            "a.conf:27: unknown option 'backfiling' in section [scheduling], did you mean "
            "'backfilling'?");
    refused("[schedulling]\nbackfilling: off\n",
            "a.conf:26: unknown section [schedulling], did you mean 'scheduling'?");
    refused("[whatever]\n", "a.conf:26: unknown section [whatever]");
    refused("[tracefile]\nbackfilling: off\n",
            "the option 'backfilling' belongs in section [scheduling], not [tracefile]");
    refused("[accounting]\nprobes: ar best-efort\n",
            "a.conf:27: unknown accounting probe 'best-efort', did you mean 'best-effort'?");
    refused("[scheduling]\nfair-shares: user:5=2, group=3\n",
            "a.conf:27: fair-shares: 'group=3': expected user:ID=SHARES or group:ID=SHARES");
    refused("[scheduling]\nfair-shares: user:5=0\n", "fair-shares: 'user:5=0': expected");
    refused("[scheduling]\nfair-shares: user:99999999999=1\n", "expected user:ID=SHARES");
    refused("[scheduling]\nfair-shares: user:5=2 group:5=2,user:5=3\n",
            "fair-shares: 'user:5=3': its shares are already set");
    refused("[scheduling]\nfair-share: yes\n", "expected one of no, users, groups");
}

#define COUNTER(name) (1u << COUNTER_##name)

/* Who names no probe in a file of Haizea's gets no counter, as there; elsewhere all are kept. */
static void test_probes(void **state)
{
    const struct configuration_overrides best_effort = {
        .set = (const char *[]){"accounting.probes=best-effort, disk-usage"}, .n_set = 1};
    const struct configuration_overrides none = {.set = (const char *[]){"accounting.probes="},
                                                 .n_set = 1};
    uint32_t all = (1u << ACCOUNTING_COUNTERS) - 1;
    char text[sizeof haizeas], *probes;

    assert_int_equal(read_with("[galerna]\n", NULL)->counters_left_out, 0);
    assert_int_equal(read_with("[galerna]\n", &none)->counters_left_out, all);
    assert_int_equal(
        read_with("[galerna]\n", &best_effort)->counters_left_out,
        all & ~(COUNTER(BEST_EFFORT_COMPLETED) | COUNTER(QUEUE_SIZE) | COUNTER(DISK_USAGE)));
    snprintf(text, sizeof text, "%s", haizeas);
    assert_int_equal(read_with(text, NULL)->counters_left_out, 0);
    probes = strstr(text, "probes:");
    memset(probes, '#', strcspn(probes, "\n"));
    assert_int_equal(read_with(text, NULL)->counters_left_out, all);
}

/* [DEFAULT] sets what a section leaves out, and what no section knows is no error. */
static void test_defaults_of_all_sections(void **state)
{
    struct configuration *configuration =
        read_with("[DEFAULT]\nhome: /traces\nshutdown-time: 7\n[galerna]\n[scheduling]\n"
                  "[tracefile]\ntracefile: %(home)s/a.lwf\n[policy greedy]\n",
                  NULL);

    assert_string_equal(configuration->tracefile, "/traces/a.lwf");
    assert_int_equal(configuration->settings.shutdown_time, 7);
    assert_int_equal(configuration->n_policy_settings, 0);
}

static void test_wrong_values(void **state)
{
    refused("[scheduling]\nbackfilling: agressive\n",
            "a.conf:27: scheduling.backfilling is 'agressive', expected one of off, aggressive, "
            "conservative, intermediate, did you mean 'aggressive'?");
    refused("[scheduling]\nsuspend-rate: fast\n",
            "a.conf:27: scheduling.suspend-rate is 'fast', expected a number, 0 or more");
    refused("[scheduling]\nshutdown-time: -1\n", "expected seconds, or a duration such as 15m");
    refused("[scheduling]\nshutdown-time: 1:62\n", "scheduling.shutdown-time is '1:62'");
    refused("[scheduling]\nshutdown-time: 5 # inline\n",
            "scheduling.shutdown-time is '5 # inline'");
    refused("[scheduling]\nshutdown-time: 99999999999999999999\n", "scheduling.shutdown-time");
    refused("[scheduling]\nshutdown-time: 200000000000\n", ", 0 or more, at most 100000000000");
    refused("[scheduling]\nsuspend-rate: nan\n", "scheduling.suspend-rate is 'nan'");
    refused("[scheduling]\nsuspend-rate: inf\n", "scheduling.suspend-rate is 'inf'");
    refused("[simulation]\nstarttime: yesterday\n", "expected YYYY-MM-DD HH:MM:SS");
    refused("[simulation]\nimagetransfer-bandwidth: 1.5\n", "expected a whole number, 1 or more");
    refused("[deploy-imagetransfer]\ntransfer-mechanism: unicast\n"
            "avoid-redundant-transfers: maybe\n",
            "expected yes or no");
    refused("[opennebula]\nport: 70000\n", "expected a whole number from 1 to 65535");
    refused("[tracefile]\ntracefile:\n", "expected a file name");
}

static void test_what_must_go_together(void **state)
{
    refused("[scheduling]\nbackfilling: intermediate\n", "backfilling-reservations");
    refused("[scheduling]\nsuspend-rate: 0\n",
            "a.conf:27: scheduling.suspend-rate is 0, but suspension needs a rate above 0");
    read_with(with("[scheduling]\nsuspend-rate: 0\nsuspension: none\n"), NULL);
    refused("[deploy-imagetransfer]\navoid-redundant-transfers: no\n",
            "the option 'transfer-mechanism' is missing in section [deploy-imagetransfer]");
}

/* Haizea's file without the line that begins with `line`. */
static const char *without(const char *line)
{
    static char text[sizeof haizeas];
    const char *found = strstr(haizeas, line), *rest = strchr(found, '\n') + 1;

    snprintf(text, sizeof text, "%.*s%s", (int)(found - haizeas), haizeas, rest);
    return text;
}

static void test_required_options(void **state)
{
    static const char *const needed[] = {
        "mode",      "suspension", "suspend-rate", "resume-rate",
        "resources", "starttime",  "tracefile",    "imagetransfer-bandwidth"};
    char line[64], words[96];

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        snprintf(line, sizeof line, "%s:", needed[i]);
        snprintf(words, sizeof words, "a.conf: the option '%s' is missing in section [", needed[i]);
        refused_with(without(line), NULL, words);
    }
    refused_with("[general]\nmode: simulated\n", NULL,
                 "a.conf: the section [scheduling] is missing");
    read_with("[general]\nmode: opennebula\n", NULL);
    read_with("[galerna]\n", NULL);
    /* The command line may give what the file lacks. */
    assert_string_equal(read_with(without("resources:"),
                                  &(struct configuration_overrides){.site = "2,cpu=1,memory=1"})
                            ->resources,
                        "2,cpu=1,memory=1");
}

static void test_galernas_file(void **state)
{
    const struct configuration *c =
        read_with("[galerna]\ncompatibility: haizea-1.0\nseed: 7\nmodule-path: a:b\n", NULL);

    assert_false(c->is_haizea_file);
    assert_int_equal(c->compatibility, COMPATIBILITY_HAIZEA_1_0);
    assert_true(c->settings.behaviour.preempt_needless_victims);
    assert_int_equal(c->settings.backfilling, BACKFILLING_AGGRESSIVE);
    assert_int_equal(c->settings.seed, 7);
    assert_string_equal(c->module_path, "a:b");
    assert_true(c->start_time == INSTANT_NONE);
    assert_null(c->tracefile);
}

static void test_class_names_are_explained(void **state)
{
    refused("[scheduling]\npolicy-host-selection: haizea.policies.greedy.GreedyPolicy\n",
            "a.conf:27: scheduling.policy-host-selection names "
            "'haizea.policies.greedy.GreedyPolicy', a Python class of Haizea");
    refused("[scheduling]\nmapper: haizea.core.Mapper\n", "a Python class of Haizea");
    refused("[scheduling]\nmapper: other\n", "unknown mapper 'other', expected greedy");
    assert_string_equal(
        read_with(with("[scheduling]\npolicy-host-selection: greedy*2,./own.so\n"), NULL)
            ->policy_host_selection,
        "greedy*2,./own.so");
    /* Its weight is refused when the module is loaded. */
    assert_string_equal(
        read_with(with("[scheduling]\npolicy-preemption: mov*0.5\n"), NULL)->policy_preemption,
        "mov*0.5");
}

static void test_names_of_haizea_1_1(void **state)
{
    const struct configuration *c =
        read_with(with("[scheduling]\nmapper: deadline\npolicy-preemption: deadline\n"
                       "policy-pricing: free\n[accounting]\nprobes: lease lease-extras ar price\n"
                       "[pricing]\nrate: 0.1\n"),
                  NULL);

    assert_string_equal(c->policy_preemption, "ar-preempts-everything");
}

static void test_oracle(void **state)
{
    const struct configuration *c =
        read_with(with("[oracle]\ncancel: 3@600 4@900\n  1@20\n"), NULL);

    assert_int_equal(c->n_cancellations, 3);
    assert_int_equal(c->cancellations[0].lease, 1);
    assert_int_equal(c->cancellations[0].at, 20);
    assert_int_equal(c->cancellations[2].lease, 4);
    assert_int_equal(c->cancellations[2].at, 900);
    refused("[oracle]\ncancel: 3@600 4\n", "a.conf:27: oracle.cancel has '4', expected");
    refused("[oracle]\ncancel: 0@5\n", "a.conf:27: oracle.cancel has '0@5'");
    refused("[oracle]\ncancel: 1@-5\n", "a.conf:27: oracle.cancel");
    refused("[oracle]\ncancell: 1@5\n", "unknown option 'cancell'");
}

static void test_policy_sections(void **state)
{
    const char *set[] = {"policy.pack.weight=9"};
    const struct configuration *c =
        read_with(with("[policy greedy]\nDepth: 3\n[policy.pack]\nweight: 4\n"),
                  &(struct configuration_overrides){.set = set, .n_set = 1});

    assert_int_equal(c->n_policy_settings, 3);
    assert_string_equal(c->policy_settings[0].policy, "greedy");
    assert_string_equal(c->policy_settings[0].name, "depth");
    assert_string_equal(c->policy_settings[0].value, "3");
    assert_int_equal(c->policy_settings[0].line, 27);
    assert_string_equal(c->policy_settings[1].policy, "pack");
    assert_string_equal(c->policy_settings[2].policy, "pack");
    assert_string_equal(c->policy_settings[2].value, "9");
    assert_int_equal(c->policy_settings[2].line, 0);
}

static void test_set(void **state)
{
    const char *set[] = {"scheduling.backfilling=conservative", "simulation.resources=1,cpu=1"};
    const char *wrong[] = {"scheduling.backfilling=never"};
    const char *unknown[] = {"scheduling.backfill=off"};
    const char *section[] = {"schedule.backfilling=off"};
    const char *shapes[] = {"backfilling=off", "scheduling.backfilling", "scheduling.=x", ".x=y"};
    const struct configuration *c =
        read_with(haizeas, &(struct configuration_overrides){.set = set,
                                                             .n_set = 2,
                                                             .compatibility = "haizea-1.0",
                                                             .site = "8,cpu=100,memory=64",
                                                             .trace = "here/b.swf"});

    assert_int_equal(c->settings.backfilling, BACKFILLING_CONSERVATIVE);
    assert_string_equal(c->resources, "8,cpu=100,memory=64");
    assert_string_equal(c->tracefile, "here/b.swf");
    assert_int_equal(c->compatibility, COMPATIBILITY_HAIZEA_1_0);
    refused_with(haizeas, &(struct configuration_overrides){.set = wrong, .n_set = 1},
                 "--set: scheduling.backfilling is 'never', expected one of");
    refused_with(haizeas, &(struct configuration_overrides){.set = unknown, .n_set = 1},
                 "--set: unknown option 'backfill' in section [scheduling]");
    refused_with(haizeas, &(struct configuration_overrides){.set = section, .n_set = 1},
                 "--set: unknown section [schedule], did you mean 'scheduling'?");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        refused_with(haizeas, &(struct configuration_overrides){.set = &shapes[i], .n_set = 1},
                     "expected section.option=value");
    refused_with(haizeas, &(struct configuration_overrides){.compatibility = "haizea"},
                 "--compatibility: galerna.compatibility is 'haizea'");
}

static void test_set_makes_no_file_galernas(void **state)
{
    const char *set[] = {"galerna.seed=3"};

    refused_with(
        without("suspension:"),
        &(struct configuration_overrides){.set = set, .n_set = 1, .compatibility = "haizea-1.0"},
        "the option 'suspension' is missing");
}

static void test_without_a_file(void **state)
{
    struct error err = {0};

    assert_int_equal(configuration_read(NULL, NULL, &list, &err), 0);
    assert_int_equal(list.n_items, 1);
    assert_int_equal(list.items[0]->settings.backfilling, BACKFILLING_AGGRESSIVE);
    assert_null(list.items[0]->file);
    assert_null(list.items[0]->resources);
}

static void test_table_is_sound(void **state)
{
    for (size_t i = 0; i < option_count; i++) {
        const struct configuration_option *option = &option_table[i];

        assert_ptr_equal(option_find(option->section, option->name), option);
        assert_true(strlen(option->meaning) > 5);
        assert_true((option->type == OPTION_WORD) == (option->words != NULL));
        assert_true(option->type == OPTION_ACCEPTED || option->offset > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_probes, end),
        cmocka_unit_test_teardown(test_defaults_of_all_sections, end),
        cmocka_unit_test_teardown(test_haizeas_file, end),
        cmocka_unit_test_teardown(test_haizeas_defaults, end),
        cmocka_unit_test_teardown(test_every_class_of_option, end),
        cmocka_unit_test_teardown(test_unknown_names_get_a_suggestion, end),
        cmocka_unit_test_teardown(test_wrong_values, end),
        cmocka_unit_test_teardown(test_what_must_go_together, end),
        cmocka_unit_test_teardown(test_required_options, end),
        cmocka_unit_test_teardown(test_galernas_file, end),
        cmocka_unit_test_teardown(test_class_names_are_explained, end),
        cmocka_unit_test_teardown(test_names_of_haizea_1_1, end),
        cmocka_unit_test_teardown(test_oracle, end),
        cmocka_unit_test_teardown(test_policy_sections, end),
        cmocka_unit_test_teardown(test_set, end),
        cmocka_unit_test_teardown(test_set_makes_no_file_galernas, end),
        cmocka_unit_test_teardown(test_without_a_file, end),
        cmocka_unit_test_teardown(test_table_is_sound, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
