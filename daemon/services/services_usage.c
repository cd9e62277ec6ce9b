/* Accounts of usage, computed between the turns of the loop: the store may hold very many
 * events. */
#include <errno.h>
#include <string.h>

#include "daemon/control/account.h"
#include "daemon/services/services_question.h"

enum { ROWS_AT_ONCE = 250 /* some milliseconds */ };

struct account_row *services_usage(void *context, struct account_period *period, size_t *n,
                                   struct error *err)
{
    struct daemon *daemon = context;
    struct services_question *question = daemon->question;

    if (question->err.code) {
        *err = question->err;
        return NULL;
    }
    if (question->account)
        return account_rows(question->account, period, n);
    if (daemon->n_accounts == ACCOUNTS_AT_ONCE)
        return error_null(err, EAGAIN,
                          "another usage report is in progress; try again in a moment");
    question = services_put_off(question);
    question->account = account_begin(daemon->store, period);
    daemon->accounts[daemon->n_accounts++] = question;
    return error_null(err, EINPROGRESS, "reading the store");
}

static struct services_question *take_first(struct daemon *daemon)
{
    struct services_question *first = daemon->accounts[0];

    memmove(daemon->accounts, daemon->accounts + 1,
            --daemon->n_accounts * sizeof(struct services_question *));
    return first;
}

void services_usage_go_on(struct daemon *daemon)
{
    struct services_question *question = daemon->n_accounts ? daemon->accounts[0] : NULL;
    struct error err = {0};
    struct account *account;
    int more;

    if (!question)
        return;
    account = question->account;
    more = account_go_on(account, ROWS_AT_ONCE, &err);
    if (more > 0)
        return;
    services_handle_again(take_first(daemon), more < 0 ? &err : NULL);
    account_destroy(account);
}

void services_usage_forget(struct daemon *daemon)
{
    while (daemon->n_accounts) {
        struct services_question *question = take_first(daemon);

        account_destroy(question->account);
        services_drop(question);
    }
}
