/* The two modes: all of Haizea's quirks off, or all on. */
#include "core/behaviour.h"

void behaviour_default(struct behaviour *behaviour)
{
    *behaviour = (struct behaviour){0};
}

void behaviour_haizea_1_0(struct behaviour *behaviour)
{
    *behaviour = (struct behaviour){
        .preempt_needless_victims = true,
        .mapper_stops_at_first_misfit = true,
        .estimates_times_vms = true,
        .suspension_holds_memory_only = true,
        .local_windows_shifted_site_wide = true,
        .shutdown_inside_duration = true,
        .future_points_unsorted = true,
        .immediate_may_be_suspended = true,
        .immediate_never_resumed = true,
        .gaps_suspend_whatever_terms = true,
        .score_by_whole_duration = true,
        .reevaluation_books_anew = true,
        .no_reevaluation_on_cancel = true,
        .premature_end_plus_one_day = true,
        .reevaluation_after_each_end = true,
        .future_places_keep_their_hosts = true,
        .migration_at_100_mbits = true,
        .transfers_exceed_networks = true,
        .migration_estimate_squared = true,
        .migration_moves_everything = true,
        .transfers_never_cancelled = true,
        .rides_if_sooner = true,
        .transfers_in_hash_order = true,
        .resumption_exchanges_hosts = true,
        .memory_files_stay_behind = true,
        .image_files_stay_behind = true,
        .running_migrations_stay = true,
        .vms_may_run_for_no_time = true,
        .victims_may_be_ending = true,
        .restarts_young_victims = true,
        .threshold_without_resumption_of_planned = true,
        .queue_pass_by_free_cpu = true,
        .too_big_leases_wait = true,
        .momentary_suspensions_miss_pass = true,
        .victims_whatever_terms = true,
        .reservations_cut_into_idle_hosts = true,
        .reservations_keep_their_hosts = true,
        .traces_without_extensions = true,
        .traces_with_unreadable_times = true,
        .traces_with_misplaced_elements = true,
        .traces_with_longer_runs = true,
        .traces_in_file_order = true,
        .new_leases_queued_last = true,
        .slowdowns_rounded_up = true,
        .slowdowns_of_actual_durations = true,
    };
}
