/* Judges the setup of an OpenNebula for Galerna. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "adapters/opennebula/setup.h"
#include "configuration/difference.h"

#define OUR_DRIVER "galerna"

#define DRIVER_FOLDER "/var/lib/one/remotes/scheduler/" OUR_DRIVER

enum { STALE = 180 /* seconds: galernad registers every minute */ };

struct judgement {
    const struct setup_facts *facts;
    const struct setup_settings *settings;
    struct setup_finding *findings;
    size_t n;
};

__attribute__((format(printf, 5, 6))) static void found(struct judgement *judgement,
                                                        const char *word,
                                                        enum setup_verdict verdict,
                                                        const char *remedy, const char *format, ...)
{
    struct setup_finding *finding = &judgement->findings[judgement->n++];
    va_list args;

    finding->word = word;
    finding->verdict = verdict;
    va_start(args, format);
    vsnprintf(finding->text, sizeof finding->text, format, args);
    va_end(args);
    snprintf(finding->remedy, sizeof finding->remedy, "%s", remedy);
}

/* The remedy of the last finding takes effect when oned is restarted. */
static void restarts_oned(struct judgement *judgement)
{
    judgement->findings[judgement->n - 1].restarts_oned = true;
}

static void judge_version(struct judgement *judgement)
{
    const struct setup_facts *facts = judgement->facts;

    if (facts->major == 6 || facts->major == 7)
        found(judgement, "version", SETUP_RIGHT, "", "OpenNebula %s", facts->version);
    else
        found(judgement, "version", SETUP_WRONG, "",
              "OpenNebula %s is not supported: Galerna needs 6.x or 7.x", facts->version);
}

static void judge_user(struct judgement *judgement)
{
    const struct setup_facts *facts = judgement->facts;
    const char *remedy = "oneuser chgrp USER oneadmin   # or use oneadmin's credentials";

    switch (facts->administrator) {
    case SETUP_YES:
        found(judgement, "user", SETUP_RIGHT, "", "%s is an administrator", facts->user);
        break;
    case SETUP_NO:
        found(judgement, "user", SETUP_WRONG, remedy,
              "%s is not an administrator (group oneadmin): it cannot see or deploy the VMs of "
              "other users",
              facts->user);
        break;
    case SETUP_UNKNOWN:
        found(judgement, "user", SETUP_UNSEEN, "",
              "OpenNebula does not report the user of these credentials");
        break;
    }
}

static void judge_leader(struct judgement *judgement)
{
    const struct setup_facts *facts = judgement->facts;

    if (facts->leads == SETUP_YES)
        found(judgement, "leader", SETUP_RIGHT, "",
              "this oned is standalone or the leader of its zone (%s)", facts->raft_state);
    else if (facts->leads == SETUP_NO && strcmp(facts->raft_state, "follower") == 0)
        found(judgement, "leader", SETUP_RIGHT, "",
              "this oned follows the leader of its zone: galernad is passive here until this oned "
              "is elected; run galernad on every front-end");
    else if (facts->leads == SETUP_NO)
        found(judgement, "leader", SETUP_WRONG,
              "onezone show 0   # more than half of the servers must be leader or follower",
              "this oned finds no leader of its zone (%s): galernad sends no commands",
              facts->raft_state);
    else
        found(judgement, "leader", SETUP_UNSEEN, "",
              "OpenNebula does not report whether this oned is the leader of its zone");
}

/* A zone of several front-ends: each galernad follows the election of its own oned. */
static void judge_front_end(struct judgement *judgement)
{
    const struct setup_facts *facts = judgement->facts;

    if (facts->server < 0)
        return;
    if (facts->remote[0])
        found(judgement, "front-end", SETUP_WRONG,
              "endpoint: http://localhost:2633/RPC2   # in galerna.conf, section [opennebula], on "
              "each front-end",
              "the zone has several front-ends, and the endpoint %s is not the loopback address of "
              "this machine's oned: a floating address may move to another oned unnoticed",
              facts->remote);
    else if (!judgement->settings->one_at_a_time)
        found(judgement, "front-end", SETUP_WRONG,
              "exclusive: yes      # in galerna.conf, section [opennebula]\nleader-check: yes",
              "the zone has several front-ends, and exclusive or leader-check is off: two galernad "
              "could be active at the same time");
    else if (judgement->settings->dry_run)
        found(judgement, "front-end", SETUP_WRONG,
              "dry-run: no   # in galerna.conf, section [opennebula]\nsystemctl restart galernad",
              "dry-run is on: the galernad of this front-end does not register, and would send no "
              "commands if this oned led the zone");
    else
        found(judgement, "front-end", SETUP_RIGHT, "",
              "galernad uses the oned of this machine, server %" PRId32 " of its zone",
              facts->server);
}

