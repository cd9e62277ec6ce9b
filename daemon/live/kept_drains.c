/* Writes drains and bookings to the templates of hosts, and restores them from there.
 *
 * In "7;=course no % students anna;1764500000 1764510000 course;...", the number is followed by a
 * booking (name, magnetic, users, groups, owner) and a drain. Texts are encoded as in URLs; "%" is
 * an empty text.
 */
#include "daemon/live/kept_drains.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/live/guard.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_LEASES

enum { CHANGES_IN_A_TERM = 1 << 20 /* at most */ };

/* --- texts ------------------------------------------------------------------------------------ */

static bool is_plain(char letter)
{
    return isalnum((unsigned char)letter) || (letter && strchr("._-,", letter));
}

static void write_text(FILE *stream, const char *text)
{
    if (!*text)
        fputs(" %", stream);
    else
        fputc(' ', stream);
    for (; *text; text++)
        if (is_plain(*text))
            fputc(*text, stream);
        else
            fprintf(stream, "%%%02x", (unsigned char)*text);
}

/* Decodes in place; NULL: the text is invalid. */
static char *read_text(char *text)
{
    char *to = text, *from = text;

    if (!text)
        return NULL;
    for (; *from && strcmp(from, "%") != 0; to++) {
        char digits[3] = "", *end;

        if (*from != '%') {
            *to = *from++;
            continue;
        }
        memcpy(digits, from + 1, strnlen(from + 1, 2));
        *to = (char)strtol(digits, &end, 16);
        if (end != digits + 2)
            return NULL;
        from += 3;
    }
    *to = '\0';
    return text;
}

char *kept_drains_text(const struct drains *drains, int32_t host)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    fprintf(stream, "%" PRId64, drains->number);
    for (size_t i = 0; i < drains->n_bookings; i++) {
        const struct booking *booking = &drains->bookings[i];

        if (!drains_has(drains, host, booking->name))
            continue;
        fprintf(stream, ";=%s %s", booking->name, booking->magnetic ? "yes" : "no");
        write_text(stream, booking->users);
        write_text(stream, booking->groups);
        write_text(stream, booking->owner);
    }
    for (size_t i = 0; i < drains->n; i++) {
        const struct drain *drain = &drains->items[i];

        if (drain->host == host)
            fprintf(stream, ";%" PRId64 " %" PRId64 "%s%s", drain->from, drain->until,
                    *drain->booking ? " " : "", drain->booking);
    }
    fclose(stream);
    return text;
}

static void read_booking(struct drains *drains, char *text)
{
    char *rest = NULL, *name = strtok_r(text, " ", &rest), *magnetic = strtok_r(NULL, " ", &rest);
    struct booking booking = {.users = read_text(strtok_r(NULL, " ", &rest))};

    booking.groups = read_text(strtok_r(NULL, " ", &rest));
    booking.owner = read_text(strtok_r(NULL, " ", &rest));
    if (!name || !magnetic || !booking.users || !booking.groups || !booking.owner ||
        !booking_name_is_valid(name) || !booking_names_are_valid(booking.users) ||
        !booking_names_are_valid(booking.groups) || !booking_names_are_valid(booking.owner))
        return;
    booking.magnetic = strcmp(magnetic, "yes") == 0;
    snprintf(booking.name, sizeof booking.name, "%s", name);
    drains_book(drains, &booking);
}

static void read_drain(struct drains *drains, int32_t host, const char *text)
{
    struct drain drain = {.host = host, .booking = ""};
    int n = sscanf(text, "%" SCNd64 " %" SCNd64 " %63s", &drain.from, &drain.until, drain.booking);

    if (n >= 2 && drain.from < drain.until && (n == 2 || drains_booking(drains, drain.booking)))
        drains_put(drains, &drain);
}

void kept_drains_read(struct drains *drains, int32_t host, const char *text)
{
    char *copy = memory_text(text ? text : ""), *rest = NULL;

    strtok_r(copy, ";", &rest); /* the number */
    for (char *item; (item = strtok_r(NULL, ";", &rest));)
        if (*item == '=')
            read_booking(drains, item + 1);
        else
            read_drain(drains, host, item);
    free(copy);
}

int64_t kept_drains_number(const char *shown)
{
    int64_t number = shown ? strtoll(shown, NULL, 10) : 0;

    return number > 0 ? number : 0;
}

bool kept_drains_is_shown(const char *shown, const char *text)
{
    const char *ours = strchr(text, ';'), *theirs = shown ? strchr(shown, ';') : NULL;

    return strcmp(ours ? ours : "", theirs ? theirs : "") == 0;
}

/* --- taking over ------------------------------------------------------------------------------ */

