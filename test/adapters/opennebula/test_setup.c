/* What is found right and wrong about an OpenNebula: recorded configurations of 6.10 and 7.4, and
 * front-ends made of a few files. */
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

#include "adapters/opennebula/setup.h"

static struct setup_facts facts;
static struct setup_finding findings[SETUP_FINDINGS_MAX];
static size_t n_findings;
static char root[64];

static int begin(void **state)
{
    setup_facts_init(&facts);
    snprintf(root, sizeof root, "setup.XXXXXX");
    assert_non_null(mkdtemp(root));
    return 0;
}

static int end(void **state)
{
    char command[128];

    setup_facts_finish(&facts);
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void read_recorded(const char *version, const char *name)
{
    char path[512], *text = calloc(1, 1 << 18);
    struct error err = {0};
    FILE *file;
    size_t n;

    snprintf(path, sizeof path, "%s/setup/%s", SOURCE_FOLDER, name);
    file = fopen(path, "r");
    assert_non_null(file);
    n = fread(text, 1, (1 << 18) - 1, file);
    fclose(file);
    assert_int_equal(setup_read_version(&facts, version, &err), 0);
    if (setup_read_config(&facts, text, n, &err) < 0)
        fail_msg("%s", err.text);
    free(text);
    facts.administrator = SETUP_YES;
    facts.leads = SETUP_YES;
    snprintf(facts.user, sizeof facts.user, "oneadmin");
    snprintf(facts.raft_state, sizeof facts.raft_state, "SOLO");
}

static bool two_at_a_time, dry_run;
static const char *key = "fedcba9876543210";

static void judge(bool submit_on_hold)
{
    struct setup_settings settings = {.submit_on_hold = submit_on_hold,
                                      .fingerprint = "0123456789abcdef",
                                      .options = "opennebula/retry-limit=01234567;",
                                      .key = key,
                                      .key_file = "/etc/galerna/promise.key",
                                      .one_at_a_time = !two_at_a_time,
                                      .dry_run = dry_run};

    n_findings = setup_judge(&facts, &settings, findings);
    assert_true(n_findings > 0 && n_findings <= SETUP_FINDINGS_MAX);
}

static const struct setup_finding *finding(const char *word)
{
    for (size_t i = 0; i < n_findings; i++)
        if (!strcmp(findings[i].word, word))
            return &findings[i];
    fail_msg("nothing was found about %s", word);
    return NULL;
}

static void assert_finding(const char *word, enum setup_verdict verdict, const char *text,
                           const char *remedy)
{
    const struct setup_finding *found = finding(word);

    assert_int_equal(found->verdict, verdict);
    if (!strstr(found->text, text))
        fail_msg("%s: '%s' does not say '%s'", word, found->text, text);
    if (!strstr(found->remedy, remedy))
        fail_msg("%s: '%s' does not say '%s'", word, found->remedy, remedy);
}

/* A file of the front-end, with the folders above it. */
static void put(const char *path, const char *text, mode_t mode)
{
    char whole[256];
    FILE *file;

    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0755);
        *slash = '/';
    }
    file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    chmod(whole, mode);
}

static void test_config_6_10(void **state)
{
    read_recorded("6.10.5", "config-6.10.xml");
    assert_int_equal(facts.major, 6);
    assert_true(facts.config_known);
    assert_false(facts.submit_on_hold);
    assert_string_equal(facts.placement, "");
    judge(false);
    assert_finding("version", SETUP_RIGHT, "6.10.5", "");
    assert_finding("user", SETUP_RIGHT, "oneadmin", "");
    assert_finding("leader", SETUP_RIGHT, "SOLO", "");
    assert_finding("submission", SETUP_RIGHT, "pending", "");
    assert_finding("scheduler", SETUP_UNSEEN, "mm_sched", "systemctl mask --now");
    for (size_t i = 0; i < n_findings; i++)
        assert_string_not_equal(findings[i].word, "placement");
}

