/* simulated_inside.h: shared by the files of the simulated cloud. */
#ifndef GALERNA_ADAPTERS_SIMULATED_SIMULATED_INSIDE_H
#define GALERNA_ADAPTERS_SIMULATED_SIMULATED_INSIDE_H

#include <sqlite3.h>

#include "adapters/cloud/pool_memory.h"
#include "adapters/simulated/simulated.h"

struct simulated_vm {
    int32_t id;
    enum vm_state state;
    enum vm_state next; /* when `due` has come */
    int64_t due;        /* milliseconds since 1970; INT64_MAX: nothing is under way */
    int32_t host;       /* of its last record; -1: never had one */
    int64_t cpu, memory;
    int64_t created;        /* seconds since 1970, as those below */
    int32_t sequence;       /* of its last record; -1: none */
    int64_t started, ended; /* running, in that record; 0: not yet */
    int64_t ran_for;        /* in records that are closed */
    bool recreated;         /* the last record ended with that */
    char *name, *text, *message;
    bool dirty; /* the file does not have it so */
};

struct simulated_call;

struct simulated {
    struct cloud cloud;
    struct site site;
    int64_t boot_time;
    struct engine_settings engine;
    void (*complain)(void *context, const char *text);
    void *context;

    struct simulated_vm *vms; /* ascending by id */
    size_t n_vms, allocated;
    int32_t next_id;
    int64_t next_due;

    struct simulated_call *calls; /* to be told with the next wait */
    size_t n_calls, calls_allocated;

    sqlite3 *database;
    sqlite3_stmt *put, *remove;
    bool dirty, complained;
    int64_t next_write; /* milliseconds since 1970: not before, after a failure */
};

int64_t simulated_now(void); /* milliseconds since 1970 */

/* --- simulated_vm.c --- */
struct simulated_vm *simulated_find(const struct simulated *self, int32_t id);
struct simulated_vm *simulated_append(struct simulated *self, int32_t id);
/* Carry the command out, or say who is to blame and why. */
struct cloud_reply simulated_do(struct simulated *self, const struct cloud_command *command);
/* Completes operations that are due. */
void simulated_settle(struct simulated *self);
/* VMs that are gone for long are forgotten. */
void simulated_forget(struct simulated *self);

/* --- simulated_observe.c --- */
void simulated_answer(const struct simulated *self, const struct cloud_question *question,
                      struct cloud_answer *answer);

/* --- simulated_text.c --- */
/* NAME="value" and VECTOR=[NAME="value", ...], as attributes with names in upper case; what makes
 * no sense ends the reading. */
void simulated_read(const char *text, struct pool_memory *memory, struct attributes *attributes);

/* --- simulated_file.c --- */
int simulated_open(struct simulated *self, const struct simulated_settings *settings, bool *resumed,
                   struct error *err);
void simulated_write(struct simulated *self);
void simulated_close(struct simulated *self);

#endif
