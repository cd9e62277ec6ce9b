/* Explains which hosts a VM may not use, and why. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/eligibility_parts.h"
#include "util/count_text.h"
#include "util/memory.h"
#include "util/printable.h"
#include "util/suggest.h"

enum { SENTENCE_MAX = 256 };

struct requirement_sentence {
    char text[SENTENCE_MAX];
    size_t length, n_parts;
};

__attribute__((format(printf, 2, 3))) static void add(struct requirement_sentence *sentence,
                                                      const char *format, ...)
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

/* Removes all hosts that are not in `these`, and adds their number to the sentence. why: as for
 * count_text(). */
static void lose(const struct eligibility *eligibility, struct requirement_sentence *sentence,
                 uint64_t *hosts, const uint64_t *these, const char *why)
{
    size_t words = host_columns_words(eligibility->columns), before = count(hosts, words), lost;
    char counted[SENTENCE_MAX];

    for (size_t i = 0; i < words; i++)
        hosts[i] &= these[i];
    lost = before - count(hosts, words);
    if (lost == 0)
        return;
    count_text(counted, sizeof counted, lost, eligibility->hosts->n, why);
    add(sentence, "%s%s", sentence->n_parts++ ? ", " : "", counted);
}

/* Reports an attribute that no host has, which is the most frequent mistake in requirements. */
static bool name_unknown(const struct eligibility *eligibility,
                         struct requirement_sentence *sentence,
                         const struct expression *requirement)
{
    struct suggestion suggestion;
    const char *unknown = NULL, *known;
    char shown[40];

    for (size_t i = 0; !unknown && i < requirement->n_comparisons; i++)
        if (strcmp(requirement->comparisons[i].name, ATTRIBUTE_VMS) &&
            !host_columns_knows(eligibility->columns, requirement->comparisons[i].name))
            unknown = requirement->comparisons[i].name;
    if (!unknown)
        return false;
    suggestion_init(&suggestion, unknown);
    for (size_t i = 0;
         strlen(unknown) < sizeof shown && (known = host_columns_name(eligibility->columns, i));
         i++)
        suggestion_offer(&suggestion, known);
    printable(shown, sizeof shown, unknown);
    add(sentence, "; no host has an attribute %s%s", shown, suggestion_text(&suggestion));
    return true;
}

/* Reports the first required part that no host meets, or that each part is met by some host. */
static void name_part(const struct eligibility *eligibility, struct requirement_sentence *sentence,
                      const struct expression *requirement, const char *text)
{
    struct expression_part parts[16];
    size_t words = host_columns_words(eligibility->columns);
    size_t n = expression_parts(requirement, parts, sizeof parts / sizeof *parts);
    uint64_t *hosts = memory_new(words, sizeof *hosts);
    char shown[64];
    size_t i = n;

    while (n > 1 && i-- > 0) {
        struct expression part = *requirement;

        part.code += parts[i].first;
        part.n = parts[i].n;
        host_columns_allow(eligibility->columns, &part, hosts);
        if (count(hosts, words) > 0)
            continue;
        printable_part(shown, sizeof shown, text + parts[i].from, parts[i].to - parts[i].from);
        add(sentence, parts[i].negated ? "; no host meets !(%s)%s" : "; no host meets %s%s", shown,
            parts[i].changes ? " at present" : "");
        break;
    }
    if (n == 1 && parts[0].changes)
        add(sentence, " at present");
    if (n > 1 && i == (size_t)-1)
        host_columns_allow(eligibility->columns, requirement, hosts);
    if (n > 1 && i == (size_t)-1 && count(hosts, words) == 0)
        add(sentence, "; each part is met by some host, but no host meets all of them");
    free(hosts);
}

static void name_cause(const struct eligibility *eligibility, struct requirement_sentence *sentence,
                       const char *text)
{
    struct expression *requirement = expression_parse_requirement(text, NULL);

    if (requirement && !name_unknown(eligibility, sentence, requirement))
        name_part(eligibility, sentence, requirement, text);
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
         wants->datastore >= 0 ? "do not have the system datastore that the VM's disks are on"
                               : "have no enabled system datastore that the VM may use");
    if (wants->room == 0)
        return;
    eligibility_datastore_hosts(eligibility, wants, these);
    snprintf(why, sizeof why, "have no system datastore with room for %" PRId64 " MB", wants->room);
    lose(eligibility, sentence, hosts, these, why);
}

