/* Keeps the drains of hosts, by operators and for bookings. */
#include "daemon/state/drains.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/reason_details.h"
#include "daemon/store/store.h"
#include "util/append.h"
#include "util/instant.h"
#include "util/memory.h"

static const char drains_fact[] = "drains", bookings_fact[] = "bookings",
                  number_fact[] = "drains-number";

enum { ANY_HOST = -1 };
enum { DRAIN_TEXT = 64 + TERM_TEXT_MAX /* characters of one drain: a host, two times, a name */ };

/* --- the store -------------------------------------------------------------------------------- */

/* The text before that character, which is replaced by NUL; *text is the rest. NULL: the character
 * is missing. */
static char *cut(char **text, char end)
{
    char *begin = *text, *found = strchr(begin, end);

    if (!found)
        return NULL;
    *found = '\0';
    *text = found + 1;
    return begin;
}

/* The value is "NAME\tyes\tUSERS\tGROUPS\n" for each booking, with an owner
 * "NAME\tyes\tUSERS\tGROUPS\tOWNER\n"; "no": not magnetic. */
static void load_bookings(struct drains *drains, const struct store *store)
{
    const char *value = store_fact(store, bookings_fact);
    char *text = memory_text(value ? value : ""), *rest = text;

    for (char *line; (line = cut(&rest, '\n'));) {
        char *name = cut(&line, '\t'), *magnetic = name ? cut(&line, '\t') : NULL;
        char *users = magnetic ? cut(&line, '\t') : NULL, *groups = cut(&line, '\t'), none[] = "";
        struct booking booking = {
            .users = users, .groups = groups ? groups : line, .owner = groups ? line : none};

        if (!users || !booking_name_is_valid(name))
            continue;
        booking.magnetic = strcmp(magnetic, "yes") == 0;
        snprintf(booking.name, sizeof booking.name, "%s", name);
        drains_book(drains, &booking);
    }
    free(text);
}

/* The value is "HOST FROM UNTIL;" for each drain, of a booking "HOST FROM UNTIL NAME;". */
void drains_load(struct drains *drains, const struct store *store)
{
    const char *value = store_fact(store, drains_fact);
    char *text = memory_text(value ? value : ""), *rest = text;

    load_bookings(drains, store);
    for (const char *line; (line = cut(&rest, ';'));) {
        struct drain drain = {.booking = ""};
        int n = sscanf(line, "%" SCNd32 " %" SCNd64 " %" SCNd64 " %63s", &drain.host, &drain.from,
                       &drain.until, drain.booking);

        if (n >= 3 && drain.host >= 0 && drain.from < drain.until &&
            (n == 3 || drains_booking(drains, drain.booking)))
            drains_put(drains, &drain);
    }
    free(text);
    value = store_fact(store, number_fact);
    drains->number = value ? strtoll(value, NULL, 10) : drains->n > 0;
}

static void save_bookings(const struct drains *drains, struct store *store)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    for (size_t i = 0; i < drains->n_bookings; i++) {
        const struct booking *booking = &drains->bookings[i];

        fprintf(stream, "%s\t%s\t%s\t%s%s%s\n", booking->name, booking->magnetic ? "yes" : "no",
                booking->users, booking->groups, *booking->owner ? "\t" : "", booking->owner);
    }
    fclose(stream);
    store_set_fact(store, bookings_fact, drains->n_bookings ? text : NULL);
    free(text);
}

void drains_save(struct drains *drains, struct store *store)
{
    drains->number++;
    drains_keep(drains, store);
}

void drains_keep(const struct drains *drains, struct store *store)
{
    size_t size = drains->n * DRAIN_TEXT + 1, length = 0;
    char *text = memory_new(size, 1), number[32];

    for (size_t i = 0; i < drains->n; i++)
        length = append_text(text, size, length, "%" PRId32 " %" PRId64 " %" PRId64 "%s%s;",
                             drains->items[i].host, drains->items[i].from, drains->items[i].until,
                             *drains->items[i].booking ? " " : "", drains->items[i].booking);
    store_set_fact(store, drains_fact, length ? text : NULL);
    free(text);
    save_bookings(drains, store);
    snprintf(number, sizeof number, "%" PRId64, drains->number);
    store_set_fact(store, number_fact, number);
}

/* --- drains of a host ------------------------------------------------------------------------- */