/* The fingerprints only show that configurations differ, not the differences. */
static void judge_same_configuration(struct judgement *judgement)
{
    const struct setup_facts *facts = judgement->facts;

    if (facts->server < 0)
        return;
    if (!facts->acting_configuration[0])
        found(judgement, "same", SETUP_UNSEEN, "",
              "no galernad has registered its configuration and key in this zone yet: start one, "
              "and run 'galerna setup --check' again");
    else if (strcmp(facts->acting_configuration, judgement->settings->fingerprint) == 0)
        found(judgement, "same", SETUP_RIGHT, "",
              "galerna.conf is the same as that of the active galernad on %s", facts->acting_host);
    else
        found(judgement, "same", SETUP_WRONG,
              "scp FRONT-END:/etc/galerna/galerna.conf /etc/galerna/\nsystemctl reload galernad",
              "galerna.conf differs from that of the active galernad on %s: this front-end would "
              "use other rules",
              facts->acting_host);
}

/* A front-end with another key cannot verify promises. */
static void judge_same_key(struct judgement *judgement)
{
    const struct setup_facts *facts = judgement->facts;
    const struct setup_settings *settings = judgement->settings;

    if (facts->server < 0 || !facts->acting_key[0])
        return;
    if (!settings->key)
        found(judgement, "key", SETUP_UNSEEN, "",
              "whether the promise key matches that of the active galernad on %s: %.255s",
              facts->acting_host, settings->key_file);
    else if (strcmp(facts->acting_key, settings->key) == 0)
        found(judgement, "key", SETUP_RIGHT, "",
              "the promise key is the same as that of the active galernad on %s",
              facts->acting_host);
    else
        found(judgement, "key", SETUP_WRONG,
              "systemctl stop galernad   # then copy the file promise-key of that front-end here\n"
              "systemctl start galernad",
              "%.255s is not the key of the active galernad on %s: its promises would not be "
              "recognized here",
              settings->key_file, facts->acting_host);
}

static bool is_registered_here(const struct setup_facts *facts)
{
    for (size_t i = 0; i < facts->n_front_ends; i++)
        if (facts->front_ends[i].server == facts->server)
            return facts->front_ends[i].registered;
    return false;
}

static void judge_registered(struct judgement *judgement, const struct setup_front_end *there)
{
    const struct setup_settings *settings = judgement->settings;
    bool here = there->server == judgement->facts->server;
    char options[SETUP_TEXT_MAX / 2];

    configuration_name_differences(settings->options, there->options, options, sizeof options);
    if (there->age > STALE)
        found(
            judgement, "front-ends", SETUP_WRONG, "systemctl status galernad   # there",
            "the galernad on %s (server %" PRId32 ") has not registered for %" PRId64
            " minutes: it is not running, dry-run is on there, or its oned does not reach the zone",
            there->host, there->server, there->age / 60);
    else if (strcmp(there->configuration, settings->fingerprint) != 0 && here)
        found(judgement, "front-ends", SETUP_WRONG, "systemctl reload galernad   # or restart",
              "the galernad of this front-end runs with other options than galerna.conf has: %s",
              options);
    else if (strcmp(there->configuration, settings->fingerprint) != 0)
        found(
            judgement, "front-ends", SETUP_WRONG,
            "scp /etc/galerna/galerna.conf FRONT-END:/etc/galerna/\nsystemctl reload galernad   # "
            "there",
            "galerna.conf on %s (server %" PRId32 ") has other options: %s", there->host,
            there->server, options);
    else if (settings->key && strcmp(there->key, settings->key) != 0)
        found(
            judgement, "front-ends", SETUP_WRONG,
            "systemctl stop galernad   # there; then copy the file promise-key of this front-end\n"
            "systemctl start galernad   # there",
            "the promise key of %s (server %" PRId32 ") differs from the key here", there->host,
            there->server);
    else
        found(judgement, "front-ends", SETUP_RIGHT, "",
              "the galernad on %s (server %" PRId32 ") has the same galerna.conf%s", there->host,
              there->server, settings->key ? " and promise key" : "");
}

