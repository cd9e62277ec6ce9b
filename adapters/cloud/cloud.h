/* cloud.h: the interface of the cloud that galernad schedules.
 *
 * adapters/opennebula/ and adapters/simulated/ implement it; a test can do so in a few lines. Calls
 * return at once. Their results are reported from within cloud_wait(), once for each call (the
 * answer to a question may come in parts: see cloud_answer.more) and in no particular order; a
 * result is valid during its callback, which may make new calls. Destroying the cloud drops open
 * calls without a callback. Not thread-safe.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/cloud/objects.h"
#include "adapters/cloud/vm_command.h"
#include "util/error.h"

struct cloud;

/* --- how a call ended ------------------------------------------------------------------------- */

/* Outcomes differ in whether the cloud may have carried out the call. */
enum cloud_outcome {
    CLOUD_DONE,
    CLOUD_REFUSED,  /* nothing was done: see enum cloud_refusal */
    CLOUD_NOT_SENT, /* no connection: nothing was done */
    CLOUD_UNKNOWN,  /* no whole answer: it may have been done */
};

/* The cause of a refusal. */
enum cloud_refusal {
    CLOUD_NO_VM,          /* the VM: it does not exist, cannot be recovered, ... */
    CLOUD_NO_STATE,       /* the VM is not in the expected state */
    CLOUD_NO_OWNER,       /* the owner: a quota or a network is used up, the VM is locked */
    CLOUD_NO_HOST,        /* the named host does not take the VM */
    CLOUD_NO_PERMISSION,  /* galernad may not do it */
    CLOUD_NO_CREDENTIALS, /* the cloud does not know galernad */
    CLOUD_NO_SERVICE,     /* the cloud is at fault */
    CLOUD_NO_RECORD,      /* the cloud cannot write what it would do with the VM */
};

struct cloud_reply {
    enum cloud_outcome outcome;
    enum cloud_refusal refusal; /* when CLOUD_REFUSED */
    const char *message;        /* one line saying why, unless CLOUD_DONE; no secrets */
    int32_t vm;                 /* cloud_create(): the new VM */
};

typedef void cloud_done(void *context, const struct cloud_reply *reply);

/* --- observing -------------------------------------------------------------------------------- */

enum cloud_subject {
    CLOUD_LEADERSHIP, /* may galernad act on this cloud's front-end? */
    CLOUD_HOSTS,      /* with what they reported last */
    CLOUD_VMS,        /* every VM in short form: state, size, host; no texts but its error */
    CLOUD_WAITING,    /* pending VMs in extended form */
    CLOUD_SOME,       /* the VMs named, CLOUD_IDS_MAX at most, in extended form */
    CLOUD_HISTORY,    /* one VM with all its history records */
    CLOUD_USES,       /* what VMs use, as measured in the last minutes */
    CLOUD_DATASTORES,
    CLOUD_NETWORKS,
    CLOUD_CLUSTERS,
    CLOUD_USERS,
    CLOUD_RULES,
    CLOUD_VMGROUPS,
};

enum { CLOUD_IDS_MAX = 400 };

/* The part of this cloud's front-end among the front-ends of its zone. */
struct cloud_leadership {
    bool leads;     /* may be acted on: the zone's leader, or its only front-end */
    char role[16];  /* "solo", "leader", "follower", ...: for people */
    int64_t term;   /* Raft's, which grows with each election; 0: the only front-end */
    int32_t server; /* Raft's number for the front-end; -1: the only front-end */
};

struct cloud_answer {
    const char *error; /* NULL, or why the question could not be answered */
    bool more;         /* further answers to the same question follow */
    /* The requested objects. The pool may be taken: copy it and zero the original. */
    struct cloud_leadership leadership;
    struct host_pool hosts;
    struct vm_pool vms;
    struct datastore_pool datastores;
    struct network_pool networks;
    struct cluster_pool clusters;
    struct user_pool users;
    struct acl acl;
    struct vmgroup_pool vmgroups;
    struct vm_use_pool uses;
};