const struct drain *drains_of(const struct drains *drains, int32_t host)
{
    for (size_t i = 0; i < drains->n; i++)
        if (drains->items[i].host == host)
            return &drains->items[i];
    return NULL;
}

size_t drains_count(const struct drains *drains, int32_t host)
{
    size_t n = 0;

    for (size_t i = 0; i < drains->n; i++)
        n += drains->items[i].host == host;
    return n;
}

static bool holds(const struct drain *drain, int64_t at)
{
    return drain->from <= at && at < drain->until;
}

const struct drain *drains_at(const struct drains *drains, int32_t host, int64_t at)
{
    for (size_t i = 0; i < drains->n; i++)
        if (drains->items[i].host == host && holds(&drains->items[i], at))
            return &drains->items[i];
    return NULL;
}

static struct booking *find_booking(const struct drains *drains, const char *name)
{
    for (size_t i = 0; i < drains->n_bookings; i++)
        if (strcmp(drains->bookings[i].name, name) == 0)
            return &drains->bookings[i];
    return NULL;
}

bool drains_has(const struct drains *drains, int32_t host, const char *booking)
{
    for (size_t i = 0; i < drains->n; i++)
        if ((host == ANY_HOST || drains->items[i].host == host) &&
            strcmp(drains->items[i].booking, booking) == 0)
            return true;
    return false;
}

static void take_out(struct drains *drains, size_t i)
{
    drains->n--;
    memmove(&drains->items[i], &drains->items[i + 1], (drains->n - i) * sizeof *drains->items);
}

/* Drops bookings without remaining drains. */
static void drop_bookings(struct drains *drains)
{
    for (size_t i = drains->n_bookings; i-- > 0;)
        if (!drains_has(drains, ANY_HOST, drains->bookings[i].name)) {
            booking_finish(&drains->bookings[i]);
            drains->bookings[i] = drains->bookings[--drains->n_bookings];
        }
}

void drains_put(struct drains *drains, const struct drain *drain)
{
    size_t place = 0;

    for (size_t i = drains->n; i-- > 0;)
        if (drains->items[i].host == drain->host && drains->items[i].from < drain->until &&
            drain->from < drains->items[i].until)
            take_out(drains, i);
    MEMORY_GROW(drains->items, drains->allocated, drains->n + 1);
    while (place < drains->n && drains->items[place].from <= drain->from)
        place++;
    memmove(&drains->items[place + 1], &drains->items[place],
            (drains->n - place) * sizeof *drains->items);
    drains->items[place] = *drain;
    drains->n++;
}

bool drains_remove(struct drains *drains, int32_t host, int64_t at)
{
    for (size_t i = 0; i < drains->n; i++)
        if (drains->items[i].host == host && (at == INSTANT_NONE || holds(&drains->items[i], at))) {
            take_out(drains, i);
            drop_bookings(drains);
            return true;
        }
    return false;
}

bool drains_expire(struct drains *drains, int64_t now)
{
    size_t before = drains->n;

    for (size_t i = drains->n; i-- > 0;)
        if (drains->items[i].until <= now)
            take_out(drains, i);
    drop_bookings(drains);
    return drains->n < before;
}

void drains_copy(struct drains *copy, const struct drains *drains)
{
    *copy = (struct drains){
        .items = memory_copy(drains->items, drains->n * sizeof *drains->items),
        .n = drains->n,
        .allocated = drains->n,
        .bookings = memory_new(drains->n_bookings, sizeof *drains->bookings),
        .n_bookings = drains->n_bookings,
        .bookings_allocated = drains->n_bookings,
        .number = drains->number,
    };
    for (size_t i = 0; i < drains->n_bookings; i++)
        booking_copy(&copy->bookings[i], &drains->bookings[i]);
}

void drains_finish(struct drains *drains)
{
    for (size_t i = 0; i < drains->n_bookings; i++)
        booking_finish(&drains->bookings[i]);
    free(drains->bookings);
    free(drains->items);
    *drains = (struct drains){0};
}

/* --- bookings --------------------------------------------------------------------------------- */

const struct booking *drains_booking(const struct drains *drains, const char *name)
{
    return find_booking(drains, name);
}

