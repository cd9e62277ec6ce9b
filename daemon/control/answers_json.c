/* Makes JSON of the store's records. */
#include "daemon/control/answers_json.h"

#include <stdlib.h>

#include "daemon/control/answers_text.h"
#include "daemon/store/words.h"
#include "util/time_text.h"

json_t *json_from_output(struct output *text)
{
    size_t length;
    const char *bytes = output_held(text, &length);
    json_t *value = json_loadb(bytes, length, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);

    output_destroy(text);
    return value;
}

json_t *json_from_text(const char *text)
{
    struct output *output;
    struct json_writer writer;
    json_t *value = json_string(text);

    if (value)
        return value;
    output = output_create_memory();
    json_writer_init(&writer, output);
    json_write_string(&writer, text);
    return json_from_output(output);
}

json_t *json_from_instant(int64_t instant)
{
    char text[TIME_TEXT_MAX];

    if (instant == INSTANT_NONE)
        return json_null();
    time_text_utc(instant, text, sizeof text);
    return json_string(text);
}

void json_put(json_t *object, const char *key, json_t *value)
{
    /* Fails only when out of memory, here or when value was made. */
    if (json_object_set_new(object, key, value) < 0)
        abort();
}

json_t *json_from_lease(const struct shown_lease *view, int64_t now)
{
    struct output *text = output_create_memory();
    struct json_writer writer;

    json_writer_init(&writer, text);
    json_write_lease(&writer, view, now);
    return json_from_output(text);
}

static const char *promise_word(const struct vm_record *vm)
{
    static const char *const words[] = {
        [PROMISE_INTACT] = "written",        [PROMISE_DAMAGED] = "damaged",
        [PROMISE_REPAIRED] = "repaired",     [PROMISE_OF_OTHERS] = "unreadable",
        [PROMISE_UNANSWERED] = "unanswered",
    };

    return vm->promise_digest || vm->promise_state != PROMISE_INTACT ? words[vm->promise_state]
                                                                     : "none";
}

json_t *json_from_vm(const struct vm_record *vm)
{
    json_t *object = json_object();

    json_put(object, "vm", json_integer(vm->id));
    json_put(object, "goal", json_string(store_goal_words[vm->goal]));
    json_put(object, "host", vm->host < 0 ? json_null() : json_integer(vm->host));
    json_put(object, "cpu", json_real((double)vm->cpu / 100));
    json_put(object, "memory", json_integer(vm->memory));
    json_put(object, "ran", json_boolean(vm->ran));
    json_put(object, "gone", json_boolean(vm->gone));
    json_put(object, "command",
             vm->command ? json_string(command_words[vm->command]) : json_null());
    json_put(object, "sent", json_from_instant(vm->sent));
    json_put(object, "attempts", json_integer(vm->attempts));
    json_put(object, "next_try", json_from_instant(vm->next_try));
    json_put(object, "message", *vm->message ? json_from_text(vm->message) : json_null());
    json_put(object, "promise", json_string(promise_word(vm)));
    return object;
}
