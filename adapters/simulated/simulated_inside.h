/* simulated_inside.h: shared by the files of the simulated cloud. */
#pragma once

#include <sqlite3.h>

#include "adapters/cloud/pool_memory.h"
#include "adapters/simulated/simulated.h"
#include "core/units.h"

/* A VM's request for devices and NUMA nodes of a host. */
struct simulated_demand {
    struct vm_demand demand; /* of the lists below */
    struct vm_node nodes[VM_NODES_MOST];
    struct pci_demand devices[VM_DEVICES_MOST];
};

struct simulated_vm {
    int32_t id;
    enum vm_state state;
    enum vm_state next; /* at `due` */
    int64_t due;        /* milliseconds since 1970; INT64_MAX: no operation */
    int32_t host;       /* of its last record; -1: none */
    int64_t cpu, memory;
    int64_t created;        /* seconds since 1970, as below */
    int32_t sequence;       /* of its last record; -1: none */
    int64_t started, ended; /* run in that record; 0: not yet */
    int64_t ran_for;        /* in closed records */
    bool recreated;         /* ended the last record */
    char *name, *text, *message;
    struct simulated_demand *demand; /* NULL: none */
    struct held_units *held;         /* on the host of its last record; NULL: nothing */
    bool dirty;                      /* not yet written to the file */
};

struct simulated_call;

struct simulated {
    struct cloud cloud;
    struct site site;
    struct host_units *units; /* of each host */
    char **templates;         /* by number */
    size_t n_templates;
    struct network *networks; /* by number */
    size_t n_networks;
    struct pool_memory *memory; /* of all these */
    int64_t boot_time;
    struct engine_settings engine;
    void (*complain)(void *context, const char *text);
    void *context;

    struct simulated_vm *vms; /* ascending by id */
    size_t n_vms, allocated;
    int32_t next_id;
    int64_t next_due;

    struct simulated_call *calls; /* to be reported in the next wait */
    size_t n_calls, calls_allocated;

    sqlite3 *database;
    sqlite3_stmt *put, *remove;
    bool dirty, complained;
    int64_t next_write; /* milliseconds since 1970: earliest retry after a failure */
};

int64_t simulated_now(void); /* milliseconds since 1970 */

/* --- simulated_vm.c --- */
struct simulated_vm *simulated_find(const struct simulated *self, int32_t id);
struct simulated_vm *simulated_append(struct simulated *self, int32_t id);
/* Carries out the command, or returns the refusal and its cause. */
struct cloud_reply simulated_do(struct simulated *self, const struct cloud_command *command);
/* Completes operations that are due. */
void simulated_settle(struct simulated *self);
void simulated_vm_finish(struct simulated_vm *vm);
/* Forgets VMs that ended long ago. */
void simulated_forget(struct simulated *self);

/* --- simulated_observe.c --- */
void simulated_answer(const struct simulated *self, const struct cloud_question *question,
                      struct cloud_answer *answer);

/* --- simulated_text.c --- */
/* Reads NAME="value" and VECTOR=[NAME="value", ...] as attributes with names in upper case;
 * malformed text ends the reading. */
void simulated_read(const char *text, struct pool_memory *memory, struct attributes *attributes);
/* Reads the first attribute or vector, and returns the rest of the text; NULL: malformed. */
const char *simulated_read_item(const char *text, struct pool_memory *memory,
                                struct attributes *attributes);

/* --- simulated_values.c --- */
struct simulated_number {
    const char *name;
    int64_t least, most;
};

/* Reads a number; a missing one leaves the value unchanged. */
int simulated_number(const struct attributes *vector, struct simulated_number number,
                     int64_t *value, struct error *err);
bool simulated_is_of(const struct attributes *vector, const char *kind);
/* Reads the next attribute or vector, and returns the rest of the text; NULL: malformed. */
const char *simulated_next_item(const char *at, struct pool_memory *memory, struct attributes *item,
                                struct error *err);
/* A longer copy, with zeroed additions. */
void *simulated_lengthen(struct pool_memory *memory, const void *items, size_t n, size_t added,
                         size_t size);

/* --- simulated_hardware.c --- */
/* Room for the longest name and its end. */
enum { HOST_NAME_ROOM = 32 };
void simulated_host_name(size_t host, char name[HOST_NAME_ROOM]);
/* Errors: EINVAL with the error, without the option's name. */
int simulated_read_hardware(struct simulated *self, const char *text, struct error *err);
int simulated_read_templates(struct simulated *self, const char *text, struct error *err);
/* *demand: to be freed; NULL: the text of a VM with that memory (MB) requests no devices or nodes.
 */
int simulated_read_demand(const char *text, int64_t memory, struct simulated_demand **demand,
                          struct error *err);

/* --- simulated_vmgroups.c --- */
/* Examine the VM's text, or a vector of it. */
bool simulated_is_in_group(const struct attributes *vm);
int simulated_check_group(const struct attributes *vector, struct error *err);
void simulated_show_vmgroups(const struct simulated *self, struct vmgroup_pool *pool);

/* --- simulated_networks.c --- */
int simulated_read_networks(struct simulated *self, const char *text, struct error *err);
int simulated_check_nic(const struct attributes *vector, struct error *err);
/* NICs without a network. */
void simulated_show_nics(const struct simulated_vm *from, struct pool_memory *memory,
                         struct vm *vm);
void simulated_show_networks(const struct simulated *self, struct network_pool *pool);
/* Checks that all NICs of the VM can have the command's networks. NULL, or the cause. */
const char *simulated_choose_networks(const struct simulated *self, const struct simulated_vm *vm,
                                      const struct cloud_command *command);
/* Gives the networks to the NICs until the VM ends. */
void simulated_connect(struct simulated_vm *vm, const struct cloud_command *command);

/* --- simulated_units.c --- */
/* Gives the VM its demanded units of the host; false: not free. The VM keeps units that it already
 * holds on the host. */
bool simulated_hold(struct simulated *self, struct simulated_vm *vm, int32_t host);
/* Restores the units that the VM holds according to the file: held_threads() and the following
 * data. Drops units that its host lacks. */
size_t simulated_units_size(const struct held_units *held); /* bytes */
void simulated_hold_again(const struct simulated *self, struct simulated_vm *vm, const void *units,
                          size_t size);
/* Adds the hardware to the pool, which has all hosts. */
void simulated_show_units(const struct simulated *self, struct host_pool *pool);
/* NULL: none requested. */
const struct vm_hardware *simulated_show_demand(const struct simulated_vm *vm,
                                                struct pool_memory *memory);

/* --- simulated_file.c --- */
int simulated_open(struct simulated *self, const struct simulated_settings *settings, bool *resumed,
                   struct error *err);
void simulated_write(struct simulated *self);
void simulated_close(struct simulated *self);