bool drains_admit(const struct drains *drains, const struct lease_record *lease, char *text,
                  size_t size)
{
    const struct booking *booking = drains ? drains_booking(drains, lease->booking) : NULL;
    bool knows_no_booking = *lease->booking && !booking;
    const struct detail says[] = {
        {.id = knows_no_booking ? DETAIL_NO_BOOKING : DETAIL_NOT_ADMITTED, .name = lease->booking},
        {.id = DETAIL_USER, .name = lease->user},
        {.id = DETAIL_USER_GROUP, .name = lease->user_group}};

    text[0] = '\0';
    if (!*lease->booking || (booking && booking_admits(booking, lease->user, lease->user_group)))
        return true;
    for (size_t i = 0; i < (knows_no_booking ? 1 : 3); i++)
        details_add(text, size, &says[i]);
    return false;
}

bool drains_book(struct drains *drains, const struct booking *booking)
{
    struct booking *known = find_booking(drains, booking->name), copy;

    booking_copy(&copy, booking);
    if (known) {
        booking_finish(known);
        *known = copy;
        return false;
    }
    MEMORY_GROW(drains->bookings, drains->bookings_allocated, drains->n_bookings + 1);
    drains->bookings[drains->n_bookings++] = copy;
    return true;
}

bool drains_unbook(struct drains *drains, const char *name, int64_t at)
{
    bool changed = false;

    for (size_t i = drains->n; i-- > 0;) {
        struct drain *drain = &drains->items[i];

        if (strcmp(drain->booking, name) != 0 || drain->until <= at)
            continue;
        changed = true;
        if (drain->from < at)
            drain->until = at;
        else
            take_out(drains, i);
    }
    drop_bookings(drains);
    return changed;
}

static bool is_owned_by(const struct drains *drains, const struct drain *drain, const char *owner)
{
    const struct booking *booking = find_booking(drains, drain->booking);

    return booking && strcmp(booking->owner, owner) == 0;
}

size_t drains_booked_by(const struct drains *drains, const char *owner)
{
    size_t most = 0;

    for (size_t i = 0; i < drains->n; i++) { /* the number is largest when a drain begins */
        int64_t at = drains->items[i].from;
        size_t n = 0;

        if (!is_owned_by(drains, &drains->items[i], owner))
            continue;
        for (size_t k = 0; k <= i || (k < drains->n && drains->items[k].from == at); k++)
            n += holds(&drains->items[k], at) && is_owned_by(drains, &drains->items[k], owner);
        most = n > most ? n : most;
    }
    return most;
}

bool drains_let_in(const struct drains *drains, const char *booking,
                   const struct lease_record *lease)
{
    const struct booking *found = find_booking(drains, booking);

    if (!found || *lease->booking)
        return found && strcmp(found->name, lease->booking) == 0;
    return found->magnetic && booking_admits(found, lease->user, lease->user_group);
}

int64_t drains_end_of_stay(const struct drains *drains, const struct drain *drain)
{
    const struct drain *next = drains_at(drains, drain->host, drain->until);

    while (next && strcmp(next->booking, drain->booking) == 0) {
        drain = next;
        next = drains_at(drains, drain->host, drain->until);
    }
    return drain->until;
}

size_t drains_times_of(const struct drains *drains, const char *owner)
{
    int64_t last = INSTANT_NONE;
    size_t n = 0;

    for (size_t i = 0; i < drains->n; i++) /* ascending */
        if (drains->items[i].from != last && is_owned_by(drains, &drains->items[i], owner)) {
            last = drains->items[i].from;
            n++;
        }
    return n;
}

/* The next start of a drain of the same booking on the host, not before `from`; INSTANT_NEVER. */
static int64_t next_begin(const struct drains *drains, const struct drain *drain, int64_t from)
{
    for (size_t i = 0; i < drains->n; i++) /* ascending */
        if (drains->items[i].host == drain->host && drains->items[i].from >= from &&
            strcmp(drains->items[i].booking, drain->booking) == 0)
            return drains->items[i].from;
    return INSTANT_NEVER;
}

bool drains_ahead(const struct drains *drains, const struct lease_record *lease, int32_t host,
                  int64_t now, struct drain *ahead)
{
    const struct drain *drain = drains_at(drains, host, now), *first = drains_of(drains, host);

    if (!drain || !drains_let_in(drains, drain->booking, lease)) {
        if (first)
            *ahead = *first;
        return first != NULL;
    }
    *ahead = *drain;
    ahead->from = drains_end_of_stay(drains, drain);
    ahead->until = next_begin(drains, drain, ahead->from);
    return ahead->from != INSTANT_NEVER;
}