typedef void cloud_told(void *context, struct cloud_answer *answer);

struct cloud_question {
    enum cloud_subject subject;
    const int32_t *ids; /* CLOUD_SOME, CLOUD_HISTORY; valid in the call */
    size_t n_ids;
    cloud_told *told;
    void *context;
};

/* --- commanding ------------------------------------------------------------------------------- */

struct cloud_command {
    int32_t vm;
    enum command command;
    int32_t host;                  /* where it is to run or to go */
    int32_t datastore;             /* deploy: the system datastore; -1: the cloud chooses */
    const struct nic_choice *nics; /* deploy: the networks of automatic NICs; valid in the call */
    size_t n_nics;
    bool enforce;    /* the cloud checks the host's room once more */
    int64_t send_by; /* CLOCK_BOOTTIME milliseconds; later it is not sent any more. 0: any time */
    bool unlock;     /* unlock the VM first; the lock's owner has no time to set it again */
    cloud_done *done;
    void *context;
};

/* Another size for a VM. */
struct cloud_resizing {
    int32_t vm;
    int64_t cpu, memory; /* 1/100, MB */
    cloud_done *done;
    void *context;
};

/* A VM to be made, pending. */
struct cloud_order {
    int32_t template; /* its VM template; -1: `text` describes the whole VM */
    const char *name;
    const char *text;    /* attributes: NAME="value" and VECTOR=[NAME="value", ...] */
    const char *session; /* of the user who creates it; NULL: the daemon's account */
    cloud_done *done;
    void *context;
};

/* --- one at a time ---------------------------------------------------------------------------- */

enum { CLOUD_MARK_VERSION = 1 };

/* Which galernad acts on the cloud: kept by the cloud, one for each zone. */
struct cloud_mark {
    char instance[80];      /* the store's name for itself; "": there is no mark */
    char place[128];        /* machine, lock file (device:inode) and digest of the endpoint: of the
                             * processes with the same place only one lives. Without a lock: machine
                             * and instance */
    char host[80];          /* for people */
    char seen[40];          /* for people: when it was written */
    char key[24];           /* of the writer's promises, to be compared; "": not known */
    char configuration[24]; /* the fingerprint of the writer's, to be compared; "": not known */
    int32_t version;        /* of these rules, CLOUD_MARK_VERSION; 0: before there was one */
    int64_t beat;           /* grows; negative: released at an orderly end */
    int64_t term;   /* Raft's term in which the writer acts; 0: its front-end is the only one */
    int32_t server; /* the writer's front-end, when there is a term */
};

/* mark: valid when CLOUD_DONE. */
typedef void cloud_mark_told(void *context, const struct cloud_reply *reply,
                             const struct cloud_mark *mark);

/* --- first contact ---------------------------------------------------------------------------- */

struct cloud_greeting {
    char version[32];
    int32_t zone; /* of a federation; 0: alone, or not known */
    struct cloud_leadership leadership;
};

/* The message of a VM, without quotes, backslashes and control characters. */
struct cloud_message {
    const char *text;    /* for the VM's owner */
    const char *promise; /* for galernad (daemon/live/promise.h); NULL: as it is */
    int64_t send_by;     /* as of commands */
};

/* An attribute of a host, NAME="value" without quotes in the value: it is added, or replaced. */
struct cloud_host_note {
    int32_t host;
    const char *text;
    int64_t send_by; /* as of commands */
    cloud_done *done;
    void *context;
};

/* --- implementations -------------------------------------------------------------------------- */

