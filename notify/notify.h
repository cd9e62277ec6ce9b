/* notify.h: galerna-notify, which delivers one notice.
 *
 * galernad writes a job to its standard input, a JSON object: `kind` (mail, webhook, program),
 * where it goes (`to`, `sendmail`, `from`; `url`, `key_file`; `program`) and the `notice`, which is
 * what receivers get. It ends with one of these codes, and a line on standard error that says why;
 * any other end means that the notice may have been handed over.
 */
#pragma once

#include <jansson.h>

#include "util/error.h"

enum notify_end {
    NOTIFY_DONE = 0,
    NOTIFY_NEVER = 65,   /* not handed over; another attempt would fail as well */
    NOTIFY_UNKNOWN = 70, /* perhaps handed over */
    NOTIFY_AGAIN = 75,   /* not handed over for now */
};

/* The receivers: name, its word (an option of [notify NAME], and the job's `kind`), and what hands
 * a notice over to it; err: why not. */
#define NOTIFY_RECEIVERS(ROW)                                                                      \
    ROW(MAIL, "mail", notify_mail)                                                                 \
    ROW(WEBHOOK, "webhook", notify_webhook)                                                        \
    ROW(PROGRAM, "program", notify_program)

enum notify_end notify_mail(const json_t *job, struct error *err);
enum notify_end notify_webhook(const json_t *job, struct error *err);
enum notify_end notify_program(const json_t *job, struct error *err);

/* Run a program (arguments[0], an absolute path) with the text as its standard input and wait until
 * it ends. NOTIFY_DONE: it exits with 0. */
enum notify_end notify_pipe_to(char *const *arguments, const char *text, struct error *err);

/* A text of an object; "": none. */
const char *notify_text(const json_t *object, const char *key);
