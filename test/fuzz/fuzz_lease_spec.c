/* The HAIZEA attribute as a VM's owner may write it: one line per attribute, NAME=VALUE. What is
 * read must be consistent, what is refused must have a printable reason. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/lease_spec.h"
#include "util/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ATTRIBUTES = 32 };

static void check_wish(const struct lease_spec *spec)
{
    bool timed = spec->kind == LEASE_RESERVATION;

    if (timed != (spec->start != INSTANT_NONE) || spec->duration < 1 ||
        (spec->kind == LEASE_DEADLINE) != (spec->deadline != INSTANT_NONE) ||
        spec->preemptible != (spec->terms != TERMS_NON_PREEMPTABLE) ||
        strlen(spec->group) >= LEASE_SPEC_GROUP_MAX || (spec->group_size && !spec->group[0]))
        abort();
}

static void check_reason(const char *reason)
{
    if (!*reason || strlen(reason) >= LEASE_SPEC_TEXT_MAX)
        abort();
    for (; *reason; reason++)
        if (*reason < ' ' || *reason > '~')
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct lease_spec_defaults defaults = {.duration = SPAN_UNLIMITED};
    struct attribute items[ATTRIBUTES];
    struct vm vm = {.stime = 1700000000, .is_extended = true, .user_template = {items, 0, 0}};
    char *text = memory_new(size + 1, 1), *rest = text, *line, reason[LEASE_SPEC_TEXT_MAX];
    struct lease_spec spec;

    if (size)
        memcpy(text, data, size);
    while (vm.user_template.n < ATTRIBUTES && (line = strsep(&rest, "\n"))) {
        char *name = strsep(&line, "=");

        items[vm.user_template.n++] = (struct attribute){name, line ? line : ""};
    }
    if (lease_spec_read(&vm, &defaults, &spec, reason) == 0)
        check_wish(&spec);
    else
        check_reason(reason);
    free(text);
    return 0;
}