static void test_config_7_4(void **state)
{
    read_recorded("7.4.0", "config-7.4.xml");
    assert_int_equal(facts.major, 7);
    assert_string_equal(facts.placement, "dummy");
    assert_string_equal(facts.optimization, "dummy");
    assert_int_equal(facts.drs_interval, -1);
    judge(false);
    assert_finding("placement", SETUP_RIGHT, "dummy", "-p galerna -o galerna");
    assert_finding("optimization", SETUP_RIGHT, "", "");
    assert_finding("drivers", SETUP_UNSEEN, "on the front-end", "install ");
}

static void read_text(const char *version, const char *config)
{
    assert_int_equal(setup_read_version(&facts, version, NULL), 0);
    assert_int_equal(setup_read_config(&facts, config, strlen(config), NULL), 0);
}

static void test_zone(void **state)
{
    static const struct {
        const char *text;
        int zone;
    } zones[] = {{"100", 100}, {"0", 0}, {"-1", 0}, {"1x", 0}, {"99999999999", 0}};
    char config[300];

    read_recorded("7.4.0", "config-7.4.xml");
    assert_int_equal(facts.zone, 0);
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        setup_facts_init(&facts);
        snprintf(config, sizeof config,
                 "<OPENNEBULA_CONFIGURATION><ZONE_ID>7</ZONE_ID><FEDERATION><MODE>SLAVE</MODE>"
                 "<ZONE_ID><![CDATA[%s]]></ZONE_ID></FEDERATION></OPENNEBULA_CONFIGURATION>",
                 zones[i].text);
        read_text("7.4.0", config);
        assert_int_equal(facts.zone, zones[i].zone);
    }
}

static void test_stock_7(void **state)
{
    read_text("7.0.1", "<OPENNEBULA_CONFIGURATION><DRS_INTERVAL>600</DRS_INTERVAL><SCHED_MAD>"
                       "<ARGUMENTS>-t 15  -p rank -o one_drs</ARGUMENTS></SCHED_MAD>"
                       "<IM_MAD><ARGUMENTS>-p other</ARGUMENTS></IM_MAD>"
                       "<VM_SUBMIT_ON_HOLD>YES</VM_SUBMIT_ON_HOLD></OPENNEBULA_CONFIGURATION>");
    judge(false);
    assert_finding("placement", SETUP_WRONG, "-p rank", "-p galerna");
    assert_finding("optimization", SETUP_WRONG, "600 s", "DRS_INTERVAL = -1");
    assert_finding("submission", SETUP_WRONG, "VM_SUBMIT_ON_HOLD", "submit-on-hold: yes");
    assert_finding("leader", SETUP_UNSEEN, "", "");
}

static void test_submission_the_other_way(void **state)
{
    read_text("6.8.0", "<OPENNEBULA_CONFIGURATION><VM_SUBMIT_ON_HOLD><![CDATA[NO]]>"
                       "</VM_SUBMIT_ON_HOLD></OPENNEBULA_CONFIGURATION>");
    judge(true);
    assert_finding("submission", SETUP_WRONG, "submit-on-hold", "VM_SUBMIT_ON_HOLD = \"YES\"");
}

static void test_drivers_on_the_front_end(void **state)
{
    read_text("7.4.0", "<OPENNEBULA_CONFIGURATION><SCHED_MAD><ARGUMENTS>-p galerna -o galerna"
                       "</ARGUMENTS></SCHED_MAD></OPENNEBULA_CONFIGURATION>");
    facts.local = true;
    setup_look_around(&facts, root);
    judge(false);
    assert_finding("placement", SETUP_RIGHT, "-p galerna", "");
    assert_finding("drivers", SETUP_WRONG, "not in", "install ");

    put("/var/lib/one/remotes/scheduler/galerna/place", "#!/bin/sh\n# galernad does\n", 0755);
    put("/var/lib/one/remotes/scheduler/galerna/optimize", "#!/bin/sh\n# galernad does\n", 0644);
    setup_look_around(&facts, root);
    judge(false);
    assert_finding("drivers", SETUP_WRONG, "not in", "install ");

    put("/var/lib/one/remotes/scheduler/galerna/optimize", "#!/bin/sh\n# galernad does\n", 0755);
    setup_look_around(&facts, root);
    judge(false);
    assert_finding("drivers", SETUP_RIGHT, "installed", "");
}