struct cloud_operations {
    void (*destroy)(struct cloud *cloud);
    int (*wait)(struct cloud *cloud, struct pollfd *fds, unsigned n, int timeout,
                struct error *err);
    size_t (*pending)(const struct cloud *cloud);
    bool (*date)(const struct cloud *cloud, int64_t *date, int64_t *at);
    enum cloud_outcome (*greet)(struct cloud *cloud, struct cloud_greeting *greeting,
                                enum cloud_refusal *refusal, struct error *err);
    void (*ask)(struct cloud *cloud, const struct cloud_question *question);
    void (*command)(struct cloud *cloud, const struct cloud_command *command);
    void (*message)(struct cloud *cloud, int32_t vm, const struct cloud_message *message,
                    cloud_done *done, void *context);
    void (*note)(struct cloud *cloud, const struct cloud_host_note *note);
    void (*create)(struct cloud *cloud, const struct cloud_order *order);
    void (*resize)(struct cloud *cloud, const struct cloud_resizing *resizing);
    void (*read_mark)(struct cloud *cloud, cloud_mark_told *told, void *context);
    void (*write_mark)(struct cloud *cloud, const struct cloud_mark *mark, cloud_done *done,
                       void *context);
};

/* The first member of every implementation. */
struct cloud {
    const struct cloud_operations *operations;
};

/* --- for the daemon --------------------------------------------------------------------------- */

/* NULL is allowed. */
static inline void cloud_destroy(struct cloud *cloud)
{
    if (cloud)
        cloud->operations->destroy(cloud);
}

/* Waits until a call ends, one of the descriptors is ready, or the timeout (milliseconds) expires,
 * and reports results. Fills the descriptors' revents. -1 with err when waiting itself fails, never
 * because of a call. */
static inline int cloud_wait(struct cloud *cloud, struct pollfd *fds, unsigned n, int timeout,
                             struct error *err)
{
    return cloud->operations->wait(cloud, fds, n, timeout, err);
}

/* Calls that are open. */
static inline size_t cloud_pending(const struct cloud *cloud)
{
    return cloud->operations->pending(cloud);
}

/* The cloud's clock as last reported: seconds, and the time of the report (milliseconds of
 * CLOCK_BOOTTIME). False: not known, or the cloud uses this machine's clock. */
static inline bool cloud_date(const struct cloud *cloud, int64_t *date, int64_t *at)
{
    return cloud->operations->date(cloud, date, at);
}

/* The first contact; waits for it. Not CLOUD_DONE: err, and *refusal when refused. */
static inline enum cloud_outcome cloud_greet(struct cloud *cloud, struct cloud_greeting *greeting,
                                             enum cloud_refusal *refusal, struct error *err)
{
    return cloud->operations->greet(cloud, greeting, refusal, err);
}

static inline void cloud_ask(struct cloud *cloud, const struct cloud_question *question)
{
    cloud->operations->ask(cloud, question);
}

static inline void cloud_command(struct cloud *cloud, const struct cloud_command *command)
{
    cloud->operations->command(cloud, command);
}

/* Writes the message of the VM with one call. */
static inline void cloud_message(struct cloud *cloud, int32_t vm,
                                 const struct cloud_message *message, cloud_done *done,
                                 void *context)
{
    cloud->operations->message(cloud, vm, message, done, context);
}

static inline void cloud_note(struct cloud *cloud, const struct cloud_host_note *note)
{
    cloud->operations->note(cloud, note);
}

static inline void cloud_create(struct cloud *cloud, const struct cloud_order *order)
{
    cloud->operations->create(cloud, order);
}

/* The cloud refuses it in states that do not allow it, and for a VM on a host without room for the
 * new size. */
static inline void cloud_resize(struct cloud *cloud, const struct cloud_resizing *resizing)
{
    cloud->operations->resize(cloud, resizing);
}

static inline void cloud_read_mark(struct cloud *cloud, cloud_mark_told *told, void *context)
{
    cloud->operations->read_mark(cloud, told, context);
}

static inline void cloud_write_mark(struct cloud *cloud, const struct cloud_mark *mark,
                                    cloud_done *done, void *context)
{
    cloud->operations->write_mark(cloud, mark, done, context);
}

/* Free the pools of an answer that were not taken. */
void cloud_answer_finish(struct cloud_answer *answer);
