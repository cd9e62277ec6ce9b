/* machine_table.h: which states an operation passes, and what each of them means. */
#pragma once

#include "sandbox/machine.h"

enum { STEPS_MAX = 3 };

struct oned_step {
    int lcm;
    enum oned_phase phase;
};

struct oned_operation_steps {
    struct oned_step steps[STEPS_MAX];
    int count;
    int state; /* afterwards; with VM_ACTIVE it is RUNNING */
};

/* The part of a VM's life to which a step belongs, and its effect on the history record. */
enum oned_part { PART_NONE, PART_PROLOG, PART_RUNNING, PART_END_RUNNING, PART_EPILOG };

extern const struct oned_operation_steps oned_operations[OPERATIONS];

enum oned_part oned_part_of(int lcm);

/* The state in which a failed step leaves the VM: another state of its life cycle, in which it
 * waits for help, or back in a state without an operation. */
struct oned_failure {
    int lcm;
    int state;
    bool waits;
};

struct oned_failure oned_failure_of(int lcm);
