/* Rereads the configuration and the policy modules. */
#include "daemon/reload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configuration/difference.h"
#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/live/guard.h"
#include "daemon/notify/settings.h"
#include "daemon/planner/modules.h"
#include "daemon/store/awake.h"
#include "util/memory.h"

#define LOG_SUBSYSTEM LOG_OF_DAEMON

struct reload {
    struct daemon *daemon;
    const char *file;
    struct configuration *running;
    struct configuration *last; /* the file as last reloaded; NULL: as at startup */
    struct configuration *next; /* being reloaded */
    struct rights *next_rights;
    struct notify_settings *next_notify;
};

struct reload *reload_create(struct daemon *daemon, const char *file,
                             struct configuration *configuration)
{
    struct reload *reload = memory_new(1, sizeof *reload);

    reload->daemon = daemon;
    reload->file = file;
    reload->running = configuration;
    return reload;
}

static void drop_next(struct reload *reload)
{
    configuration_destroy(reload->next);
    rights_destroy(reload->next_rights);
    notify_settings_destroy(reload->next_notify);
    reload->next = NULL;
    reload->next_rights = NULL;
    reload->next_notify = NULL;
}

void reload_destroy(struct reload *reload)
{
    if (!reload)
        return;
    drop_next(reload);
    configuration_destroy(reload->last);
    free(reload);
}

/* --- what has changed ------------------------------------------------------------------------- */

struct names {
    bool reloads; /* collect options that can be reloaded, or all others */
    char text[1024];
};

static void collect(void *context, const char *section, const char *name)
{
    struct names *names = context;
    size_t n = strlen(names->text);

    if (option_reloads(section, name) == names->reloads)
        snprintf(names->text + n, sizeof names->text - n, "%s%s.%s", n ? ", " : "", section, name);
}

/* Compares options that can be reloaded with the current values, and all others with the values at
 * startup. */
static void tell_changes(const struct reload *reload)
{
    struct names taken = {.reloads = true}, left = {.reloads = false};

    configuration_compare(reload->last ? reload->last : reload->running, reload->next, collect,
                          &taken);
    configuration_compare(reload->running, reload->next, collect, &left);
    log_info("configuration reloaded, changed: %s", *taken.text ? taken.text : "nothing");
    if (*left.text)
        log_warning("changes in the configuration that need a restart of galernad: %s", left.text);
}

/* --- reloading -------------------------------------------------------------------------------- */

static void take_over(struct reload *reload)
{
    struct daemon *daemon = reload->daemon;
    char fingerprint[CONFIGURATION_FINGERPRINT_MAX];

    /* The more verbose level applies to the following messages. */
    if (reload->next->live.log_level > reload->running->live.log_level)
        log_set_level(reload->next->live.log_level);
    log_set_format(reload->next->live.log_format);
    store_wake_all(daemon->store);
    tell_changes(reload);
    configuration_take_over(reload->running, reload->next);
    configuration_fingerprint(reload->next, fingerprint);
    guard_configured(daemon->guard, fingerprint);
    front_end_configured(&daemon->front_end, reload->next);
    log_set_level(reload->running->live.log_level);
    rights_destroy(daemon->rights);
    daemon->rights = reload->next_rights;
    notify_settings_destroy(daemon->notify);
    daemon->notify = reload->next_notify;
    configuration_destroy(reload->last);
    reload->last = reload->next;
    reload->next = NULL;
    reload->next_rights = NULL;
    reload->next_notify = NULL;
    daemon_modules_loaded(daemon);
}

static void refuse(const struct error *err)
{
    log_error("cannot reload; the old configuration and policy modules stay in effect: %s",
              err->text);
}

static void loaded(void *context, const struct error *err)
{
    struct reload *reload = context;

    if (!err) {
        take_over(reload);
        return;
    }
    if (err->code == EAGAIN)
        reload->daemon->reload_due = !reload->daemon->stopping;
    else
        refuse(err);
    drop_next(reload);
}

static int read_next(struct reload *reload, struct error *err)
{
    const struct configuration_overrides overrides = {0};

    reload->next = live_configuration_read(reload->file, &overrides, err);
    if (!reload->next)
        return -1;
    reload->next_rights = rights_create(&reload->next->ini, err);
    if (!reload->next_rights)
        return -1;
    reload->next_notify = notify_settings_create(&reload->next->ini, err);
    return reload->next_notify ? 0 : -1;
}

void reload_begin(struct reload *reload)
{
    struct modules_wanted wanted = {0};
    struct error err = {0};

    if (reload->next) {
        reload->daemon->reload_due = true;
        return;
    }
    if (read_next(reload, &err) < 0) {
        refuse(&err);
        drop_next(reload);
        return;
    }
    wanted.policies = reload->next;
    if (planner_reload(reload->daemon->planner, &wanted, loaded, reload, &err) < 0)
        loaded(reload, &err);
}
