/* Caches the hosts with room for a VM of one size. */
#include "core/host_survey.h"

#include <stdlib.h>
#include <string.h>

#include "core/profile.h"
#include "util/memory.h"

enum {
    SURVEYS_NOW = 4, /* VM sizes that alternate in a queue */
    KINDS_MOST = 64, /* of hosts, by capacity; with more kinds there are no classes */
};

struct surveys {
    struct survey now[SURVEYS_NOW];
    uint32_t next; /* the survey to replace next */
    struct survey later;
    size_t n_hosts;
    uint32_t *changed; /* scratch: hosts to examine again, without duplicates */
    uint64_t *round;   /* per host: the last round in which it had to be examined again */
    uint64_t rounds;
    uint32_t *kinds; /* one per host; NULL: not needed yet */
    size_t n_kinds;

    const struct slot_table *most_table;
    struct amounts most_vm; /* the VM size for which most_on_a_host was counted */
    uint32_t most_on_a_host;

    uint64_t vms_version; /* the version for which vms_now was counted */
    struct amounts vms_vm;
    uint32_t vms_now;
};

struct surveys *surveys_create(size_t n_hosts)
{
    struct surveys *surveys = memory_new(1, sizeof *surveys);

    surveys->n_hosts = n_hosts;
    for (int i = 0; i < SURVEYS_NOW; i++)
        surveys->now[i].looks = memory_new(n_hosts, sizeof *surveys->now[i].looks);
    surveys->later.looks = memory_new(n_hosts, sizeof *surveys->later.looks);
    surveys->changed = memory_new(n_hosts, sizeof *surveys->changed);
    surveys->round = memory_new(n_hosts, sizeof *surveys->round);
    surveys->vms_version = UINT64_MAX;
    return surveys;
}

void surveys_destroy(struct surveys *surveys)
{
    if (!surveys)
        return;
    for (int i = 0; i < SURVEYS_NOW; i++) {
        free(surveys->now[i].looks);
        host_classes_destroy(surveys->now[i].classes);
    }
    free(surveys->later.looks);
    free(surveys->changed);
    free(surveys->round);
    free(surveys->kinds);
    free(surveys);
}

/* --- numbers of hosts by free time ------------------------------------------------------------ */

static void count_in(struct survey *survey, int64_t until)
{
    uint32_t step = 0;

    if (until == INSTANT_NONE)
        return;
    survey->n_fitting++;
    if (!survey->has_steps)
        return;
    while (step < survey->n_steps && survey->steps[step].until != until)
        step++;
    if (step == SURVEY_STEPS) {
        survey->has_steps = false;
        return;
    }
    if (step == survey->n_steps)
        survey->steps[survey->n_steps++] = (struct survey_step){until, 0};
    survey->steps[step].hosts++;
}

static void count_out(struct survey *survey, int64_t until)
{
    if (until == INSTANT_NONE)
        return;
    survey->n_fitting--;
    for (uint32_t step = 0; survey->has_steps && step < survey->n_steps; step++) {
        if (survey->steps[step].until != until)
            continue;
        if (--survey->steps[step].hosts == 0)
            survey->steps[step] = survey->steps[--survey->n_steps];
        return;
    }
}

static void count_all(struct survey *survey, size_t n_hosts)
{
    survey->n_fitting = survey->n_steps = 0;
    survey->has_steps = true;
    for (size_t host = 0; host < n_hosts; host++)
        count_in(survey, survey->looks[host].fits_until);
}

uint32_t survey_count_until(const struct survey *survey, int64_t until)
{
    uint32_t count = 0, seen = 0;

    for (uint32_t step = 0; survey->has_steps && step < survey->n_steps; step++)
        if (survey->steps[step].until >= until)
            count += survey->steps[step].hosts;
    for (size_t host = 0; !survey->has_steps && seen < survey->n_fitting; host++) {
        seen += survey->looks[host].fits_until != INSTANT_NONE;
        count += survey->looks[host].fits_until >= until;
    }
    return count;
}

/* --- classes ---------------------------------------------------------------------------------- */

static const struct amounts *capacity_of(const struct slot_table *table, size_t host)
{
    return slot_table_profile(table, (uint32_t)host)->capacity;
}

/* Numbers hosts by capacity, up to KINDS_MOST + 1 different ones. */
static void tell_kinds(struct surveys *surveys, const struct slot_table *table)
{
    size_t found[KINDS_MOST] = {0}; /* a host of each kind */

    surveys->kinds = memory_new(surveys->n_hosts, sizeof *surveys->kinds);
    for (size_t host = 0; host < surveys->n_hosts && surveys->n_kinds <= KINDS_MOST; host++) {
        const struct amounts *capacity = capacity_of(table, host);
        uint32_t kind = 0;

        while (kind < surveys->n_kinds &&
               memcmp(capacity_of(table, found[kind]), capacity, sizeof *capacity) != 0)
            kind++;
        if (kind == surveys->n_kinds && surveys->n_kinds++ < KINDS_MOST)
            found[kind] = host;
        surveys->kinds[host] = kind;
    }
}

static void classify(const struct surveys *surveys, struct survey *survey, uint32_t host)
{
    const struct host_look *look = &survey->looks[host];
    struct host_state state = {
        look->fits_until, look->unchanged_until, look->leases, surveys->kinds[host], {{0}}};

    if (look->fits_until == INSTANT_NONE) {
        host_classes_put(survey->classes, host, NULL);
        return;
    }
    for (int type = 0; survey->classes_by_free && type < RESOURCE_TYPES_MAX; type++)
        state.free.of[type] = slot_table_free(survey->table, host, type, survey->from);
    survey->has_classes = host_classes_put(survey->classes, host, &state);
    if (!survey->has_classes)
        survey->next_classes = slot_table_version(survey->table) + surveys->n_hosts;
}

