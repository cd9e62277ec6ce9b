/* Parts of all answers: their beginning, errors, and the fields and author of a request. */
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>

#include "daemon/control/answers_private.h"
#include "util/printable.h"
#include "util/time_parse.h"

static const char *code_word(int code)
{
    switch (code) {
    case EPERM:
    case EACCES:
        return "denied";
    case ENOENT:
        return "not-found";
    case EINVAL:
        return "malformed";
    case EAGAIN:
        return "not-ready";
    case ENOTSUP:
        return "unsupported";
    case ENOSPC:
        return "refused";
    case EALREADY:
    case EEXIST:
        return "conflict";
    default:
        return "failed";
    }
}

json_t *answers_refused(const struct error *err)
{
    struct error shown = *err; /* may quote the request */
    json_t *answer;

    if (err->code == EINPROGRESS)
        return NULL;
    mask_controls(shown.text, '?');
    answer = json_object();
    json_put(answer, "ok", json_false());
    json_put(answer, "error", json_from_text(shown.text));
    json_put(answer, "code", json_string(code_word(err->code)));
    return answer;
}

json_t *answer_error(int code, const char *format, ...)
{
    struct error err = {.code = code};
    va_list args;

    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    return answers_refused(&err);
}

/* Writes why and since when the answer may differ from the state of OpenNebula. */
static void write_outdated(const struct question *question, struct json_writer *writer)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    char text[ERROR_TEXT_MAX];
    int64_t since;
    const char *word = daemon->outdated(daemon->context, text, sizeof text, &since);

    if (!word)
        return;
    json_open_object(writer, "outdated");
    json_put_string(writer, "word", word);
    json_put_string(writer, "text", text);
    json_put_instant(writer, "since", since);
    json_end_object(writer);
}

void answer_text_begin(struct json_writer *writer, const struct question *question,
                       const char *schema)
{
    json_writer_init(writer, output_create_memory());
    json_begin_object(writer);
    json_put_bool(writer, "ok", true);
    json_put_string(writer, "schema", schema);
    json_put_instant(writer, "now", question->now);
    write_outdated(question, writer);
}

json_t *answer_text_end(struct json_writer *writer)
{
    const char *text;
    json_t *answer;
    size_t length;

    json_end_object(writer);
    text = output_held(writer->out, &length);
    answer = json_stringn_nocheck(text, length);
    if (!answer)
        abort(); /* out of memory */
    output_destroy(writer->out);
    return answer;
}

json_t *answer_text_fail(struct json_writer *writer, const struct error *err)
{
    output_destroy(writer->out);
    return answers_refused(err);
}

json_t *answer_begin(const struct question *question, const char *schema)
{
    struct json_writer writer;

    answer_text_begin(&writer, question, schema);
    json_end_object(&writer);
    return json_from_output(writer.out);
}

void answers_put_revision(struct json_writer *writer, const struct revisions *revisions,
                          const char *since)
{
    char text[REVISION_TEXT_MAX];

    revisions_write(revisions, text);
    json_put_string(writer, "revision", text);
    json_put_string(writer, "since", since);
}

json_t *question_number(const struct question *question, const char *field, int64_t high,
                        int64_t *number, bool *there)
{
    const json_t *value = json_object_get(question->request, field);

    *there = value && !json_is_null(value);
    if (!*there)
        return NULL;
    *number = json_integer_value(value);
    if (json_is_integer(value) && *number >= 0 && *number <= high)
        return NULL;
    return answer_error(EINVAL, "%s: expected a whole number from 0 to %" PRId64, field, high);
}

json_t *question_time(const struct question *question, const char *field, int64_t *instant)
{
    const json_t *value = json_object_get(question->request, field);

    if (!value || json_is_null(value) ||
        (json_is_string(value) && time_parse_utc(json_string_value(value), instant)))
        return NULL;
    return answer_error(EINVAL, "%s: expected a time such as 2026-11-21T15:00:00Z", field);
}

json_t *question_text(const struct question *question, const char *field, const char **text)
{
    const json_t *value = json_object_get(question->request, field);

    *text = json_string_value(value);
    if (!value || json_is_null(value) || *text)
        return NULL;
    return answer_error(EINVAL, "%s: expected a string", field);
}

const char *answers_plain_user(const struct question *question)
{
    return question->of_operator ? NULL : question->user;
}

void answers_peer(const struct question *question, char *text, size_t size)
{
    const struct control_peer *peer = question->peer;
    const struct passwd *user = question->user ? NULL : getpwuid(peer->uid);

    if (question->user)
        snprintf(text, size, "%.60s (OpenNebula)", question->user);
    else if (user)
        snprintf(text, size, "%s (uid %ld)", user->pw_name, (long)peer->uid);
    else
        snprintf(text, size, "uid %ld", (long)peer->uid);
}
