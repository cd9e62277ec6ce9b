/* Answers what a drain of hosts does to the VMs there. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/reason.h"
#include "core/reason_details.h"
#include "daemon/control/answers_private.h"
#include "util/append.h"
#include "util/instant.h"

/* Appends a part of a sentence, after `before` if it is not the first one. */
__attribute__((format(printf, 3, 4))) static void add(char text[STORE_SENTENCE_MAX],
                                                      const char *before, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;

    if (length)
        length = append_text(text, STORE_SENTENCE_MAX, length, "%s", before);
    va_start(arguments, format);
    vsnprintf(text + length, STORE_SENTENCE_MAX - length, format, arguments);
    va_end(arguments);
}

static void say_why(const struct drained_vm *vm, char text[STORE_SENTENCE_MAX])
{
    char when[64], why[STORE_SENTENCE_MAX];

    text[0] = '\0';
    if (vm->starts)
        add(text, "", "when it runs");
    if (vm->cause.word)
        add(text, ", ", "%s", vm->cause.sentence);
    if (vm->reason.id == REASON_NO_OTHER_HOST) /* the answer names the VM and the host */
        add(text, "", "%s", details_text(vm->reason.text, why, sizeof why, lease_time_text));
    else if (vm->reason.id != REASON_NONE)
        store_told_text(&vm->reason, true, text, STORE_SENTENCE_MAX);
    if (vm->for_lease < 0)
        return;
    lease_time_text(vm->leaves, when, sizeof when);
    if (vm->how == DRAINED_STAYS)
        add(text, "; ", "until %s, when it makes room for lease %lld", when,
            (long long)vm->for_lease);
    else
        add(text, "", "for lease %lld", (long long)vm->for_lease);
}

static json_t *json_from_detail(const struct detail *detail)
{
    json_t *numbers = json_array();

    for (size_t i = 0; i < details_numbers(detail->id); i++)
        json_array_append_new(numbers, json_integer(detail->n[i]));
    return json_pack("{s:s, s:o, s:o}", "word", detail_words[detail->id], "numbers", numbers,
                     "name", json_from_text(detail->name));
}

json_t *json_from_reason(const struct told_reason *told)
{
    json_t *numbers = json_array(), *details = json_array();
    char text[STORE_SENTENCE_MAX], name[DETAIL_NAME_MAX];
    const char *rest = told->text;
    struct detail detail;

    if (told->id == REASON_NONE) {
        json_decref(numbers);
        json_decref(details);
        return json_null();
    }
    for (size_t i = 0; i < REASON_NUMBERS; i++)
        json_array_append_new(numbers, json_integer(told->n[i]));
    while (details_next(&rest, &detail, name))
        json_array_append_new(details, json_from_detail(&detail));
    store_told_text(told, true, text, sizeof text);
    return json_pack("{s:o, s:s, s:o, s:o, s:o}", "word", json_from_text(told->word), "id",
                     reason_name(told->id), "numbers", numbers, "details", details, "text",
                     json_from_text(text));
}

static json_t *json_from_drained(const struct drained_vm *vm)
{
    static const char *const words[] = {[DRAINED_ENDS] = "ends",
                                        [DRAINED_MOVES] = "moves",
                                        [DRAINED_SUSPENDED] = "suspended",
                                        [DRAINED_STAYS] = "stays"};
    json_t *line = json_object();
    char why[STORE_SENTENCE_MAX];

    say_why(vm, why);
    json_put(line, "vm", json_integer(vm->vm));
    json_put(line, "lease", json_integer(vm->lease));
    json_put(line, "host", json_integer(vm->host));
    json_put(line, "what", json_string(words[vm->how]));
    json_put(line, "to", vm->to < 0 ? json_null() : json_integer(vm->to));
    json_put(line, "at", json_from_instant(vm->at));
    json_put(line, "when_it_runs", json_boolean(vm->starts));
    json_put(line, "cause", vm->cause.word ? json_string(vm->cause.word) : json_null());
    json_put(line, "reason", json_from_reason(&vm->reason));
    json_put(line, "for_lease", vm->for_lease < 0 ? json_null() : json_integer(vm->for_lease));
    json_put(line, "why", *why ? json_from_text(why) : json_null());
    return line;
}

json_t *answers_ids(const int32_t *hosts, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_integer(hosts[i]));
    return list;
}

json_t *answers_split_names(const char *names)
{
    json_t *list = json_array();

    while (*names) {
        size_t length = strcspn(names, ",");

        json_array_append_new(list, json_stringn(names, length));
        names += length + (names[length] == ',');
    }
    return list;
}

void answers_put_drains(json_t *answer, const struct drain_result *result)
{
    json_t *vms = json_array(), *unplaced = json_array();

    for (size_t i = 0; i < result->n_vms; i++)
        json_array_append_new(vms, json_from_drained(&result->vms[i]));
    for (size_t i = 0; i < result->n_unplaced; i++)
        json_array_append_new(unplaced, json_integer(result->unplaced[i]));
    json_put(answer, "hosts", answers_ids(result->hosts, result->n_hosts));
    json_put(answer, "vms", vms);
    json_put(answer, "unplaced", unplaced);
    json_put(answer, "out_of_service", answers_ids(result->out_of_service, result->n_out));
    json_put(answer, "unknown", answers_split_names(result->unknown));
}
