/* Answers about bookings: whom they admit, and their end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/answers_private.h"
#include "daemon/control/fields.h"
#include "util/memory.h"

/* A list of names as one text with commas; NULL: not a list of names. To be freed. */
static char *join_names(const json_t *names)
{
    char *text = memory_new(BOOKING_NAMES_MOST + 1, 1);
    size_t i, length = 0;
    const json_t *item;

    json_array_foreach(names, i, item)
    {
        const char *name = json_string_value(item);
        size_t more = name && !strchr(name, ',') ? strlen(name) : 0;

        if (!more || length + more + 1 > BOOKING_NAMES_MOST) {
            free(text);
            return NULL;
        }
        length += (size_t)sprintf(text + length, "%s%s", length ? "," : "", name);
    }
    if (booking_names_are_valid(text))
        return text;
    free(text);
    return NULL;
}

/* The same of a field, which may be missing. */
static char *read_names(const json_t *booking, const char *field)
{
    const json_t *value = json_object_get(booking, field);

    return !value || json_is_null(value) || json_is_array(value) ? join_names(value) : NULL;
}

json_t *answers_read_booking(const struct question *question, struct booking *booking)
{
    const json_t *value = json_object_get(question->request, "booking");
    const json_t *magnetic = json_object_get(value, "magnetic");
    const char *name = json_string_value(json_object_get(value, "name"));
    static const char *const fields[] = {"name", "users", "groups", "magnetic", NULL};
    struct error err;

    if (!value || json_is_null(value))
        return NULL;
    if (fields_check(value, fields, false, &err) < 0)
        return answer_error(EINVAL, "booking: %s", err.text);
    if (!name || !booking_name_is_valid(name))
        return answer_error(EINVAL,
                            "booking.name: expected 1 to %d letters, digits, '.', '_' or '-'",
                            TERM_TEXT_MAX - 1);
    if (magnetic && !json_is_boolean(magnetic) && !json_is_null(magnetic))
        return answer_error(EINVAL, "booking.magnetic: expected true or false");
    booking->users = read_names(value, "users");
    booking->groups = read_names(value, "groups");
    if (!booking->users || !booking->groups)
        return answer_error(EINVAL,
                            "booking.%s: expected a list of names without commas and control "
                            "characters, %d bytes at most",
                            booking->users ? "groups" : "users", BOOKING_NAMES_MOST);
    if (!*booking->users && !*booking->groups)
        return answer_error(EINVAL,
                            "booking: users and groups are both missing: it would admit no leases");
    booking->magnetic = json_is_true(magnetic);
    snprintf(booking->name, sizeof booking->name, "%s", name);
    return NULL;
}

static json_t *split_names(const char *names)
{
    json_t *list = json_array();

    while (*names) {
        size_t length = strcspn(names, ",");

        json_array_append_new(list, json_stringn(names, length));
        names += length + (names[length] == ',');
    }
    return list;
}

static void add_booking(void *context, const struct booking *booking)
{
    json_t *line = json_object();

    json_put(line, "name", json_from_text(booking->name));
    json_put(line, "users", split_names(booking->users));
    json_put(line, "groups", split_names(booking->groups));
    json_put(line, "magnetic", json_boolean(booking->magnetic));
    json_array_append_new(context, line);
}

json_t *answers_bookings(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    json_t *list = json_array();

    daemon->each_booking(daemon->context, add_booking, list);
    return list;
}

json_t *answer_host_unbook(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    const char *name = NULL;
    struct error err;
    char who[96];
    json_t *wrong = question_text(question, "booking", &name), *answer;

    if (wrong)
        return wrong;
    if (!name)
        return answer_error(EINVAL, "booking: missing");
    answers_peer(question, who, sizeof who);
    if (daemon->unbook(daemon->context, name, who, &err) < 0)
        return answers_refused(&err);
    answer = answer_begin(question, "galerna-host-unbook/1");
    json_put(answer, "booking", json_from_text(name));
    return answer;
}
