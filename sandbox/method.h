/* method.h: the methods' side of XML-RPC: arguments in, the daemon's arrays of 3 or 5 out. */
#pragma once

#include <xmlrpc-c/base.h>

#include "sandbox/permissions.h"
#include "sandbox/pools.h"
#include "sandbox/vm_action.h"

/* One call that is being answered. */
struct oned_call {
    struct oned *oned;
    const char *method;
    xmlrpc_env *env;
    xmlrpc_value *arguments;
    int count;
    const struct oned_user *user; /* who calls */
};

typedef xmlrpc_value *oned_method_function(struct oned_call *call);

struct oned_method {
    const char *name;
    const char *signature; /* for system.methodSignature, such as "A:sib" */
    oned_method_function *run;
    enum oned_version since;
};

/* Tables of methods, each ended by a name of NULL. */
extern const struct oned_method oned_vm_methods[], oned_pool_methods[], oned_host_methods[],
    oned_user_methods[], oned_site_methods[], oned_document_methods[], oned_vmgroup_methods[],
    oned_template_methods[], oned_sandbox_methods[];

/* Arguments; number 0 is the session. false: there is none or it has another type; the fault is
 * set and the method returns NULL. A text is freed with free(). */
bool oned_argument_int(struct oned_call *call, int index, int64_t *value);
bool oned_argument_bool(struct oned_call *call, int index, bool *value);
bool oned_argument_text(struct oned_call *call, int index, char **text);
bool oned_argument_double(struct oned_call *call, int index, double *value);

/* Optional ones: value is left as it is when the call has fewer arguments. */
bool oned_argument_int_or(struct oned_call *call, int index, int64_t *value);
bool oned_argument_bool_or(struct oned_call *call, int index, bool *value);
bool oned_argument_text_or(struct oned_call *call, int index, char **text);

/* Answers. */
xmlrpc_value *oned_answer_int(struct oned_call *call, int64_t value);
xmlrpc_value *oned_answer_text(struct oned_call *call, const char *text, size_t size);

/* The text's own memory is freed. */
xmlrpc_value *oned_answer_document(struct oned_call *call, struct oned_text *text);

/* Refusals; "[method] " is put before the text. */
xmlrpc_value *oned_answer_refusal(struct oned_call *call, const struct oned_refusal *refusal);
xmlrpc_value *oned_answer_failure(struct oned_call *call, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
xmlrpc_value *oned_answer_missing(struct oned_call *call, const char *what, int64_t id);

/* The VM whose id is that argument. NULL: there is none, and *answer says so (NULL: it is no
 * number).
 */
struct oned_vm *oned_argument_vm(struct oned_call *call, int index, xmlrpc_value **answer);
xmlrpc_value *oned_answer_forbidden(struct oned_call *call, const char *right, const char *what,
                                    int64_t id);

/* Changes permissions by arguments 2 to 10; a negative one changes nothing. NULL after a fault. */
xmlrpc_value *oned_change_rights(struct oned_call *call, enum oned_kind kind, int64_t id,
                                 struct oned_owner *owner);

/* Updates a template by the arguments: id, template, whether it is added. NULL after a fault. */
xmlrpc_value *oned_update_template(struct oned_call *call, enum oned_kind kind, int64_t id,
                                   struct oned_attributes *template);