/* Compares all front-ends of the zone with this one. */
static void judge_front_ends(struct judgement *judgement)
{
    const struct setup_facts *facts = judgement->facts;
    bool runs_here = is_registered_here(facts);

    if (facts->server >= 0 && facts->n_front_ends == 0)
        found(judgement, "front-ends", SETUP_UNSEEN, "",
              "OpenNebula does not list the front-ends of the zone");
    for (size_t i = 0; i < facts->n_front_ends; i++) {
        const struct setup_front_end *there = &facts->front_ends[i];

        if (there->registered)
            judge_registered(judgement, there);
        else
            found(judgement, "front-ends", runs_here ? SETUP_WRONG : SETUP_UNSEEN,
                  runs_here ? "systemctl enable --now galernad   # there" : "",
                  "no galernad has registered on the front-end %s (server %" PRId32 ")%s",
                  there->name, there->server,
                  runs_here ? ": it is not running, or dry-run is on there" : " yet");
    }
}

/* 6.x: oned starts the stock scheduler's unit with itself unless it is masked. */
static void judge_stock_scheduler(struct judgement *judgement)
{
    const struct setup_facts *facts = judgement->facts;
    const char *remedy = "systemctl mask --now opennebula-scheduler";

    if (facts->stock_scheduler_runs == SETUP_YES)
        found(judgement, "scheduler", SETUP_WRONG, remedy,
              "OpenNebula's own scheduler (mm_sched) is running: both schedulers would place VMs");
    else if (facts->stock_scheduler_runs == SETUP_UNKNOWN)
        found(judgement, "scheduler", SETUP_UNSEEN, remedy,
              "whether OpenNebula's own scheduler (mm_sched) is running can only be checked on the "
              "front-end: run 'galerna setup --check' there");
    else if (facts->stock_scheduler_off == SETUP_NO)
        found(judgement, "scheduler", SETUP_WRONG, remedy,
              "OpenNebula's own scheduler (mm_sched) is not running, but will start with the "
              "service opennebula unless it is masked");
    else
        found(judgement, "scheduler", SETUP_RIGHT, "",
              "OpenNebula's own scheduler (mm_sched) is not running");
}

/* The folders must exist where they are needed: oned exits at startup if it does not find the
 * folder that -p names. */
static void judge_drivers(struct judgement *judgement)
{
    const struct setup_facts *facts = judgement->facts;
    bool named = !strcmp(facts->placement, OUR_DRIVER) || facts->drivers_installed == SETUP_YES;
    enum setup_answer there = named ? facts->drivers_installed : facts->files_installed;
    const char *files = judgement->settings->files ? judgement->settings->files : ".";
    char remedy[SETUP_TEXT_MAX];

    snprintf(remedy, sizeof remedy,
             "install -o oneadmin -d " DRIVER_FOLDER "\n"
             "install -o oneadmin -m 755 %.120s/place %.120s/optimize \\\n    " DRIVER_FOLDER,
             files, files);
    if (there == SETUP_YES)
        found(judgement, "drivers", SETUP_RIGHT, "", "place and optimize are installed");
    else if (there == SETUP_UNKNOWN)
        found(judgement, "drivers", SETUP_UNSEEN, remedy,
              "the files place and optimize can only be checked on the front-end: run 'galerna "
              "setup --check' there");
    else if (named || strcmp(facts->placement, "dummy") != 0) /* the dummy driver is correct, too */
        found(judgement, "drivers", SETUP_WRONG, remedy,
              "place and optimize are not in " DRIVER_FOLDER
              ", or are not Galerna's; oned does not start with -p " OUR_DRIVER " without them");
}

/* 7.x: checks the driver that oned calls to place VMs. OpenNebula's own `dummy` places no VMs
 * either. */
static void judge_placement(struct judgement *judgement)
{
    const struct setup_facts *facts = judgement->facts;
    const char *remedy =
        "SCHED_MAD = [ EXECUTABLE = \"one_sched\", ARGUMENTS = \"-t 15 -p " OUR_DRIVER
        " -o " OUR_DRIVER "\" ]   # in oned.conf";

    if (!strcmp(facts->placement, OUR_DRIVER) || facts->drivers_installed == SETUP_YES) {
        found(judgement, "placement", SETUP_RIGHT, "", "oned leaves placement to Galerna (-p %s)",
              facts->placement);
        return;
    }
    if (!strcmp(facts->placement, "dummy"))
        found(judgement, "placement", SETUP_RIGHT, remedy,
              "oned does not place VMs (-p dummy), but logs an error at each run and does not "
              "notify galernad: Galerna's driver is recommended");
    else
        found(judgement, "placement", SETUP_WRONG, remedy,
              "oned places VMs itself: SCHED_MAD has -p %s",
              facts->placement[0] ? facts->placement : "missing");
    restarts_oned(judgement);
}