static void classify_all(struct surveys *surveys, struct survey *survey, bool by_free)
{
    if (!surveys->kinds)
        tell_kinds(surveys, survey->table);
    if (!survey->classes)
        survey->classes = host_classes_create(surveys->n_hosts);
    host_classes_clear(survey->classes);
    survey->classes_by_free = by_free;
    survey->has_classes = surveys->n_kinds <= KINDS_MOST;
    for (size_t host = 0; host < surveys->n_hosts && survey->has_classes; host++)
        classify(surveys, survey, (uint32_t)host);
}

/* --- updates ---------------------------------------------------------------------------------- */

static void look_at_all(const struct surveys *surveys, struct survey *survey)
{
    const size_t n_hosts = surveys->n_hosts;

    slot_table_look(survey->table, &survey->vm, survey->from, NULL, n_hosts, survey->looks);
    count_all(survey, n_hosts);
    survey->version = slot_table_version(survey->table);
    survey->changes = slot_table_changes(survey->table);
    survey->has_classes = false;
    survey->next_classes = 0;
}

/* Removes the hosts that have changed since the last query from the counts. */
static size_t take_changed(struct surveys *surveys, struct survey *survey, uint64_t changes)
{
    const uint64_t round = ++surveys->rounds;
    size_t n = 0;

    for (; survey->changes < changes; survey->changes++) {
        uint32_t host = slot_table_changed_host(survey->table, survey->changes);

        if (surveys->round[host] == round)
            continue;
        surveys->round[host] = round;
        surveys->changed[n++] = host;
        count_out(survey, survey->looks[host].fits_until);
    }
    return n;
}

static void look_again(struct surveys *surveys, struct survey *survey)
{
    uint64_t changes = slot_table_changes(survey->table);
    bool counted = survey->has_steps;
    size_t n;

    survey->from = slot_table_now(survey->table);
    if (changes - survey->changes > SLOT_TABLE_CHANGES_KEPT) {
        look_at_all(surveys, survey);
        return;
    }
    n = take_changed(surveys, survey, changes);
    slot_table_look(survey->table, &survey->vm, survey->from, surveys->changed, n, survey->looks);
    for (size_t i = 0; i < n; i++) {
        count_in(survey, survey->looks[surveys->changed[i]].fits_until);
        if (survey->has_classes)
            classify(surveys, survey, surveys->changed[i]);
    }
    /* Tries again, as the number of distinct times may have dropped. */
    if (!counted && survey->version != slot_table_version(survey->table) &&
        (slot_table_version(survey->table) & 63) == 0)
        count_all(survey, surveys->n_hosts);
    survey->version = slot_table_version(survey->table);
}

static bool is_for(const struct survey *survey, const struct slot_table *table,
                   const struct amounts *vm)
{
    return survey->table == table && memcmp(&survey->vm, vm, sizeof *vm) == 0;
}

static struct survey *look_now(struct surveys *surveys, const struct slot_table *table,
                               const struct amounts *vm)
{
    struct survey *survey;

    for (int i = 0; i < SURVEYS_NOW; i++) {
        survey = &surveys->now[i];
        if (!is_for(survey, table, vm))
            continue;
        if (survey->version != slot_table_version(table))
            look_again(surveys, survey);
        return survey;
    }
    survey = &surveys->now[surveys->next++ % SURVEYS_NOW];
    survey->table = table;
    survey->vm = *vm;
    survey->from = slot_table_now(table);
    look_at_all(surveys, survey);
    return survey;
}

const struct survey *survey_now(struct surveys *surveys, const struct slot_table *table,
                                const struct amounts *vm)
{
    return look_now(surveys, table, vm);
}

const struct host_classes *survey_classes(struct surveys *surveys, const struct slot_table *table,
                                          const struct amounts *vm, bool by_free)
{
    struct survey *survey = look_now(surveys, table, vm);
    bool ready = survey->has_classes && survey->classes_by_free == by_free;

    if (!ready && survey->next_classes <= survey->version)
        classify_all(surveys, survey, by_free);
    return survey->has_classes ? survey->classes : NULL;
}

const struct survey *survey_at(struct surveys *surveys, const struct slot_table *table,
                               const struct amounts *vm, int64_t from)
{
    struct survey *survey = &surveys->later;

    if (is_for(survey, table, vm) && survey->from == from &&
        survey->version == slot_table_version(table))
        return survey;
    survey->table = table;
    survey->vm = *vm;
    survey->from = from;
    look_at_all(surveys, survey);
    return survey;
}

uint32_t survey_most_on_a_host(struct surveys *surveys, const struct slot_table *table,
                               const struct amounts *vm)
{
    if (surveys->most_table != table || memcmp(&surveys->most_vm, vm, sizeof *vm) != 0) {
        surveys->most_table = table;
        surveys->most_vm = *vm;
        surveys->most_on_a_host = slot_table_most_on_a_host(table, vm, UINT32_MAX);
    }
    return surveys->most_on_a_host;
}

uint32_t survey_vms_now(struct surveys *surveys, const struct slot_table *table,
                        const struct amounts *vm)
{
    uint64_t version = slot_table_version(table);
    int64_t now = slot_table_now(table);

    if (surveys->vms_version != version || memcmp(&surveys->vms_vm, vm, sizeof *vm) != 0) {
        surveys->vms_version = version;
        surveys->vms_vm = *vm;
        surveys->vms_now = slot_table_count(table, vm, now, now + 1, UINT32_MAX - 1);
    }
    return surveys->vms_now;
}
