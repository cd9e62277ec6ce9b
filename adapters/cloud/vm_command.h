/* vm_command.h: the commands for a VM, one row each.
 *
 * A row has the command's effect on the VM and on the room of hosts. Each cloud has its own
 * implementation of the commands.
 */
#pragma once

#include <stdbool.h>

/* The host on which a command takes room: the one to run on, or the one to move to. */
enum command_load { LOADS_NOTHING, LOADS_HOST, LOADS_NEXT_HOST };

/* The command's effect on the VM: start it, save its memory, end it, or recover it. */
enum command_effect {
    EFFECT_NONE,
    EFFECT_START,   /* the VM runs afterwards */
    EFFECT_MOVE,    /* the VM is on another host afterwards */
    EFFECT_SUSPEND, /* its memory is saved, and it does not use CPU */
    EFFECT_END,     /* its time is over */
    EFFECT_RETRY,   /* the failed operation is repeated */
    EFFECT_DISCARD, /* the VM is pending again, and its work is lost */
};

/* ROW(name, word, effect, load, frees): the word is stable (store, log, answers); frees: the
 * command frees the room on the VM's current host. */
#define COMMAND_ROWS(ROW)                                                                          \
    ROW(NONE, "", EFFECT_NONE, LOADS_NOTHING, false)                                               \
    ROW(DEPLOY, "deploy", EFFECT_START, LOADS_HOST, false)                                         \
    ROW(RESUME, "resume", EFFECT_START, LOADS_HOST, false)                                         \
    ROW(RELOCATE, "relocate", EFFECT_MOVE, LOADS_HOST, false) /* a suspended VM to another host */ \
    ROW(MIGRATE, "migrate", EFFECT_MOVE, LOADS_NEXT_HOST, true)                                    \
    ROW(LIVE_MIGRATE, "live-migrate", EFFECT_MOVE, LOADS_NEXT_HOST, true)                          \
    ROW(POWEROFF_MIGRATE, "poweroff-migrate", EFFECT_MOVE, LOADS_NEXT_HOST, true)                  \
    ROW(SUSPEND, "suspend", EFFECT_SUSPEND, LOADS_NOTHING, true)                                   \
    ROW(STOP, "stop", EFFECT_SUSPEND, LOADS_NOTHING, true)                                         \
    ROW(POWEROFF, "poweroff", EFFECT_END, LOADS_NOTHING, true)                                     \
    ROW(UNDEPLOY, "undeploy", EFFECT_END, LOADS_NOTHING, true)                                     \
    ROW(TERMINATE, "terminate", EFFECT_END, LOADS_NOTHING, true)                                   \
    ROW(TERMINATE_HARD, "terminate-hard", EFFECT_END, LOADS_NOTHING, true)                         \
    ROW(DELETE, "delete", EFFECT_END, LOADS_NOTHING, true) /* a failed VM */                       \
    ROW(HOLD, "hold", EFFECT_NONE, LOADS_NOTHING, false)                                           \
    ROW(RELEASE, "release", EFFECT_NONE, LOADS_NOTHING, false)                                     \
    ROW(RETRY, "retry", EFFECT_RETRY, LOADS_NOTHING, false)                                        \
    ROW(RECREATE, "recreate", EFFECT_DISCARD, LOADS_NOTHING, true)

#define COMMAND_NUMBER(name, word, effect, load, frees) COMMAND_##name,
enum command { COMMAND_ROWS(COMMAND_NUMBER) COMMAND_KINDS };
#undef COMMAND_NUMBER

struct command_kind {
    enum command_effect effect;
    enum command_load load;
    bool frees;
};

extern const struct command_kind command_kinds[COMMAND_KINDS];
extern const char *const command_words[COMMAND_KINDS];
