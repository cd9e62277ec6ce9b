/* setup.h: checks the setup of an OpenNebula for Galerna, and lists necessary changes.
 *
 * 6.x: the stock scheduler is a separate service and must be off. 7.x: oned calls a scheduler
 * through SCHED_MAD; Galerna's drivers (place, optimize) answer with empty plans. Facts are read
 * over XML-RPC if possible; processes and files are checked only if visible, and otherwise reported
 * as unknown.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/opennebula/rpc.h"
#include "util/error.h"

enum {
    SETUP_NAME_MAX = 64,
    SETUP_TEXT_MAX = 512,
    SETUP_FRONT_ENDS_MAX = 16,
    SETUP_FINDINGS_MAX = 13 + SETUP_FRONT_ENDS_MAX
};

enum setup_answer { SETUP_NO, SETUP_YES, SETUP_UNKNOWN };

/* A front-end of the zone, with what its galernad published (daemon/live/front_end.h). */
struct setup_front_end {
    int32_t server;
    char name[SETUP_NAME_MAX]; /* as the zone has it */
    bool registered;           /* the following is known */
    char host[SETUP_NAME_MAX];
    int64_t age; /* seconds since it published, if the clocks agree */
    char key[SETUP_NAME_MAX], configuration[SETUP_NAME_MAX];
    char *options;
};

/* Known facts about an OpenNebula. Texts are "" if missing. */
struct setup_facts {
    char version[SETUP_NAME_MAX];        /* "7.4.0" */
    int major;                           /* 6, 7; 0: unknown */
    bool config_known;                   /* one.system.config was readable */
    char config_refusal[SETUP_TEXT_MAX]; /* why not */
    char user[SETUP_NAME_MAX];
    enum setup_answer administrator; /* of group 0, with all rights */
    enum setup_answer leads;         /* the only front-end, or the leader of its zone */
    char raft_state[SETUP_NAME_MAX];
    int32_t server; /* Raft's number of this oned in its zone; -1: the only one, or unknown */
    char acting_host[SETUP_NAME_MAX];          /* host of the last active galernad */
    char acting_configuration[SETUP_NAME_MAX]; /* its fingerprint */
    char acting_key[SETUP_NAME_MAX];           /* fingerprint of its key of promises */
    struct setup_front_end front_ends[SETUP_FRONT_ENDS_MAX];
    size_t n_front_ends; /* 0: cannot be read, or a zone of one */
    bool submit_on_hold;
    int32_t zone; /* of a federation; 0: none, or unknown */
    /* 7.x */
    char placement[SETUP_NAME_MAX], optimization[SETUP_NAME_MAX]; /* of SCHED_MAD: -p, -o */
    long drs_interval;                                            /* seconds; -1: off */
    char remote[SETUP_NAME_MAX];          /* name or address in an endpoint on another machine */
    enum setup_answer connection_allowed; /* galernad's unit allows connections to other machines */
    /* Facts about this machine, if OpenNebula runs on it. */
    bool local;
    enum setup_answer stock_scheduler_runs; /* 6.x: a process mm_sched */
    enum setup_answer stock_scheduler_off;  /* its unit is masked or missing */
    enum setup_answer drivers_installed; /* 7.x: place and optimize of `placement` are Galerna's */
    enum setup_answer files_installed;   /* those of a driver named galerna are Galerna's */
};

/* Galerna's own settings. */
struct setup_settings {
    bool submit_on_hold;     /* opennebula.submit-on-hold */
    bool one_at_a_time;      /* opennebula.exclusive and opennebula.leader-check */
    bool dry_run;            /* opennebula.dry-run */
    const char *fingerprint; /* of galerna.conf */
    const char *options;     /* configuration_digests() of galerna.conf */
    const char *key;         /* the fingerprint of the key of promises; NULL: cannot be read */
    const char *key_file;    /* the path of the key, or why it cannot be read */
    const char *files;       /* the folder with place and optimize, as installed */
};

enum setup_verdict { SETUP_RIGHT, SETUP_WRONG, SETUP_UNSEEN };

#define SETUP_RESTART "systemctl restart opennebula"

/* A finding; findings are in the order of their remedies. */
struct setup_finding {
    const char *word; /* stable: "version", "scheduler", ... */
    enum setup_verdict verdict;
    char text[SETUP_TEXT_MAX];   /* what was found */
    char remedy[SETUP_TEXT_MAX]; /* lines of a shell or of oned.conf; "": none */
    bool restarts_oned;          /* SETUP_RESTART follows, once for all findings */
};

void setup_facts_init(struct setup_facts *facts);
void setup_facts_finish(struct setup_facts *facts);

/* Read the answers of one.system.version and one.system.config. -1: an invalid document. */
int setup_read_version(struct setup_facts *facts, const char *version, struct error *err);
int setup_read_config(struct setup_facts *facts, const char *document, size_t length,
                      struct error *err);

/* Reads the front-ends of the zone from the answer of one.zone.info; none from an invalid one. */
void setup_read_zone(struct setup_facts *facts, const char *document, size_t length);

/* Queries oned for all facts, synchronously. -1 with err if not even its version can be read (no
 * connection, wrong password, ...). */
int setup_ask(struct setup_facts *facts, struct rpc *rpc, struct error *err);

/* Examines processes and files of this machine, below `root` ("" except in tests). */
void setup_look_around(struct setup_facts *facts, const char *root);

/* Is a unit of systemd unable to start: masked, or not installed? */
enum setup_answer setup_unit_is_off(const char *root, const char *unit);
bool setup_unit_is_masked(const char *root, const char *unit);

/* Judges the facts: fills findings and returns their number. Wrong ones have a remedy. */
size_t setup_judge(const struct setup_facts *facts, const struct setup_settings *settings,
                   struct setup_finding findings[SETUP_FINDINGS_MAX]);

/* "right", "wrong", "not checked". */
const char *setup_verdict_name(enum setup_verdict verdict);
