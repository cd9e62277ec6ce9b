/* Writes the scheduler's settings as JSON. */
#include "report/record_settings.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "configuration/run_options.h"
#include "util/instant.h"

enum setting_type { SETTING_INTEGER, SETTING_UNSIGNED, SETTING_REAL, SETTING_BOOL, SETTING_WORD };

struct setting {
    const char *name;
    enum setting_type type;
    size_t offset;
    const char *const *words; /* SETTING_WORD: by value */
};

static const char *const backfilling_words[] = {"off", "aggressive", "conservative",
                                                "intermediate"};
static const char *const share_words[] = {"no", "users", "groups"};
static const char *const suspension_words[] = {"none", "serial-only", "all"};
static const char *const exclusion_words[] = {"local", "global"};
static const char *const migration_words[] = {"no", "yes", "yes-notransfer"};
static const char *const mode_words[] = {"live", "cold"};
static const char *const preparation_words[] = {"unmanaged", "imagetransfer"};
static const char *const mechanism_words[] = {"unicast", "multicast"};
static const char *const reuse_words[] = {"none", "image-caches"};

#define PLACE(field) offsetof(struct engine_settings, field)

static const struct setting settings_table[] = {
    {"backfilling", SETTING_WORD, PLACE(backfilling), backfilling_words},
    {"backfilling-reservations", SETTING_INTEGER, PLACE(backfilling_reservations), NULL},
    {"convert-reservations", SETTING_BOOL, PLACE(convert_reservations), NULL},
    {"whole-stretches", SETTING_BOOL, PLACE(whole_stretches), NULL},
    {"fair-share", SETTING_WORD, PLACE(fair_share.by), share_words},
    {"fair-share-half-life", SETTING_INTEGER, PLACE(fair_share.half_life), NULL},
    {"fixed-deadlines", SETTING_BOOL, PLACE(fixed_deadlines), NULL},
    {"suspension", SETTING_WORD, PLACE(suspension), suspension_words},
    {"suspend-rate", SETTING_REAL, PLACE(suspend_rate), NULL},
    {"resume-rate", SETTING_REAL, PLACE(resume_rate), NULL},
    {"suspendresume-exclusion", SETTING_WORD, PLACE(exclusion), exclusion_words},
    {"scheduling-threshold-factor", SETTING_REAL, PLACE(scheduling_threshold_factor), NULL},
    {"force-scheduling-threshold", SETTING_INTEGER, PLACE(force_scheduling_threshold), NULL},
    {"override-suspend-time", SETTING_INTEGER, PLACE(override_suspend_time), NULL},
    {"override-resume-time", SETTING_INTEGER, PLACE(override_resume_time), NULL},
    {"migration", SETTING_WORD, PLACE(migration), migration_words},
    {"migration-interval", SETTING_INTEGER, PLACE(migration_interval), NULL},
    {"migration-threshold", SETTING_REAL, PLACE(migration_threshold), NULL},
    {"migration-mode", SETTING_WORD, PLACE(migration_mode), mode_words},
    {"shutdown-time", SETTING_INTEGER, PLACE(shutdown_time), NULL},
    {"enactment-overhead", SETTING_INTEGER, PLACE(enactment_overhead), NULL},
    {"lease-preparation", SETTING_WORD, PLACE(preparation), preparation_words},
    {"transfer-mechanism", SETTING_WORD, PLACE(transfer_mechanism), mechanism_words},
    {"avoid-redundant-transfers", SETTING_BOOL, PLACE(avoid_redundant_transfers), NULL},
    {"force-imagetransfer-time", SETTING_INTEGER, PLACE(force_transfer_time), NULL},
    {"diskimage-reuse", SETTING_WORD, PLACE(image_reuse), reuse_words},
    {"diskimage-cache-size", SETTING_INTEGER, PLACE(image_cache_size), NULL},
    {"imagetransfer-bandwidth", SETTING_INTEGER, PLACE(transfer_bandwidth), NULL},
    {"seed", SETTING_UNSIGNED, PLACE(seed), NULL},
};

#define SWITCH(name)                                                                               \
    {                                                                                              \
#name, SETTING_BOOL, PLACE(behaviour.name), NULL                                           \
    }

static const struct setting behaviour_table[] = {
    SWITCH(preempt_needless_victims),
    SWITCH(mapper_stops_at_first_misfit),
    SWITCH(estimates_times_vms),
    SWITCH(suspension_holds_memory_only),
    SWITCH(local_windows_shifted_site_wide),
    SWITCH(shutdown_inside_duration),
    SWITCH(future_points_unsorted),
    SWITCH(immediate_may_be_suspended),
    SWITCH(immediate_never_resumed),
    SWITCH(gaps_suspend_whatever_terms),
    SWITCH(score_by_whole_duration),
    SWITCH(reevaluation_books_anew),
    SWITCH(no_reevaluation_on_cancel),
    SWITCH(premature_end_plus_one_day),
    SWITCH(reevaluation_after_each_end),
    SWITCH(future_places_keep_their_hosts),
    SWITCH(migration_at_100_mbits),
    SWITCH(transfers_exceed_networks),
    SWITCH(migration_estimate_squared),
    SWITCH(migration_moves_everything),
    SWITCH(transfers_never_cancelled),
    SWITCH(rides_if_sooner),
    SWITCH(transfers_in_hash_order),
    SWITCH(resumption_exchanges_hosts),
    SWITCH(memory_files_stay_behind),
    SWITCH(image_files_stay_behind),
    SWITCH(running_migrations_stay),
    SWITCH(vms_may_run_for_no_time),
    SWITCH(victims_may_be_ending),
    SWITCH(restarts_young_victims),
    SWITCH(threshold_without_resumption_of_planned),
    SWITCH(queue_pass_by_free_cpu),
    SWITCH(too_big_leases_wait),
    SWITCH(momentary_suspensions_miss_pass),
    SWITCH(victims_whatever_terms),
    SWITCH(reservations_cut_into_idle_hosts),
    SWITCH(reservations_keep_their_hosts),
    SWITCH(traces_without_extensions),
    SWITCH(traces_with_unreadable_times),
    SWITCH(traces_with_misplaced_elements),
    SWITCH(traces_with_longer_runs),
    SWITCH(traces_in_file_order),
    SWITCH(new_leases_queued_last),
    SWITCH(slowdowns_rounded_up),
    SWITCH(slowdowns_of_actual_durations),
};

