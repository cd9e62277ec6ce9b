/* cloud.h: the interface of the cloud that galernad schedules.
 *
 * adapters/opennebula/ and adapters/simulated/ implement it; a test can do so in a few lines. Calls
 * return at once. cloud_wait() reports their results by callbacks, once for each call (an answer
 * may come in parts: see cloud_answer.more) and in no particular order; a result is valid during
 * its callback, which may make new calls. Destroying the cloud drops open calls without a callback.
 * Not thread-safe.
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

/* --- outcomes of calls ------------------------------------------------------------------------ */

/* Outcomes distinguish whether the cloud may have carried out the call. */
enum cloud_outcome {
    CLOUD_DONE,
    CLOUD_REFUSED,  /* not carried out: see enum cloud_refusal */
    CLOUD_NOT_SENT, /* no connection: not carried out */
    CLOUD_UNKNOWN,  /* no complete answer: the call may have been carried out */
};

/* The cause of a refusal. */
enum cloud_refusal {
    CLOUD_NO_VM,          /* the VM does not exist, cannot be recovered, ... */
    CLOUD_NO_STATE,       /* the VM is not in the expected state */
    CLOUD_NO_OWNER,       /* caused by the owner: an exhausted quota or network, a locked VM */
    CLOUD_NO_HOST,        /* the given host does not accept the VM */
    CLOUD_NO_PERMISSION,  /* galernad lacks the rights */
    CLOUD_NO_CREDENTIALS, /* the cloud does not accept galernad's credentials */
    CLOUD_NO_SERVICE,     /* the cloud failed */
    CLOUD_NO_RECORD,      /* the cloud cannot store the change of the VM */
};

struct cloud_reply {
    enum cloud_outcome outcome;
    enum cloud_refusal refusal; /* for CLOUD_REFUSED */
    const char *message;        /* the cause in one line, unless CLOUD_DONE; without secrets */
    int32_t vm;                 /* cloud_create(): the new VM */
};

typedef void cloud_done(void *context, const struct cloud_reply *reply);

/* --- observing -------------------------------------------------------------------------------- */

enum cloud_subject {
    CLOUD_LEADERSHIP, /* whether galernad may act on this cloud's front-end */
    CLOUD_HOSTS,      /* with their last reports */
    CLOUD_VMS,        /* all VMs in short form: state, size, host; no texts except the error */
    CLOUD_WAITING,    /* pending VMs in extended form */
    CLOUD_SOME,       /* the given VMs, at most CLOUD_IDS_MAX, in extended form */
    CLOUD_HISTORY,    /* one VM with all its history records */
    CLOUD_USES,       /* resource usage of VMs, measured in the last minutes */
    CLOUD_DATASTORES,
    CLOUD_NETWORKS,
    CLOUD_CLUSTERS,
    CLOUD_USERS,
    CLOUD_RULES,
    CLOUD_VMGROUPS,
};

enum { CLOUD_IDS_MAX = 512 };

/* The role of this cloud's front-end in its zone. */
struct cloud_leadership {
    bool leads;     /* the zone's leader, or its only front-end: galernad may act on it */
    char role[16];  /* "solo", "leader", "follower", ...: for display */
    int64_t term;   /* Raft term, which grows with each election; 0: the only front-end */
    int32_t server; /* Raft's number of the front-end; -1: the only front-end */
};

struct cloud_answer {
    const char *error; /* the reason why the question could not be answered, or NULL */
    bool no_vm;        /* CLOUD_HISTORY: the error is that the VM does not exist */
    bool more;         /* further answers to the same question follow */
    /* The requested objects. To keep the pool, copy it and zero the original. */
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
    int32_t host;                  /* the host to run on or to move to */
    int32_t datastore;             /* deploy: the system datastore; -1: the cloud chooses */
    const struct nic_choice *nics; /* deploy: the networks of automatic NICs; valid in the call */
    size_t n_nics;
    bool enforce;    /* the cloud checks the host's room again */
    int64_t send_by; /* CLOCK_BOOTTIME milliseconds; not sent later than this. 0: any time */
    bool unlock;     /* unlock the VM just before the command: no time to lock it again */
    cloud_done *done;
    void *context;
};

/* A new size for a VM. */
struct cloud_resizing {
    int32_t vm;
    int64_t cpu, memory; /* 1/100, MB */
    cloud_done *done;
    void *context;
};