static const char *shown_by(const struct host *host)
{
    return attributes_find(&host->attributes, KEPT_DRAINS_ATTRIBUTE);
}

static void take_over(struct daemon *daemon, const struct host_pool *hosts, int64_t number,
                      int64_t now)
{
    struct drains drains = {.number = number};

    for (size_t i = 0; i < hosts->n; i++)
        kept_drains_read(&drains, hosts->items[i].id, shown_by(&hosts->items[i]));
    drains_expire(&drains, now);
    if (drains.n || daemon->drains.n) {
        log_warning("drains and bookings of hosts were restored from OpenNebula: %zu", drains.n);
        store_history(daemon->store, STORE_NO_LEASE, now, "drains-restored",
                      "drains and bookings of hosts, from OpenNebula: %zu", drains.n);
    }
    drains_finish(&daemon->drains);
    daemon->drains = drains;
    drains_keep(&daemon->drains, daemon->store);
    daemon_replan(daemon, "drains and bookings were restored");
}

void kept_drains_see(struct daemon *daemon, int64_t now)
{
    const struct host_pool *hosts = &world_hosts(daemon->world)->pool;
    int64_t newest = 0;

    for (size_t i = 0; daemon->promises.has_key && i < hosts->n; i++) {
        int64_t number = kept_drains_number(shown_by(&hosts->items[i]));

        newest = number > newest ? number : newest;
    }
    if (newest > daemon->drains.number)
        take_over(daemon, hosts, newest, now);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Is it known from before? A drain that has ended does not change the number. */
static bool all_are_shown(const struct daemon *daemon, const struct hosts_seen *hosts)
{
    const struct kept_drains *kept = &daemon->kept_drains;

    return kept->checked_hosts == hosts->number && kept->checked_number == daemon->drains.number &&
           kept->checked_drains == daemon->drains.n;
}

size_t kept_drains_prepare(struct daemon *daemon)
{
    struct kept_drains *kept = &daemon->kept_drains;
    const struct hosts_seen *hosts = world_hosts(daemon->world);
    /* A deposed galernad may have continued to count. */
    int64_t first = world_leadership(daemon->world)->term * CHANGES_IN_A_TERM;

    kept->n_hosts = 0;
    if (!daemon->promises.has_key || !hosts || kept->open || daemon->poll_asked < kept->settled ||
        all_are_shown(daemon, hosts))
        return 0;
    for (size_t i = 0; i < hosts->pool.n && kept->n_hosts < KEPT_DRAINS_AT_ONCE; i++) {
        const struct host *host = &hosts->pool.items[i];
        const char *shown = shown_by(host);
        char *text;

        if (!shown && !drains_of(&daemon->drains, host->id))
            continue;
        text = kept_drains_text(&daemon->drains, host->id);
        if (!kept_drains_is_shown(shown, text))
            kept->hosts[kept->n_hosts++] = host->id;
        free(text);
    }
    if (kept->n_hosts == 0) {
        kept->checked_hosts = hosts->number;
        kept->checked_number = daemon->drains.number;
        kept->checked_drains = daemon->drains.n;
    } else if (daemon->drains.number < first) {
        daemon->drains.number = first;
        drains_keep(&daemon->drains, daemon->store);
    }
    return kept->n_hosts;
}

static void written(void *context, const struct cloud_reply *reply)
{
    struct daemon *daemon = context;
    struct kept_drains *kept = &daemon->kept_drains;
    bool failed = reply->outcome != CLOUD_DONE;

    if (failed && !kept->has_failed)
        log_warning("cannot write " KEPT_DRAINS_ATTRIBUTE " to a host, so drains and bookings are "
                    "kept in the store only: %s",
                    reply->message);
    kept->has_failed = failed;
    kept->open--;
    kept->settled = clock_monotonic();
}

void kept_drains_send(struct daemon *daemon)
{
    struct kept_drains *kept = &daemon->kept_drains;

    for (size_t i = 0; i < kept->n_hosts; i++) {
        char *text = kept_drains_text(&daemon->drains, kept->hosts[i]);
        char *attribute = memory_format(KEPT_DRAINS_ATTRIBUTE "=\"%s\"", text);

        kept->open++;
        cloud_note(daemon->cloud, &(struct cloud_host_note){.host = kept->hosts[i],
                                                            .text = attribute,
                                                            .send_by = guard_send_by(daemon->guard),
                                                            .done = written,
                                                            .context = daemon});
        free(attribute);
        free(text);
    }
    kept->n_hosts = 0;
}

void kept_drains_withdraw(struct daemon *daemon)
{
    daemon->kept_drains.n_hosts = 0;
}