/* oned does not start with a driver that is not there: the files come first. */
static void test_files_come_before_the_configuration(void **state)
{
    read_text("7.4.0", "<OPENNEBULA_CONFIGURATION><SCHED_MAD><ARGUMENTS>-p rank -o one_drs"
                       "</ARGUMENTS></SCHED_MAD></OPENNEBULA_CONFIGURATION>");
    facts.local = true;
    put("/var/lib/one/remotes/scheduler/rank/place", "#!/bin/ruby\n", 0755);
    setup_look_around(&facts, root);
    judge(false);
    assert_finding("drivers", SETUP_WRONG, "without them", "install ");
    assert_true(finding("drivers") < finding("placement"));
    assert_finding("placement", SETUP_WRONG, "-p rank", "in oned.conf");
    assert_true(finding("placement")->restarts_oned);

    put("/var/lib/one/remotes/scheduler/galerna/place", "#!/bin/sh\n# galernad does\n", 0755);
    put("/var/lib/one/remotes/scheduler/galerna/optimize", "#!/bin/sh\n# galernad does\n", 0755);
    setup_look_around(&facts, root);
    judge(false);
    assert_finding("drivers", SETUP_RIGHT, "installed", "");
    assert_finding("placement", SETUP_WRONG, "-p rank", "-p galerna");
}

static void test_mm_sched_on_the_front_end(void **state)
{
    char target[128];

    read_text("6.10.5", "<OPENNEBULA_CONFIGURATION/>");
    facts.local = true;
    put("/proc/1/comm", "systemd\n", 0644);
    put("/proc/77/comm", "mm_sched\n", 0644);
    put("/lib/systemd/system/opennebula-scheduler.service", "", 0644);
    put("/etc/systemd/system/x", "", 0644);
    setup_look_around(&facts, root);
    judge(false);
    assert_finding("scheduler", SETUP_WRONG, "is running",
                   "systemctl mask --now opennebula-scheduler");

    put("/proc/77/comm", "oned\n", 0644);
    setup_look_around(&facts, root);
    judge(false);
    assert_finding("scheduler", SETUP_WRONG, "will start", "systemctl mask");

    snprintf(target, sizeof target, "%s/etc/systemd/system/opennebula-scheduler.service", root);
    assert_int_equal(symlink("/dev/null", target), 0);
    setup_look_around(&facts, root);
    judge(false);
    assert_finding("scheduler", SETUP_RIGHT, "is not running", "");
}

static void test_no_mm_sched_at_all(void **state)
{
    read_text("6.10.5", "<OPENNEBULA_CONFIGURATION/>");
    facts.local = true;
    put("/proc/1/comm", "oned\n", 0644);
    setup_look_around(&facts, root);
    judge(false);
    assert_finding("scheduler", SETUP_RIGHT, "is not running", "");
}

static void test_not_local_means_not_looked_at(void **state)
{
    read_text("6.10.5", "<OPENNEBULA_CONFIGURATION/>");
    put("/proc/77/comm", "mm_sched\n", 0644);
    setup_look_around(&facts, root);
    judge(false);
    assert_finding("scheduler", SETUP_UNSEEN, "on the front-end", "");
}

static void test_endpoint_on_another_machine(void **state)
{
    read_text("7.4.0", "<OPENNEBULA_CONFIGURATION/>");
    snprintf(facts.remote, sizeof facts.remote, "192.0.2.7");
    setup_look_around(&facts, root);
    judge(false);
    assert_finding("connection", SETUP_UNSEEN, "this machine only", "IPAddressAllow=192.0.2.7");
    put("/lib/systemd/system/galernad.service", "[Service]\nIPAddressDeny=any\n", 0644);
    snprintf(facts.remote, sizeof facts.remote, "one.example.org");
    setup_look_around(&facts, root);
    judge(false);
    assert_finding("connection", SETUP_WRONG, "the endpoint is on one.example.org",
                   "the address of one.example.org and of the name server:\n[Service]\n"
                   "IPAddressAllow=ADDRESS");
    put("/etc/systemd/system/galernad.service.d/override.conf",
        "[Service]\nIPAddressAllow=192.0.2.7\n", 0644);
    setup_look_around(&facts, root);
    judge(false);
    assert_finding("connection", SETUP_RIGHT, "allows connections", "");
}