static void lose_for_networks(const struct eligibility *eligibility,
                              struct requirement_sentence *sentence, uint64_t *hosts,
                              const struct wants *wants, uint64_t *these)
{
    size_t parts = sentence->n_parts;
    char why[SENTENCE_MAX];

    eligibility_network_hosts(eligibility, wants, these);
    lose(eligibility, sentence, hosts, these, "are in clusters without networks for the VM");
    if (sentence->n_parts == parts)
        return;
    eligibility_network_reason(eligibility, wants, -1, why, sizeof why);
    add(sentence, " (%s)", why);
}

/* OpenNebula writes this requirement: an attribute that no host has is not the owner's mistake. */
static void lose_for_automatic(const struct eligibility *eligibility,
                               struct requirement_sentence *sentence, uint64_t *hosts,
                               const struct wants *wants, const char *text)
{
    struct expression *requirement;
    size_t parts = sentence->n_parts, length;
    char shown[80];

    lose(eligibility, sentence, hosts, eligibility->requirements[wants->automatic].hosts,
         "do not meet OpenNebula's AUTOMATIC_REQUIREMENTS");
    if (sentence->n_parts == parts || !text)
        return;
    length = sentence->length;
    requirement = expression_parse_requirement(text, NULL);
    if (requirement)
        name_part(eligibility, sentence, requirement, text);
    if (sentence->length == length)
        add(sentence, " %s", printable(shown, sizeof shown, text));
    expression_destroy(requirement);
}

static void lose_all(struct eligibility *eligibility, struct requirement_sentence *sentence,
                     const struct wants *wants, const struct vm *vm)
{
    size_t words = host_columns_words(eligibility->columns), parts;
    uint64_t *hosts = memory_new(words, sizeof *hosts), *these = memory_new(words, sizeof *these);
    const char *requirement = eligibility_text(vm, "SCHED_REQUIREMENTS");
    char shown[80];

    for (size_t i = 0; i < eligibility->hosts->n; i++)
        bitmap_add(hosts, i);
    lose(eligibility, sentence, hosts, eligibility->in_service,
         "are disabled, offline or in error");
    lose(eligibility, sentence, hosts, eligibility->accesses[wants->access].hosts,
         "are not permitted to the owner (MANAGE)");
    lose_for_datastores(eligibility, sentence, hosts, wants, these);
    lose_for_networks(eligibility, sentence, hosts, wants, these);
    if (wants->roles != MAP_NONE && eligibility->roles[wants->roles].why)
        lose(eligibility, sentence, hosts, eligibility->roles[wants->roles].allowed,
             eligibility->roles[wants->roles].why);
    if (wants->automatic != MAP_NONE)
        lose_for_automatic(eligibility, sentence, hosts, wants,
                           eligibility_automatic(eligibility, vm, "AUTOMATIC_REQUIREMENTS"));
    if (wants->requirement != MAP_NONE && requirement) {
        parts = sentence->n_parts;
        lose(eligibility, sentence, hosts, eligibility->requirements[wants->requirement].hosts,
             "do not meet SCHED_REQUIREMENTS");
        if (sentence->n_parts > parts) {
            add(sentence, " %s", printable(shown, sizeof shown, requirement));
            name_cause(eligibility, sentence, requirement);
        }
    }
    free(hosts);
    free(these);
}

char *eligibility_reason(struct eligibility *eligibility, const struct wants *wants,
                         const struct vm *vm, bool none_left)
{
    struct requirement_sentence sentence = {0};
    char text[SENTENCE_MAX];

    if (eligibility->hosts->n == 0)
        add(&sentence, "OpenNebula has no hosts");
    else if (none_left)
        add(&sentence,
            eligibility->hosts->n == 1 ? "the only host cannot be used: "
                                       : "none of the %zu hosts can be used: ",
            eligibility->hosts->n);
    lose_all(eligibility, &sentence, wants, vm);
    printable(text, sizeof text, sentence.text);
    return memory_text(text);
}
