/* Answers which leases would make room for another one. */
#include <stdio.h>
#include <string.h>

#include "daemon/control/answers.h"
#include "daemon/control/jansson_values.h"

static const struct {
    const char *word, *would;
} fates[] = {
    [VICTIM_SUSPENDED] = {"suspended", "be suspended"},
    [VICTIM_RESTARTED] = {"restarted", "be restarted"},
    [VICTIM_ENDED] = {"ended", "be ended"},
    [VICTIM_LATER] = {"later", "start later: this lease gets its hosts"},
};

static size_t n_shown(const struct victims *victims)
{
    return victims->n < VICTIMS_SHOWN ? victims->n : VICTIMS_SHOWN;
}

void answers_add_victims(char *text, size_t size, const struct victims *victims)
{
    for (size_t i = 0; i < n_shown(victims); i++) {
        const struct victim_view *victim = &victims->shown[i];
        size_t length = strlen(text);
        char when[64];

        lease_time_text(victim->at, when, sizeof when);
        snprintf(text + length, size - length, "%sLease %lld would %s at %s.", length ? "\n" : "",
                 (long long)victim->lease, fates[victim->fate].would, when);
    }
    if (victims->n > VICTIMS_SHOWN)
        snprintf(text + strlen(text), size - strlen(text), "\n%zu more leases would make room.",
                 victims->n - VICTIMS_SHOWN);
}

json_t *json_from_victims(const struct victims *victims)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n_shown(victims); i++)
        json_array_append_new(list, json_pack("{s:I, s:s, s:o}", "lease",
                                              (json_int_t)victims->shown[i].lease, "fate",
                                              fates[victims->shown[i].fate].word, "at",
                                              json_from_instant(victims->shown[i].at)));
    return list;
}

void answers_put_victims(json_t *answer, const struct victims *victims)
{
    char text[VICTIMS_TEXT_MAX] = "";

    answers_add_victims(text, sizeof text, victims);
    json_put(answer, "victims", *text ? json_from_text(text) : json_null());
    json_put(answer, "preempted", json_from_victims(victims));
}
