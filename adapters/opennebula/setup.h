/* setup.h: checks whether an OpenNebula is set up for Galerna, and what has to be changed.
 *
 * 6.x: the stock scheduler is a service of its own and must be off. 7.x: oned itself calls a
 * scheduler through SCHED_MAD; ours (place, optimize) answers empty plans. Everything oned reveals
 * is read over XML-RPC; processes and files are checked only where visible, and otherwise reported
 * as unknown.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/opennebula/rpc.h"
#include "util/error.h"

enum { SETUP_NAME_MAX = 64, SETUP_TEXT_MAX = 512, SETUP_FINDINGS_MAX = 12 };

enum setup_answer { SETUP_NO, SETUP_YES, SETUP_UNKNOWN };

/* Known facts about an OpenNebula. Texts are "" if missing. */
struct setup_facts {
    char version[SETUP_NAME_MAX];        /* "7.4.0" */
    int major;                           /* 6, 7; 0: not understood */
    bool config_known;                   /* one.system.config was readable */
    char config_refusal[SETUP_TEXT_MAX]; /* why not */
    char user[SETUP_NAME_MAX];
    enum setup_answer administrator; /* of group 0: may deploy and see everything */
    enum setup_answer leads;         /* alone or leader of its zone */
    char raft_state[SETUP_NAME_MAX];
    int32_t server; /* Raft's number for this oned in its zone; -1: alone, or not known */
    char acting_host[SETUP_NAME_MAX];          /* where a galernad acts, or acted last */
    char acting_configuration[SETUP_NAME_MAX]; /* the fingerprint of that one's */
    char acting_key[SETUP_NAME_MAX];           /* and of its key of promises */
    bool submit_on_hold;
    int32_t zone; /* of a federation; 0: alone, or not known */
    /* 7.x */
    char placement[SETUP_NAME_MAX], optimization[SETUP_NAME_MAX]; /* of SCHED_MAD: -p, -o */
    long drs_interval;                                            /* seconds; -1: off */
    char remote[SETUP_NAME_MAX];          /* name or address in an endpoint on another machine */
    enum setup_answer connection_allowed; /* galernad's unit allows connections to other machines */
    /* Seen on this machine, when it is OpenNebula's. */
    bool local;
    enum setup_answer stock_scheduler_runs; /* 6.x: a process mm_sched */
    enum setup_answer stock_scheduler_off;  /* its unit is masked, or not there */
    enum setup_answer drivers_installed;    /* 7.x: place and optimize of `placement` are ours */
    enum setup_answer files_installed;      /* the same of a driver named galerna */
};

/* Galerna's own settings. */
struct setup_settings {
    bool submit_on_hold;     /* opennebula.submit-on-hold */
    bool one_at_a_time;      /* opennebula.exclusive and opennebula.leader-check */
    const char *fingerprint; /* of galerna.conf */
    const char *key;         /* the fingerprint of the key of promises; NULL: cannot be read */
    const char *key_file;    /* where that key is, or why it cannot be read */
    const char *files;       /* the folder with place and optimize, as installed */
};

enum setup_verdict { SETUP_RIGHT, SETUP_WRONG, SETUP_UNSEEN };

/* The last line of remedies that ask for it: once is enough for all. */
#define SETUP_RESTART "systemctl restart opennebula"

/* In the order in which the remedies are to be carried out. */
struct setup_finding {
    const char *word; /* stable: "version", "scheduler", ... */
    enum setup_verdict verdict;
    char text[SETUP_TEXT_MAX];   /* what was found */
    char remedy[SETUP_TEXT_MAX]; /* lines of a shell or of oned.conf; "" when there is none */
};

void setup_facts_init(struct setup_facts *facts);

/* Take over what one.system.version and one.system.config answered. -1: the document is none. */
int setup_read_version(struct setup_facts *facts, const char *version, struct error *err);
int setup_read_config(struct setup_facts *facts, const char *document, size_t length,
                      struct error *err);

/* Queries oned for everything, synchronously. -1 with err if not even its version can be read (no
 * connection, wrong password, ...); *reply then says why (its texts are not valid). */
int setup_ask(struct setup_facts *facts, struct rpc *rpc, struct rpc_reply *reply,
              struct error *err);

/* Look at processes and files of this machine: below `root` ("" but in tests). */
void setup_look_around(struct setup_facts *facts, const char *root);

/* Is a unit of systemd unable to start: masked, or not installed? */
enum setup_answer setup_unit_is_off(const char *root, const char *unit);

/* Judge; fills findings, returns how many. Wrong ones have a remedy. */
size_t setup_judge(const struct setup_facts *facts, const struct setup_settings *settings,
                   struct setup_finding findings[SETUP_FINDINGS_MAX]);

/* "right", "wrong", "not checked". */
const char *setup_verdict_name(enum setup_verdict verdict);