/* A pending VM to be created. */
struct cloud_order {
    int32_t template; /* its VM template; -1: `text` describes the whole VM */
    const char *name;
    const char *text;    /* attributes: NAME="value" and VECTOR=[NAME="value", ...] */
    const char *session; /* of the user who creates it; NULL: the daemon's account */
    cloud_done *done;
    void *context;
};

/* --- exclusive access ------------------------------------------------------------------------- */

enum { CLOUD_MARK_VERSION = 1 };

/* Names the galernad that acts on the cloud. Stored by the cloud, one for each zone. */
struct cloud_mark {
    char instance[80];      /* the name of the store; "": no mark */
    char place[128];        /* machine, lock file (device:inode) and digest of the endpoint: at
                             * most one process with the same place is alive. Without a lock:
                             * machine and instance */
    char host[80];          /* for display */
    char seen[40];          /* for display: the time of writing */
    char key[24];           /* of the writer's promises, for comparison; "": unknown */
    char configuration[24]; /* the fingerprint of the writer's configuration, for comparison; "":
                               unknown */
    int32_t version;        /* of these rules, CLOUD_MARK_VERSION; 0: older than version 1 */
    int64_t beat;           /* grows with each renewal; negative: released at an orderly end */
    int64_t term;   /* the Raft term in which the writer acts; 0: its front-end is the only one */
    int32_t server; /* the writer's front-end, if there is a term */
};

/* Published by the galernad on a front-end of a zone, for comparison with the others. */
struct cloud_front_end {
    int32_t server;            /* its Raft number */
    const char *host;          /* for display */
    int64_t seen;              /* when it published this, seconds since 1970 */
    const char *key;           /* fingerprint of the key of its promises */
    const char *configuration; /* fingerprint of its configuration */
    const char *options;       /* configuration_digests() */
};

/* mark: valid for CLOUD_DONE. */
typedef void cloud_mark_told(void *context, const struct cloud_reply *reply,
                             const struct cloud_mark *mark);

/* --- first contact ---------------------------------------------------------------------------- */

struct cloud_greeting {
    char version[32];
    int32_t zone; /* of a federation; 0: no federation, or unknown */
    struct cloud_leadership leadership;
};

/* The message of a VM, without quotes, backslashes and control characters. */
struct cloud_message {
    const char *text;    /* for the VM's owner */
    const char *kind;    /* for galernad: what the text tells; NULL: unchanged */
    const char *promise; /* for galernad (daemon/live/promise.h); NULL: unchanged */
    int64_t send_by;     /* as of commands */
};

/* An attribute of a host to add or replace: NAME="value", without quotes in the value. */
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
    void (*publish)(struct cloud *cloud, const struct cloud_front_end *front_end, cloud_done *done,
                    void *context); /* NULL: zones have one front-end */
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
 * and reports results. Fills the descriptors' revents. -1 with err if waiting itself fails; a
 * failed call is not an error. */
static inline int cloud_wait(struct cloud *cloud, struct pollfd *fds, unsigned n, int timeout,
                             struct error *err)
{
    return cloud->operations->wait(cloud, fds, n, timeout, err);
}

/* The number of open calls. */
static inline size_t cloud_pending(const struct cloud *cloud)
{
    return cloud->operations->pending(cloud);
}

/* The last reported time of the cloud's clock in seconds, and the time of the report in
 * milliseconds of CLOCK_BOOTTIME. False: unknown, or the cloud uses this machine's clock. */
static inline bool cloud_date(const struct cloud *cloud, int64_t *date, int64_t *at)
{
    return cloud->operations->date(cloud, date, at);
}

/* Contacts the cloud for the first time, and waits for the answer. Other outcomes than CLOUD_DONE
 * set err, and CLOUD_REFUSED sets *refusal. */
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

/* The cloud refuses to resize a VM in the wrong state, or on a host without room for the new size.
 */
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

/* Stores what the front-end publishes in place of what it published before. */
static inline void cloud_publish(struct cloud *cloud, const struct cloud_front_end *front_end,
                                 cloud_done *done, void *context)
{
    cloud->operations->publish(cloud, front_end, done, context);
}

/* Frees the pools of an answer that its callback did not keep. */
void cloud_answer_finish(struct cloud_answer *answer);
