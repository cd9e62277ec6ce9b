/* Explains which hosts a VM may not use, and why. */
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/eligibility_parts.h"
#include "core/reason_details.h"
#include "util/memory.h"
#include "util/printable.h"
#include "util/suggest.h"

enum { EXCLUSIONS_MAX = 256 };

/* The hosts that are left, and what excludes the others. */
struct exclusions {
    const struct eligibility *eligibility;
    uint64_t *hosts, *these; /* these: to work with */
    char text[EXCLUSIONS_MAX];
    char more[EXCLUSIONS_MAX]; /* follows all of `text` */
};

static size_t count(const uint64_t *hosts, size_t words)
{
    size_t n = 0;

    for (size_t i = 0; i < words; i++)
        n += (size_t)__builtin_popcountll(hosts[i]);
    return n;
}

/* Removes all hosts that are not in `these`, and returns their number. */
static size_t lose(struct exclusions *exclusions, const uint64_t *these)
{
    size_t words = host_columns_words(exclusions->eligibility->columns);
    size_t before = count(exclusions->hosts, words);

    for (size_t i = 0; i < words; i++)
        exclusions->hosts[i] &= these[i];
    return before - count(exclusions->hosts, words);
}

/* Says what excludes so many hosts, if any. */
static void say(struct exclusions *exclusions, size_t lost, struct detail detail)
{
    detail.n[0] = (int64_t)lost;
    detail.n[1] = (int64_t)exclusions->eligibility->hosts->n;
    if (lost > 0)
        details_add(exclusions->text, EXCLUSIONS_MAX, &detail);
}

static void say_more(struct exclusions *exclusions, struct detail detail)
{
    details_add(exclusions->more, EXCLUSIONS_MAX, &detail);
}

/* Reports an attribute that no host has, which is the most frequent mistake in requirements. */
static bool name_unknown(struct exclusions *exclusions, const struct expression *requirement)
{
    struct host_columns *columns = exclusions->eligibility->columns;
    struct suggestion suggestion;
    const char *unknown = NULL, *known;
    char shown[40];

    for (size_t i = 0; !unknown && i < requirement->n_comparisons; i++)
        if (strcmp(requirement->comparisons[i].name, ATTRIBUTE_VMS) &&
            !host_columns_knows(columns, requirement->comparisons[i].name))
            unknown = requirement->comparisons[i].name;
    if (!unknown)
        return false;
    suggestion_init(&suggestion, unknown);
    for (size_t i = 0; strlen(unknown) < sizeof shown && (known = host_columns_name(columns, i));
         i++)
        suggestion_offer(&suggestion, known);
    say_more(exclusions, (struct detail){.id = DETAIL_UNKNOWN_ATTRIBUTE,
                                         .name = printable(shown, sizeof shown, unknown)});
    if (suggestion.best)
        say_more(exclusions, (struct detail){.id = DETAIL_SUGGESTION, .name = suggestion.best});
    return true;
}

/* Reports the first required part that no host meets, or that each part is met by some host. True:
 * the requirement has only one part, which changes all the time. */
static bool name_part(struct exclusions *exclusions, const struct expression *requirement,
                      const char *text)
{
    struct host_columns *columns = exclusions->eligibility->columns;
    struct expression_part parts[16];
    size_t words = host_columns_words(columns);
    size_t n = expression_parts(requirement, parts, sizeof parts / sizeof *parts);
    char shown[64];

    for (size_t i = n; n > 1 && i-- > 0;) {
        struct expression part = *requirement;

        part.code += parts[i].first;
        part.n = parts[i].n;
        host_columns_allow(columns, &part, exclusions->these);
        if (count(exclusions->these, words) > 0)
            continue;
        printable_part(shown, sizeof shown, text + parts[i].from, parts[i].to - parts[i].from);
        say_more(exclusions, (struct detail){.id = DETAIL_PART_UNMET,
                                             .n = {parts[i].negated, parts[i].changes},
                                             .name = shown});
        return false;
    }
    if (n > 1) {
        host_columns_allow(columns, requirement, exclusions->these);
        if (count(exclusions->these, words) == 0)
            say_more(exclusions, (struct detail){.id = DETAIL_EACH_PART_MET});
    }
    return n == 1 && parts[0].changes;
}

