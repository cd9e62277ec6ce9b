/* object_members.h: the members of the daemon's objects, to save, read and free them. */
#pragma once

#include "sandbox/pools.h"

struct oned_member {
    enum oned_member_type {
        MEMBER_END,
        MEMBER_TEXT,
        MEMBER_TEMPLATE,
        MEMBER_INT, /* numbers are kept together in the attribute NUMBERS, in this order */
        MEMBER_INT64,
        MEMBER_BOOL,
    } type;
    size_t offset;
    const char *name; /* of the attribute in which a text or template is kept */
    int count;        /* of an array of numbers; 0: it is one number */
};

/* The size of a kind's objects and their members, ended by MEMBER_END; those of the parts of VMs
 * and users. */
struct oned_layout {
    size_t size;
    const struct oned_member *members;
};
extern const struct oned_layout oned_layouts[KINDS];
extern const struct oned_member oned_history_members[], oned_token_members[];

void oned_members_write(const struct oned_member *members, const void *object,
                        struct oned_attributes *record);

/* Fills an object that is all zero. What the record does not have remains 0 or becomes "". */
void oned_members_read(const struct oned_member *members, void *object,
                       const struct oned_attributes *record);

/* Free what the members own. */
void oned_members_finish(const struct oned_member *members, void *object);
