#include "daemon/answers_json.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/book_words.h"
#include "daemon/moment.h"
#include "util/memory.h"

json_t *json_from_text(const char *text)
{
    json_t *value = json_string(text);
    char *copy;

    if (value)
        return value;
    copy = memory_text(text);
    for (char *at = copy; *at; at++)
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    value = json_string(copy);
    free(copy);
    return value;
}

json_t *json_from_instant(int64_t instant)
{
    char text[MOMENT_TEXT_MAX];

    if (instant == INSTANT_NONE)
        return json_null();
    moment_format(instant, text);
    return json_string(text);
}

json_t *json_from_span(int64_t span)
{
    if (span == SPAN_NONE)
        return json_null();
    return span == SPAN_UNLIMITED ? json_string("unlimited") : json_integer(span);
}

void json_put(json_t *object, const char *key, json_t *value)
{
    /* It fails for want of memory alone, or because value is NULL for that. */
    if (json_object_set_new(object, key, value) < 0)
        abort();
}

static int64_t seconds_run(const struct book_lease *lease, int64_t now)
{
    int64_t run = lease->accumulated;

    if (lease->since != INSTANT_NONE && now > lease->since)
        run += now - lease->since;
    return run;
}

static void put_times(json_t *object, const struct book_lease *lease, int64_t now)
{
    int64_t run = seconds_run(lease, now), left = lease->duration;

    if (left != SPAN_UNLIMITED)
        left = left > run ? left - run : 0;
    json_put(object, "submitted", json_from_instant(lease->submit));
    json_put(object, "start", json_from_instant(lease->start));
    json_put(object, "earliest", json_from_instant(lease->earliest));
    json_put(object, "deadline", json_from_instant(lease->deadline));
    json_put(object, "duration", json_from_span(lease->duration));
    json_put(object, "since", json_from_instant(lease->since));
    json_put(object, "end", json_from_instant(lease->end));
    json_put(object, "run", json_integer(run));
    json_put(object, "left", json_from_span(left));
    json_put(object, "expected", json_from_instant(lease->expected));
    json_put(object, "promise",
             lease->expected == INSTANT_NONE
                 ? json_null()
                 : json_string(lease->contract ? "contract" : "estimate"));
}

static void put_owner(json_t *object, const struct book_lease *lease)
{
    json_put(object, "user", json_from_text(lease->user));
    json_put(object, "user_group", json_from_text(lease->user_group));
    json_put(object, "uid", json_integer(lease->uid));
    json_put(object, "gid", json_integer(lease->gid));
}

static void put_terms(json_t *object, const struct book_lease *lease)
{
    json_put(object, "plain", json_boolean(lease->plain));
    json_put(object, "preemptible", json_boolean(lease->preemptible));
    json_put(object, "terms", json_string(book_terms_words[lease->terms]));
    json_put(object, "origin", json_string(book_origin_words[lease->origin]));
    json_put(object, "priority", json_integer(lease->priority));
    json_put(object, "accepted", json_boolean(lease->accepted));
    json_put(object, "late", json_boolean(lease->late));
}

static void put_size(json_t *object, const struct book_lease *lease, struct book_vm *const *vms,
                     size_t n)
{
    int64_t cpu = 0, memory = 0;

    for (size_t i = 0; i < n; i++) {
        cpu += vms[i]->cpu;
        memory += vms[i]->memory;
    }
    json_put(object, "vms", vms ? json_integer((json_int_t)n) : json_null());
    json_put(object, "cpu", vms ? json_real((double)cpu / 100) : json_null());
    json_put(object, "memory", vms ? json_integer(memory) : json_null());
    json_put(object, "group", *lease->group ? json_from_text(lease->group) : json_null());
    json_put(object, "group_size",
             lease->group_size ? json_integer(lease->group_size) : json_null());
}

json_t *json_from_lease(const struct book_lease *lease, struct book_vm *const *vms, size_t n,
                        int64_t now)
{
    json_t *object = json_object(), *reason = json_null();

    json_put(object, "lease", json_integer(lease->id));
    json_put(object, "name", json_from_text(lease->name));
    json_put(object, "kind", json_string(book_kind_words[lease->kind]));
    json_put(object, "phase", json_string(phase_name(lease->phase)));
    put_owner(object, lease);
    put_size(object, lease, vms, n);
    put_times(object, lease, now);
    put_terms(object, lease);
    if (*lease->reason_word || *lease->reason) {
        reason = json_object();
        json_put(reason, "word", json_from_text(lease->reason_word));
        json_put(reason, "text", json_from_text(lease->reason));
    }
    json_put(object, "reason", reason);
    return object;
}

json_t *json_from_vm(const struct book_vm *vm)
{
    json_t *object = json_object();

    json_put(object, "vm", json_integer(vm->id));
    json_put(object, "goal", json_string(book_goal_words[vm->goal]));
    json_put(object, "host", vm->host < 0 ? json_null() : json_integer(vm->host));
    json_put(object, "cpu", json_real((double)vm->cpu / 100));
    json_put(object, "memory", json_integer(vm->memory));
    json_put(object, "ran", json_boolean(vm->ran));
    json_put(object, "gone", json_boolean(vm->gone));
    json_put(object, "command", *vm->command ? json_from_text(vm->command) : json_null());
    json_put(object, "sent", json_from_instant(vm->sent));
    json_put(object, "attempts", json_integer(vm->attempts));
    json_put(object, "next_try", json_from_instant(vm->next_try));
    json_put(object, "message", *vm->message ? json_from_text(vm->message) : json_null());
    return object;
}
