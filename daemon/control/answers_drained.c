/* Answers what a drain of hosts does to the VMs there. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/reason.h"
#include "daemon/control/answers_private.h"
#include "util/instant.h"

/* Appends a part of a sentence, after `before` if it is not the first one. */
__attribute__((format(printf, 3, 4))) static void add(char text[STORE_SENTENCE_MAX],
                                                      const char *before, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;

    if (length)
        length += (size_t)snprintf(text + length, STORE_SENTENCE_MAX - length, "%s", before);
    if (length >= STORE_SENTENCE_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(text + length, STORE_SENTENCE_MAX - length, format, arguments);
    va_end(arguments);
}

static void say_why(const struct drained_vm *vm, char text[STORE_SENTENCE_MAX])
{
    struct reason reason = {.id = vm->reason, .text = vm->reason_text};
    char when[64];

    text[0] = '\0';
    memcpy(reason.n, vm->reason_n, sizeof reason.n);
    if (vm->starts)
        add(text, "", "when it runs");
    if (vm->cause.word)
        add(text, ", ", "%s", vm->cause.sentence);
    if (vm->reason == REASON_NO_OTHER_HOST) /* the answer names the VM and the host */
        add(text, "", "%s", vm->reason_text);
    else if (vm->reason != REASON_NONE)
        reason_format_body(&reason, text, STORE_SENTENCE_MAX, lease_time_text);
    if (vm->for_lease < 0)
        return;
    lease_time_text(vm->leaves, when, sizeof when);
    if (vm->how == DRAINED_STAYS)
        add(text, "; ", "until %s, when it makes room for lease %lld", when,
            (long long)vm->for_lease);
    else
        add(text, "", "for lease %lld", (long long)vm->for_lease);
}

static json_t *json_from_reason(const struct drained_vm *vm)
{
    json_t *reason, *numbers = json_array();

    for (size_t i = 0; i < sizeof vm->reason_n / sizeof *vm->reason_n; i++)
        json_array_append_new(numbers, json_integer(vm->reason_n[i]));
    reason = json_pack("{s:s, s:o}", "id", reason_name(vm->reason), "numbers", numbers);
    json_put(reason, "text", json_from_text(vm->reason_text));
    return reason;
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
    json_put(line, "reason", vm->reason ? json_from_reason(vm) : json_null());
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
}
