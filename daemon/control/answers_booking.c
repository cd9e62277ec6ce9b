/* Answers about bookings: listing, admission, and end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/answers_private.h"
#include "daemon/control/fields.h"
#include "util/instant.h"
#include "util/memory.h"

/* Joins a list of names with commas; NULL: not a list of names. To be freed. */
static char *join_names(const json_t *names)
{
    char *text = memory_new(BOOKING_NAMES_MOST + 1, 1);
    size_t i, length = 0;
    const json_t *item;

    json_array_foreach(names, i, item) {
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

/* Joins the names in a field, which may be missing. */
static char *read_names(const json_t *booking, const char *field)
{
    const json_t *value = json_object_get(booking, field);

    return !value || json_is_null(value) || json_is_array(value) ? join_names(value) : NULL;
}

/* Reads the owner of a booking; NULL: not a name, or not the caller's. To be freed. */
static char *read_owner(const struct question *question, const json_t *value)
{
    const char *user = answers_plain_user(question), *owner = json_string_value(value);

    if (!value || json_is_null(value))
        owner = user ? user : "";
    if (!owner || (user && strcmp(owner, user) != 0) || strchr(owner, ',') ||
        !booking_names_are_valid(owner))
        return NULL;
    return memory_text(owner);
}

json_t *answers_read_booking(const struct question *question, struct booking *booking)
{
    const json_t *value = json_object_get(question->request, "booking");
    const json_t *magnetic = json_object_get(value, "magnetic");
    const char *name = json_string_value(json_object_get(value, "name"));
    static const char *const fields[] = {"name", "users", "groups", "magnetic", "owner", NULL};
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
    booking->owner = read_owner(question, json_object_get(value, "owner"));
    if (!booking->owner)
        return answer_error(EINVAL, "booking.owner: expected the name of a user; only operators "
                                    "book hosts for others");
    if (!*booking->users && !*booking->groups) {
        free(booking->users);
        booking->users = memory_text(booking->owner);
    }
    if (!*booking->users && !*booking->groups)
        return answer_error(
            EINVAL,
            "booking: users and groups are both missing: the booking would admit no leases");
    booking->magnetic = json_is_true(magnetic);
    snprintf(booking->name, sizeof booking->name, "%s", name);
    return NULL;
}

static void add_booking(void *context, const struct booking *booking)
{
    json_t *line = json_object();

    json_put(line, "name", json_from_text(booking->name));
    json_put(line, "owner", *booking->owner ? json_from_text(booking->owner) : json_null());
    json_put(line, "users", answers_split_names(booking->users));
    json_put(line, "groups", answers_split_names(booking->groups));
    json_put(line, "magnetic", json_boolean(booking->magnetic));
    json_array_append_new(context, line);
}

json_t *answers_bookings(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    json_t *list = json_array();

    daemon->each_booking(daemon->context, answers_plain_user(question), add_booking, list);
    return list;
}

/* Adds the times of the host's bookings to their entries, found by name. */
static void add_times(void *context, const struct host_view *host)
{
    json_t *bookings = context, *booking;
    size_t i;

    for (size_t k = 0; k < host->n_drains; k++)
        json_array_foreach(bookings, i, booking) {
            const char *name = json_string_value(json_object_get(booking, "name"));
            json_t *line;

            if (!name || strcmp(name, host->drains[k].booking) != 0)
                continue;
            line = json_object();
            json_put(line, "host", json_integer(host->id));
            json_put(line, "name", json_from_text(host->name));
            json_put(line, "from", json_from_instant(host->drains[k].from));
            json_put(line, "until", json_from_instant(host->drains[k].until));
            json_array_append_new(json_object_get(booking, "times"), line);
        }
}

json_t *answer_booking_list(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    json_t *bookings = answers_bookings(question), *booking, *answer;
    size_t i;

    json_array_foreach(bookings, i, booking)
        json_put(booking, "times", json_array());
    daemon->each_host(daemon->context, HOSTS_DRAINED, add_times, bookings);
    answer = answer_begin(question, "galerna-booking-list/1");
    json_put(answer, "bookings", bookings);
    return answer;
}

/* --- the end of a booking --------------------------------------------------------------------- */

static void show_end(void *context, const struct drain_result *result)
{
    answers_put_drains(context, result);
}

static json_t *read_end(const struct question *question, struct unbook_order *order)
{
    const json_t *dry = json_object_get(question->request, "dry_run");
    json_t *wrong = question_text(question, "booking", &order->booking);

    if (!wrong)
        wrong = question_time(question, "at", &order->at);
    if (!wrong && !order->booking)
        wrong = answer_error(EINVAL, "booking: missing");
    if (!wrong && dry && !json_is_boolean(dry) && !json_is_null(dry))
        wrong = answer_error(EINVAL, "dry_run: expected true or false");
    if (order->at <= question->now)
        order->at = INSTANT_NONE;
    order->dry_run = json_is_true(dry);
    return wrong;
}

json_t *answer_host_unbook(const struct question *question)
{
    const struct answers_daemon *daemon = question->answers->daemon;
    struct unbook_order order = {.at = INSTANT_NONE, .user = answers_plain_user(question)};
    json_t *answer = read_end(question, &order);
    struct drain_viewer viewer = {.show = show_end};
    struct error err;
    char who[96];

    if (answer)
        return answer;
    answers_peer(question, who, sizeof who);
    viewer.context = answer = answer_begin(question, "galerna-host-unbook/1");
    if (daemon->unbook(daemon->context, &order, who, &viewer, &err) < 0) {
        json_decref(answer);
        return answers_refused(&err);
    }
    json_put(answer, "booking", json_from_text(order.booking));
    json_put(answer, "at", json_from_instant(order.at == INSTANT_NONE ? question->now : order.at));
    json_put(answer, "dry_run", json_boolean(order.dry_run));
    return answer;
}