static void test_no_rights_and_no_leader(void **state)
{
    assert_int_equal(setup_read_version(&facts, "7.4.0", NULL), 0);
    facts.administrator = SETUP_NO;
    facts.leads = SETUP_NO;
    snprintf(facts.user, sizeof facts.user, "alice");
    snprintf(facts.raft_state, sizeof facts.raft_state, "candidate");
    snprintf(facts.config_refusal, sizeof facts.config_refusal, "not authorized");
    judge(false);
    assert_finding("user", SETUP_WRONG, "alice", "oneuser chgrp");
    assert_finding("leader", SETUP_WRONG, "candidate", "onezone show");
    assert_finding("configuration", SETUP_UNSEEN, "not authorized", "");
}

/* Each front-end of a zone is set up the same; all but one follow. */
static void test_a_zone_of_several_front_ends(void **state)
{
    assert_int_equal(setup_read_version(&facts, "7.4.0", NULL), 0);
    judge(false);
    for (size_t i = 0; i < n_findings; i++)
        assert_string_not_equal(findings[i].word, "front-end");
    facts.leads = SETUP_NO;
    facts.server = 2;
    snprintf(facts.raft_state, sizeof facts.raft_state, "follower");
    judge(false);
    assert_finding("leader", SETUP_RIGHT, "passive here until this oned is elected", "");
    assert_finding("front-end", SETUP_RIGHT, "server 2", "");
    assert_finding("same", SETUP_UNSEEN, "start one", "");
    snprintf(facts.acting_host, sizeof facts.acting_host, "front-1");
    snprintf(facts.acting_configuration, sizeof facts.acting_configuration, "0123456789abcdef");
    judge(false);
    assert_finding("same", SETUP_RIGHT, "the active galernad on front-1", "");
    facts.acting_configuration[0] = '1';
    judge(false);
    assert_finding("same", SETUP_WRONG, "differs from that of the active galernad", "galerna.conf");
    snprintf(facts.acting_key, sizeof facts.acting_key, "fedcba9876543210");
    judge(false);
    assert_finding("key", SETUP_RIGHT, "the active galernad on front-1", "");
    key = "another";
    judge(false);
    assert_finding("key", SETUP_WRONG, "/etc/galerna/promise.key is not the key", "copy the file");
    key = NULL;
    judge(false);
    assert_finding("key", SETUP_UNSEEN, "/etc/galerna/promise.key", "");
    two_at_a_time = true;
    judge(false);
    two_at_a_time = false;
    assert_finding("front-end", SETUP_WRONG, "two galernad could be active", "leader-check: yes");
    dry_run = true;
    judge(false);
    dry_run = false;
    assert_finding("front-end", SETUP_WRONG, "dry-run is on", "dry-run: no");
    snprintf(facts.remote, sizeof facts.remote, "cloud.example.org");
    judge(false);
    assert_finding("front-end", SETUP_WRONG, "cloud.example.org", "http://localhost:2633/RPC2");
}

/* What the galernad on that front-end published. */
static struct setup_front_end *registered(size_t i, const char *host)
{
    struct setup_front_end *there = &facts.front_ends[i];

    there->registered = true;
    there->age = 60;
    snprintf(there->host, sizeof there->host, "%s", host);
    snprintf(there->key, sizeof there->key, "fedcba9876543210");
    snprintf(there->configuration, sizeof there->configuration, "0123456789abcdef");
    there->options = strdup("opennebula/retry-limit=01234567;");
    return there;
}