enum {
    SETTINGS = sizeof settings_table / sizeof settings_table[0],
    SWITCHES = sizeof behaviour_table / sizeof behaviour_table[0],
};

/* Each switch is a separate bool: a missing row above stops the build. */
_Static_assert(sizeof(struct behaviour) == SWITCHES * sizeof(bool),
               "behaviour_table must name every switch of struct behaviour");

static const void *value_of(const struct engine_settings *settings, const struct setting *setting)
{
    return (const char *)settings + setting->offset;
}

static const char *word_of(const struct engine_settings *settings, const struct setting *setting)
{
    return setting->words[*(const unsigned *)value_of(settings, setting)];
}

static void write_value(struct json_writer *json, const struct engine_settings *settings,
                        const struct setting *setting)
{
    const void *value = value_of(settings, setting);

    json_write_key(json, setting->name);
    switch (setting->type) {
    case SETTING_INTEGER:
        if (*(const int64_t *)value == SPAN_NONE)
            json_write_null(json);
        else
            json_write_integer(json, *(const int64_t *)value);
        break;
    case SETTING_UNSIGNED:
        json_write_raw(json);
        output_format(json->out, "%" PRIu64, *(const uint64_t *)value);
        break;
    case SETTING_REAL:
        json_write_double(json, *(const double *)value);
        break;
    case SETTING_BOOL:
        json_write_bool(json, *(const bool *)value);
        break;
    case SETTING_WORD:
        json_write_string(json, word_of(settings, setting));
        break;
    }
}

void record_settings(struct json_writer *json, const struct engine_settings *settings)
{
    json_open_object(json, "behaviour");
    for (size_t i = 0; i < SWITCHES; i++)
        write_value(json, settings, &behaviour_table[i]);
    json_end_object(json);
    json_open_object(json, "settings");
    for (size_t i = 0; i < SETTINGS; i++)
        write_value(json, settings, &settings_table[i]);
    json_end_object(json);
}

/* Writes the value as text; false: not set. */
static bool value_text(const struct engine_settings *settings, const struct setting *setting,
                       char *text, size_t size)
{
    const void *value = value_of(settings, setting);

    switch (setting->type) {
    case SETTING_INTEGER:
        snprintf(text, size, "%" PRId64, *(const int64_t *)value);
        return *(const int64_t *)value != SPAN_NONE;
    case SETTING_UNSIGNED:
        snprintf(text, size, "%" PRIu64, *(const uint64_t *)value);
        return true;
    case SETTING_REAL:
        snprintf(text, size, "%.15g", *(const double *)value);
        return true;
    case SETTING_BOOL:
        snprintf(text, size, "%s", *(const bool *)value ? "true" : "false");
        return true;
    case SETTING_WORD:
        snprintf(text, size, "%s", word_of(settings, setting));
        return true;
    }
    return false;
}

int settings_each(const struct engine_settings *settings,
                  int (*visit)(void *context, const char *name, const char *value), void *context)
{
    char text[64];

    for (size_t i = 0; i < SETTINGS + SWITCHES; i++) {
        const struct setting *setting =
            i < SETTINGS ? &settings_table[i] : &behaviour_table[i - SETTINGS];
        int result;

        if (!value_text(settings, setting, text, sizeof text))
            continue;
        result = visit(context, setting->name, text);
        if (result != 0)
            return result;
    }
    return 0;
}

static void write_option(void *context, const char *section, const char *name, const char *value)
{
    struct json_writer *json = context;

    json_begin_array(json);
    json_write_string(json, section);
    json_write_string(json, name);
    json_write_string(json, value);
    json_end_array(json);
}

void record_inputs(struct json_writer *json, const struct run_inputs *inputs)
{
    const struct resource_types *types = &inputs->site->types;

    json_open_object(json, "inputs");
    json_put_integer(json, "steps", (int64_t)inputs->steps);
    json_open_array(json, "resources");
    for (int i = 0; i < types->count; i++)
        json_write_string(json, types->names[i]);
    json_end_array(json);
    json_open_array(json, "configuration");
    run_options_each(inputs->configuration, write_option, json);
    json_end_array(json);
    json_write_key(json, "requests");
    json_write_raw(json);
    output_char(json->out, '[');
    output_copy(json->out, inputs->requests, 0, output_position(inputs->requests));
    output_char(json->out, ']');
    json_end_object(json);
}