static void judge_optimization(struct judgement *judgement)
{
    const struct setup_facts *facts = judgement->facts;

    if (facts->drs_interval == -1) {
        found(judgement, "optimization", SETUP_RIGHT, "", "oned does not migrate VMs on its own");
        return;
    }
    found(judgement, "optimization", SETUP_WRONG, "DRS_INTERVAL = -1   # in oned.conf",
          "oned may migrate VMs on its own: DRS_INTERVAL is %ld s", facts->drs_interval);
    restarts_oned(judgement);
}

static void judge_submission(struct judgement *judgement)
{
    const struct setup_facts *facts = judgement->facts;
    bool set = judgement->settings->submit_on_hold;

    if (facts->submit_on_hold == set) {
        found(judgement, "submission", SETUP_RIGHT, "",
              "oned.conf and galerna.conf agree: new VMs are %s", set ? "on hold" : "pending");
    } else if (facts->submit_on_hold) {
        found(judgement, "submission", SETUP_WRONG,
              "submit-on-hold: yes   # in galerna.conf, section [opennebula]",
              "new VMs are on hold (VM_SUBMIT_ON_HOLD), and Galerna would not release them");
    } else {
        found(judgement, "submission", SETUP_WRONG, "VM_SUBMIT_ON_HOLD = \"YES\"   # in oned.conf",
              "galerna.conf sets submit-on-hold, but new VMs are pending");
        restarts_oned(judgement);
    }
}

/* The unit of galernad allows connections to this machine only. */
static void judge_connection(struct judgement *judgement)
{
    const struct setup_facts *facts = judgement->facts;
    bool is_address =
        facts->remote[strspn(facts->remote, "0123456789.")] == '\0' || strchr(facts->remote, ':');
    char remedy[SETUP_TEXT_MAX];

    if (!facts->remote[0])
        return;
    snprintf(remedy, sizeof remedy,
             "systemctl edit galernad   # and add these lines%s%s%s:\n[Service]\nIPAddressAllow=%s",
             is_address ? "" : ", with the address of ", is_address ? "" : facts->remote,
             is_address ? "" : " and of the name server", is_address ? facts->remote : "ADDRESS");
    if (facts->connection_allowed == SETUP_YES)
        found(judgement, "connection", SETUP_RIGHT, "",
              "the service galernad allows connections to other machines");
    else
        found(
            judgement, "connection",
            facts->connection_allowed == SETUP_NO ? SETUP_WRONG : SETUP_UNSEEN, remedy,
            "the service galernad allows connections to this machine only, and the endpoint is on "
            "%s",
            facts->remote);
}

size_t setup_judge(const struct setup_facts *facts, const struct setup_settings *settings,
                   struct setup_finding findings[SETUP_FINDINGS_MAX])
{
    struct judgement judgement = {.facts = facts, .settings = settings, .findings = findings};

    judge_version(&judgement);
    judge_user(&judgement);
    judge_leader(&judgement);
    judge_front_end(&judgement);
    judge_same_configuration(&judgement);
    judge_same_key(&judgement);
    judge_front_ends(&judgement);
    judge_connection(&judgement);
    if (facts->major <= 6)
        judge_stock_scheduler(&judgement);
    if (!facts->config_known) {
        found(&judgement, "configuration", SETUP_UNSEEN, "",
              "oned's configuration cannot be read: %s", facts->config_refusal);
        return judgement.n;
    }
    if (facts->major >= 7) {
        judge_drivers(&judgement); /* in the order of the steps */
        judge_placement(&judgement);
        judge_optimization(&judgement);
    }
    judge_submission(&judgement);
    return judgement.n;
}

const char *setup_verdict_name(enum setup_verdict verdict)
{
    static const char *const names[] = {
        [SETUP_RIGHT] = "right", [SETUP_WRONG] = "wrong", [SETUP_UNSEEN] = "not checked"};

    return names[verdict];
}
