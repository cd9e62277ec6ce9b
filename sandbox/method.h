/* method.h: the methods of the XML-RPC interface: their tables, arguments and answers
 * (arrays of 3 or 5). */
#pragma once

#include <xmlrpc-c/base.h>

#include "sandbox/permissions.h"
#include "sandbox/pools.h"
#include "sandbox/vm_action.h"

enum { ARGUMENTS_MAX = 12 };

/* One call that is being answered. */
struct oned_call {
    struct oned *oned;
    const struct oned_method *method;
    xmlrpc_env *env;
    const struct oned_user *user; /* who calls */
    void *object;                 /* that the method needs; NULL: none */
    struct oned_argument {
        int64_t number; /* a boolean, too */
        double real;
        char *text; /* NULL: an optional one that was left out */
    } argument[ARGUMENTS_MAX];
    int count; /* of arguments, the session (argument 0) included */
};

typedef xmlrpc_value *oned_method_function(struct oned_call *call);

/* The arguments are read, the object is found and the caller's right to it is tested before run()
 * is called. */
struct oned_method {
    const char *name;
    const char *signature; /* types of answer, session and arguments, such as "A:sib" */
    oned_method_function *run;
    int optional;        /* how many of the last arguments may be left out */
    int object;          /* the argument that is the object's id; 0: none */
    enum oned_kind kind; /* of the object, or of the pool */
    enum oned_right right;
    const char *privilege; /* what only administrators may do; NULL: any user may */
    enum oned_version since;
};

/* Tables of methods, each ended by a name of NULL. */
extern const struct oned_method oned_vm_methods[], oned_pool_methods[], oned_host_methods[],
    oned_user_methods[], oned_site_methods[], oned_document_methods[], oned_vmgroup_methods[],
    oned_template_methods[], oned_sandbox_methods[];

/* Reads arguments [from, until) as the signature has them. false: one is missing or has another
 * type; the fault is set. The caller frees the texts. */
bool oned_arguments_read(struct oned_call *call, xmlrpc_value *arguments, int from, int until);

/* The number or boolean of that argument, or otherwise if it was left out. */
int64_t oned_argument_or(const struct oned_call *call, int index, int64_t otherwise);

/* The object of that id. NULL: *answer says that it does not exist, or that the caller has no right
 * to it. */
void *oned_call_object(struct oned_call *call, enum oned_kind kind, int64_t id,
                       enum oned_right right, xmlrpc_value **answer);

/* NULL: the VM's lock and permissions allow it; else the refusal. */
xmlrpc_value *oned_vm_right(struct oned_call *call, const struct oned_vm *vm,
                            enum oned_right right);

/* Runs the method on the arguments. */
xmlrpc_value *oned_method_run(struct oned_call *call);

/* Answers. */
xmlrpc_value *oned_answer_int(struct oned_call *call, int64_t value);
xmlrpc_value *oned_answer_text(struct oned_call *call, const char *text);

/* The text's own memory is freed. */
xmlrpc_value *oned_answer_document(struct oned_call *call, struct oned_text *text);

/* Refusals; "[method] " is put before the text. */
xmlrpc_value *oned_answer_refusal(struct oned_call *call, const struct oned_refusal *refusal);
xmlrpc_value *oned_answer_failure(struct oned_call *call, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
xmlrpc_value *oned_answer_missing(struct oned_call *call, enum oned_kind kind, int64_t id);

xmlrpc_value *oned_answer_forbidden(struct oned_call *call, const char *right, const char *what,
                                    int64_t id);

/* Changes permissions by arguments 2 to 10; a negative one changes nothing. */
xmlrpc_value *oned_change_rights(struct oned_call *call, enum oned_kind kind, int64_t id,
                                 struct oned_owner *owner);

/* Updates a template by argument 2, which is added to it (argument 3: 1) or replaces it (0). */
xmlrpc_value *oned_update_template(struct oned_call *call, enum oned_kind kind, int64_t id,
                                   struct oned_attributes *template);

/* Methods of several kinds: a new object from a template (argument 1; argument 2 is the type of a
 * document); a changed template; a deleted object; the object's document; all documents of the
 * kind, the highest id first. */
xmlrpc_value *oned_answer_allocate(struct oned_call *call);
xmlrpc_value *oned_answer_update(struct oned_call *call);
xmlrpc_value *oned_answer_delete(struct oned_call *call);
xmlrpc_value *oned_answer_info(struct oned_call *call);
xmlrpc_value *oned_answer_pool(struct oned_call *call);
