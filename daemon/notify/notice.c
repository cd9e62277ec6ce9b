/* One notice: its content, its receivers, and its form in the store. */
#include "daemon/notify/notice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/jansson_values.h"
#include "util/memory.h"

#define LAST_NUMBER "notices"

void notice_finish(struct notice *notice)
{
    free(notice->target);
    free(notice->to);
    json_decref(notice->content);
}

/* --- in the store ----------------------------------------------------------------------------- */

int64_t notice_next_number(struct store *store)
{
    const char *last = store_fact(store, LAST_NUMBER);
    int64_t number = (last ? strtoll(last, NULL, 10) : 0) + 1;
    char text[24];

    snprintf(text, sizeof text, "%" PRId64, number);
    store_set_fact(store, LAST_NUMBER, text);
    return number;
}

/* The order by name is the order by number. */
const char *notice_name(int64_t number, char name[NOTICE_NAME_MAX])
{
    snprintf(name, NOTICE_NAME_MAX, NOTICE_FACT "%019" PRId64, number);
    return name;
}

char *notice_to_text(const struct notice *notice)
{
    json_t *object = json_object();
    char *text;

    json_put(object, "target", json_from_text(notice->target));
    json_put(object, "to", json_from_text(notice->to));
    json_put(object, "content", json_incref(notice->content));
    json_put(object, "attempts", json_integer(notice->attempts));
    json_put(object, "next", json_integer(notice->next));
    json_put(object, "sending", json_boolean(notice->is_being_sent));
    text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    if (!text)
        abort();
    return text;
}

int notice_from_text(struct notice *notice, const char *name, const char *text)
{
    json_t *object = json_loads(text, 0, NULL);
    const char *target = json_string_value(json_object_get(object, "target"));
    const char *to = json_string_value(json_object_get(object, "to"));
    json_t *content = json_object_get(object, "content");

    if (!target || !to || !json_is_object(content)) {
        json_decref(object);
        return -1;
    }
    *notice = (struct notice){
        .number = strtoll(name + sizeof NOTICE_FACT - 1, NULL, 10),
        .target = memory_text(target),
        .to = memory_text(to),
        .content = json_incref(content),
        .attempts = (int)json_integer_value(json_object_get(object, "attempts")),
        .next = json_integer_value(json_object_get(object, "next")),
        .is_being_sent = json_is_true(json_object_get(object, "sending")),
    };
    json_decref(object);
    return 0;
}

/* --- content ---------------------------------------------------------------------------------- */

json_t *notice_content(const struct store *store, const struct lease_record *lease,
                       enum notice_event event, int64_t at, const char *before)
{
    json_t *content = json_object(), *ids = json_array();
    char text[STORE_ACTIVITY_MAX];
    size_t n, length = strlen(before);
    const struct vm_record *const *vms = store_vms_of(store, lease->id, &n);

    for (size_t i = 0; i < n; i++)
        json_array_append_new(ids, json_integer(vms[i]->id));
    strcpy(text, before);
    store_activity(lease, at, text + length, sizeof text - length);
    json_put(content, "event", json_string(notice_event_words[event]));
    json_put(content, "at", json_from_instant(at));
    json_put(content, "lease", json_integer(lease->id));
    json_put(content, "vms", ids);
    json_put(content, "name", json_from_text(lease->name));
    json_put(content, "user", json_from_text(lease->user));
    json_put(content, "user_group", json_from_text(lease->user_group));
    json_put(content, "start", json_from_instant(lease->start));
    json_put(content, "end", json_from_instant(lease->end));
    json_put(content, "text", json_from_text(text));
    return content;
}

void notice_identify(struct notice *notice, const struct store *store)
{
    char *id = memory_format("%s-%" PRId64, store_instance(store), notice->number);

    json_put(notice->content, "id", json_from_text(id));
    free(id);
}

int64_t notice_lease(const struct notice *notice)
{
    return json_integer_value(json_object_get(notice->content, "lease"));
}

const char *notice_event_of(const struct notice *notice)
{
    const char *event = json_string_value(json_object_get(notice->content, "event"));

    return event ? event : "";
}

static void put_text(json_t *job, const char *key, const char *text)
{
    if (text)
        json_put(job, key, json_from_text(text));
}

json_t *notice_job(const struct notice *notice, const struct notify_target *target)
{
    json_t *job = json_object();

    put_text(job, "kind", notify_kind_words[target->kind]);
    if (target->kind != NOTIFY_MAIL) /* mail has one notice per address */
        put_text(job, target->kind == NOTIFY_WEBHOOK ? "url" : "program", target->where);
    put_text(job, "to", notice->to);
    put_text(job, "sendmail", target->sendmail);
    put_text(job, "from", target->from);
    put_text(job, "key_file", target->key_file);
    json_put(job, "notice", json_incref(notice->content));
    return job;
}

/* --- receivers -------------------------------------------------------------------------------- */

/* NULL: the owner has no valid address. */
static const char *address_of_owner(const struct lease_record *lease, const struct site_seen *site)
{
    const char *address;

    for (size_t i = 0; site && i < site->users.n; i++) {
        const struct user *user = &site->users.items[i];

        if (user->id != lease->uid)
            continue;
        address = attributes_find(&user->attributes, "GALERNA_EMAIL");
        if (!address)
            address = attributes_find(&user->attributes, "EMAIL");
        return address && notify_is_address(address) ? address : NULL;
    }
    return NULL;
}

void notice_each_receiver(const struct notify_target *target, const struct lease_record *lease,
                          const struct site_seen *site,
                          void (*visit)(void *context, const char *to), void *context)
{
    char *copy, *rest;
    const char *address;

    if (target->kind != NOTIFY_MAIL) {
        visit(context, "");
        return;
    }
    copy = rest = memory_text(target->where);
    for (char *word; (word = strsep(&rest, NOTIFY_SEPARATORS));) {
        address = strcmp(word, "owner") == 0 ? address_of_owner(lease, site) : word;
        if (address && *address)
            visit(context, address);
    }
    free(copy);
}
