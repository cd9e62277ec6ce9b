#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/eligibility_parts.h"
#include "adapters/opennebula/printable.h"
#include "util/memory.h"
#include "util/suggest.h"

enum { SENTENCE_MAX = 256 };

struct requirement_sentence {
    char text[SENTENCE_MAX];
    size_t length, n_parts;
};

static void add(struct requirement_sentence *sentence, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct requirement_sentence *sentence, const char *format, ...)
{
    va_list arguments;
    int written;

    va_start(arguments, format);
    written = vsnprintf(sentence->text + sentence->length, SENTENCE_MAX - sentence->length, format,
                        arguments);
    va_end(arguments);
    if (written > 0)
        sentence->length += (size_t)written;
    if (sentence->length > SENTENCE_MAX - 1)
        sentence->length = SENTENCE_MAX - 1;
}

static size_t count(const uint64_t *hosts, size_t words)
{
    size_t n = 0;

    for (size_t i = 0; i < words; i++)
        n += (size_t)__builtin_popcountll(hosts[i]);
    return n;
}

/* Removes from hosts all that are not in these, and says how many were removed. */
static void lose(const struct eligibility *eligibility, struct requirement_sentence *sentence,
                 uint64_t *hosts, const uint64_t *these, const char *why)
{
    size_t words = host_columns_words(eligibility->columns), before = count(hosts, words), lost;

    for (size_t i = 0; i < words; i++)
        hosts[i] &= these[i];
    lost = before - count(hosts, words);
    if (lost == 0)
        return;
    add(sentence, "%s%zu %s", sentence->n_parts++ ? ", " : "", lost, why);
}

/* An attribute of the requirement that no host has is its most frequent mistake. */
static void name_unknown(const struct eligibility *eligibility,
                         struct requirement_sentence *sentence, const char *text)
{
    struct expression *requirement = expression_parse_requirement(text, NULL);
    struct suggestion suggestion;
    const char *unknown = NULL, *known;
    char shown[40], near[80];

    for (size_t i = 0; requirement && !unknown && i < requirement->n_comparisons; i++)
        if (strcmp(requirement->comparisons[i].name, ATTRIBUTE_VMS) &&
            !host_columns_knows(eligibility->columns, requirement->comparisons[i].name))
            unknown = requirement->comparisons[i].name;
    if (unknown) {
        suggestion_init(&suggestion, unknown);
        for (size_t i = 0;
             strlen(unknown) < sizeof shown && (known = host_columns_name(eligibility->columns, i));
             i++)
            suggestion_offer(&suggestion, known);
        printable(shown, sizeof shown, unknown);
        add(sentence, "; no host has an attribute %s%s", shown,
            suggestion_text(&suggestion, near, sizeof near));
    }
    expression_destroy(requirement);
}

static void lose_for_datastores(const struct eligibility *eligibility,
                                struct requirement_sentence *sentence, uint64_t *hosts,
                                const struct wants *wants, uint64_t *these)
{
    struct wants without_room = *wants;
    char why[96];

    without_room.room = 0;
    eligibility_datastore_hosts(eligibility, &without_room, these);
    lose(eligibility, sentence, hosts, these,
         wants->datastore >= 0 ? "without the system datastore the VM's disks are on"
                               : "without an enabled system datastore the VM may use");
    if (wants->room == 0)
        return;
    eligibility_datastore_hosts(eligibility, wants, these);
    snprintf(why, sizeof why, "without a system datastore with room for %" PRId64 " MB",
             wants->room);
    lose(eligibility, sentence, hosts, these, why);
}

char *eligibility_reason(const struct eligibility *eligibility, const struct wants *wants,
                         const char *requirement)
{
    size_t words = host_columns_words(eligibility->columns);
    struct requirement_sentence sentence = {0};
    uint64_t *hosts = memory_new(words, sizeof *hosts), *these = memory_new(words, sizeof *these);
    char shown[80], text[SENTENCE_MAX];

    for (size_t i = 0; i < eligibility->hosts->n; i++)
        bitmap_add(hosts, i);
    if (eligibility->hosts->n == 0)
        add(&sentence, "OpenNebula has no hosts");
    else
        add(&sentence, "no host can be used: of %zu, ", eligibility->hosts->n);
    lose(eligibility, &sentence, hosts, eligibility->in_service, "disabled, offline or in error");
    lose(eligibility, &sentence, hosts, eligibility->accesses[wants->access].hosts,
         "not permitted to the owner (MANAGE)");
    lose_for_datastores(eligibility, &sentence, hosts, wants, these);
    if (wants->automatic != MAP_NONE)
        lose(eligibility, &sentence, hosts, eligibility->requirements[wants->automatic].hosts,
             "not meeting OpenNebula's AUTOMATIC_REQUIREMENTS");
    if (wants->requirement != MAP_NONE && requirement) {
        size_t parts = sentence.n_parts;

        lose(eligibility, &sentence, hosts, eligibility->requirements[wants->requirement].hosts,
             "not meeting SCHED_REQUIREMENTS");
        if (sentence.n_parts > parts) {
            add(&sentence, " %s", printable(shown, sizeof shown, requirement));
            name_unknown(eligibility, &sentence, requirement);
        }
    }
    free(hosts);
    free(these);
    printable(text, sizeof text, sentence.text);
    return memory_text(text);
}