static void test_all_front_ends_are_compared(void **state)
{
    static const char zone[] =
        "<ZONE><ID>0</ID><NAME>OpenNebula</NAME><SERVER_POOL>"
        "<SERVER><ENDPOINT><![CDATA[http://a]]></ENDPOINT><ID><![CDATA[0]]></ID>"
        "<NAME><![CDATA[front-0]]></NAME></SERVER>"
        "<SERVER><ID>1</ID><NAME>front-1</NAME></SERVER></SERVER_POOL></ZONE>";
    static const char user[] =
        "<USER><SERVER_POOL><SERVER><ID>5</ID></SERVER></SERVER_POOL></USER>";
    struct setup_front_end *there;

    key = "fedcba9876543210";
    assert_int_equal(setup_read_version(&facts, "7.4.0", NULL), 0);
    facts.server = 1;
    judge(false);
    assert_finding("front-ends", SETUP_UNSEEN, "does not list", "");
    setup_read_zone(&facts, zone, strlen(zone));
    assert_int_equal(facts.n_front_ends, 2);
    judge(false);
    assert_finding("front-ends", SETUP_UNSEEN, "on the front-end front-0 (server 0) yet", "");
    registered(1, "front-1.example.org");
    judge(false);
    assert_finding("front-ends", SETUP_WRONG, "no galernad has registered", "enable --now");
    there = registered(0, "front-0.example.org");
    judge(false);
    assert_finding("front-ends", SETUP_RIGHT, "front-0.example.org (server 0) has the same", "");
    there->key[0] = '0';
    judge(false);
    assert_finding("front-ends", SETUP_WRONG, "the promise key of front-0", "copy the file");
    there->configuration[0] = '1';
    there->options[strlen(there->options) - 2] = '8';
    judge(false);
    assert_finding("front-ends", SETUP_WRONG, "other options: opennebula/retry-limit", "scp");
    there->age = 600;
    judge(false);
    assert_finding("front-ends", SETUP_WRONG, "has not registered for 10 minutes", "");
    setup_read_zone(&facts, user, strlen(user));
    assert_int_equal(facts.n_front_ends, 2);
}

static void test_other_versions(void **state)
{
    read_text("5.12.0", "<OPENNEBULA_CONFIGURATION/>");
    judge(false);
    assert_finding("version", SETUP_WRONG, "5.12.0", "");
    assert_int_equal(setup_read_version(&facts, "", NULL), -1);
    assert_int_equal(setup_read_version(&facts, "devel", NULL), -1);
}

static void test_bad_documents(void **state)
{
    static const char *const bad[] = {
        "",
        "no document",
        "<OTHER/>",
        "<OPENNEBULA_CONFIGURATION>",
        "<!DOCTYPE OPENNEBULA_CONFIGURATION [<!ENTITY a 'b'>]><OPENNEBULA_CONFIGURATION>&a;"
        "</OPENNEBULA_CONFIGURATION>",
        "<OPENNEBULA_CONFIGURATION><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a/></a></a></a>"
        "</a></a></a></a></a></a></a></a></a></a></a></a></OPENNEBULA_CONFIGURATION>",
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err = {0};

        if (setup_read_config(&facts, bad[i], strlen(bad[i]), &err) == 0)
            fail_msg("taken for a configuration: %s", bad[i]);
        assert_true(err.text[0] != '\0');
        assert_false(facts.config_known);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_config_6_10, begin, end),
        cmocka_unit_test_setup_teardown(test_config_7_4, begin, end),
        cmocka_unit_test_setup_teardown(test_zone, begin, end),
        cmocka_unit_test_setup_teardown(test_stock_7, begin, end),
        cmocka_unit_test_setup_teardown(test_submission_the_other_way, begin, end),
        cmocka_unit_test_setup_teardown(test_drivers_on_the_front_end, begin, end),
        cmocka_unit_test_setup_teardown(test_files_come_before_the_configuration, begin, end),
        cmocka_unit_test_setup_teardown(test_mm_sched_on_the_front_end, begin, end),
        cmocka_unit_test_setup_teardown(test_no_mm_sched_at_all, begin, end),
        cmocka_unit_test_setup_teardown(test_not_local_means_not_looked_at, begin, end),
        cmocka_unit_test_setup_teardown(test_endpoint_on_another_machine, begin, end),
        cmocka_unit_test_setup_teardown(test_no_rights_and_no_leader, begin, end),
        cmocka_unit_test_setup_teardown(test_a_zone_of_several_front_ends, begin, end),
        cmocka_unit_test_setup_teardown(test_all_front_ends_are_compared, begin, end),
        cmocka_unit_test_setup_teardown(test_other_versions, begin, end),
        cmocka_unit_test_setup_teardown(test_bad_documents, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