static void lose_for_datastores(struct exclusions *exclusions, const struct wants *wants)
{
    struct wants without_room = *wants;

    without_room.room = 0;
    eligibility_datastore_hosts(exclusions->eligibility, &without_room, exclusions->these);
    say(exclusions, lose(exclusions, exclusions->these),
        (struct detail){.id =
                            wants->datastore >= 0 ? DETAIL_OTHER_DATASTORE : DETAIL_NO_DATASTORE});
    if (wants->room == 0)
        return;
    eligibility_datastore_hosts(exclusions->eligibility, wants, exclusions->these);
    say(exclusions, lose(exclusions, exclusions->these),
        (struct detail){.id = DETAIL_DATASTORES_FULL, .n = {0, 0, wants->room}});
}

static void lose_for_networks(struct exclusions *exclusions, const struct wants *wants)
{
    size_t lost;

    eligibility_network_hosts(exclusions->eligibility, wants, exclusions->these);
    lost = lose(exclusions, exclusions->these);
    say(exclusions, lost, (struct detail){.id = DETAIL_NO_NETWORKS});
    if (lost > 0)
        eligibility_network_reason(exclusions->eligibility, wants, -1, exclusions->more,
                                   EXCLUSIONS_MAX);
}

/* OpenNebula writes the automatic requirement: an attribute in it that no host has is not the
 * owner's mistake. */
static void lose_for_requirement(struct exclusions *exclusions, uint32_t number, const char *text,
                                 enum detail_id kind)
{
    bool automatic = kind == DETAIL_AUTOMATIC;
    struct detail detail = {.id = kind};
    struct expression *requirement;
    size_t lost;
    char shown[80], *more = exclusions->more + strlen(exclusions->more);

    if (number == MAP_NONE || !text)
        return;
    lost = lose(exclusions, exclusions->eligibility->requirements[number].hosts);
    requirement = lost > 0 ? expression_parse_requirement(text, NULL) : NULL;
    if (requirement && (automatic || !name_unknown(exclusions, requirement)))
        detail.n[2] = name_part(exclusions, requirement, text);
    if (!automatic || (!*more && !detail.n[2]))
        detail.name = printable(shown, sizeof shown, text);
    say(exclusions, lost, detail);
    expression_destroy(requirement);
}

static void lose_all(struct exclusions *exclusions, struct eligibility *eligibility,
                     const struct wants *wants, const struct vm *vm)
{
    const struct role_hosts *roles =
        wants->roles == MAP_NONE ? NULL : &eligibility->roles[wants->roles];

    for (size_t i = 0; i < eligibility->hosts->n; i++)
        bitmap_add(exclusions->hosts, i);
    say(exclusions, lose(exclusions, eligibility->in_service),
        (struct detail){.id = DETAIL_OUT_OF_SERVICE});
    say(exclusions, lose(exclusions, eligibility->accesses[wants->access].hosts),
        (struct detail){.id = DETAIL_NOT_PERMITTED});
    lose_for_datastores(exclusions, wants);
    lose_for_networks(exclusions, wants);
    if (roles && roles->role)
        say(exclusions, lose(exclusions, roles->allowed),
            (struct detail){
                .id = DETAIL_ROLE_EXCLUDES, .n = {0, 0, roles->group}, .name = roles->role});
    lose_for_requirement(exclusions, wants->automatic,
                         eligibility_automatic(eligibility, vm, "AUTOMATIC_REQUIREMENTS"),
                         DETAIL_AUTOMATIC);
    lose_for_requirement(exclusions, wants->requirement, eligibility_text(vm, "SCHED_REQUIREMENTS"),
                         DETAIL_REQUIREMENT);
}

char *eligibility_reason(struct eligibility *eligibility, const struct wants *wants,
                         const struct vm *vm, bool none_left)
{
    size_t words = host_columns_words(eligibility->columns), n = eligibility->hosts->n;
    struct exclusions exclusions = {.eligibility = eligibility,
                                    .hosts = memory_new(words, sizeof *exclusions.hosts),
                                    .these = memory_new(words, sizeof *exclusions.these)};

    if (n == 0 || none_left)
        details_add(
            exclusions.text, EXCLUSIONS_MAX,
            &(struct detail){.id = n ? DETAIL_NONE_LEFT : DETAIL_NO_HOSTS, .n = {(int64_t)n}});
    lose_all(&exclusions, eligibility, wants, vm);
    details_append(exclusions.text, EXCLUSIONS_MAX, exclusions.more);
    free(exclusions.hosts);
    free(exclusions.these);
    return memory_text(exclusions.text);
}
