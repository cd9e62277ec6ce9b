/* behaviour.h: quirks of Haizea 1.0 that Galerna can reproduce, one switch for each.
 *
 * Each switch is read in one place of the engine. All false = the default mode, described in
 * doc/differences-from-haizea.md; behaviour_haizea_1_0() turns all of them on.
 */
#pragma once

#include <stdbool.h>

struct behaviour {
    /* All victims considered before the mapping succeeded are preempted, even if not needed. */
    bool preempt_needless_victims;
    /* The mapper gives up a host as soon as the next VM by size does not fit there, even if smaller
     * VMs would. */
    bool mapper_stops_at_first_misfit;
    /* Suspend and resume estimates of a lease of n VMs are n times the estimates for its total
     * memory. */
    bool estimates_times_vms;
    /* A suspension or resumption holds memory and disk (memory x VMs) but no CPU; hosts that wait
     * for their turn hold nothing. */
    bool suspension_holds_memory_only;
    /* Overlapping windows that differ are serialized over the whole site even with local exclusion.
     */
    bool local_windows_shifted_site_wide;
    /* The shutdown takes place within the duration of a reservation. */
    bool shutdown_inside_duration;
    /* Future placements are tried at the ends of reservations in booking order, unsorted and with
     * duplicates. */
    bool future_points_unsorted;
    /* Immediate leases are placed in gaps with a planned suspension. */
    bool immediate_may_be_suspended;
    /* A suspended immediate lease is not requeued and so never resumed. */
    bool immediate_never_resumed;
    /* Even non-preemptable best-effort leases are placed in gaps and suspended at the end of the
     * gap. */
    bool gaps_suspend_whatever_terms;
    /* Host selection policies see the whole requested duration of a partly finished lease instead
     * of its remaining run time. */
    bool score_by_whole_duration;
    /* Planned leases are rebooked whenever a lease ends early, even if their places stay the same.
     */
    bool reevaluation_books_anew;
    /* Planned leases are not brought forward when a lease is cancelled. */
    bool no_reevaluation_on_cancel;
    /* A premature end at the VM's start is postponed by a day. */
    bool premature_end_plus_one_day;
    /* Planned leases are brought forward after each of several leases that end early at the same
     * instant. */
    bool reevaluation_after_each_end;
    /* A lease that backfilling plans for later is bound to the hosts found at planning: leases
     * behind it cannot take them even if it could start on others. */
    bool future_places_keep_their_hosts;
    /* Migrations run at 100 Mbit/s regardless of the site's bandwidth and of other traffic. */
    bool migration_at_100_mbits;
    /* Image transfers run at the site's bandwidth regardless of the network of their hosts and of
     * other traffic there. */
    bool transfers_exceed_networks;
    /* The estimate of a migration counts, for each VM on a host, the time that all VMs on that host
     * take. */
    bool migration_estimate_squared;
    /* VMs that stay on their hosts are "migrated" in place. */
    bool migration_moves_everything;
    /* Planned image transfers are never cancelled, not even when their lease is placed again, and
     * none is placed between two that follow each other at once. */
    bool transfers_never_cancelled;
    /* A lease rides on a planned transfer whenever that ends before one of its own would, without
     * network of its hosts, and remains scheduled until its VMs start. */
    bool rides_if_sooner;
    /* The VMs of an image transfer are listed in the order of a dictionary of Python 2. */
    bool transfers_in_hash_order;
    /* Without migration the VMs of a lease are resumed on the hosts on which they were suspended,
     * but not necessarily each on its own host. */
    bool resumption_exchanges_hosts;
    /* A memory file is removed only from the host on which its VM is resumed; a file on another
     * host stays on the disk forever. */
    bool memory_files_stay_behind;
    /* A disk image is removed only from the last host of its VM, at the normal end of its lease or
     * when its lease is placed again; files on other hosts stay on the disk. */
    bool image_files_stay_behind;
    /* A running migration continues when its lease is placed again, next to the migration of the
     * new plan, and when its lease ends or is cancelled: VMs may run while their memory is being
     * sent. */
    bool running_migrations_stay;
    /* VMs may be resumed or started and suspended in the same second. */
    bool vms_may_run_for_no_time;
    /* A lease that cannot be suspended because it will be shutting down or being suspended at that
     * time is preempted anyway: it is stopped and restarted. */
    bool victims_may_be_ending;
    /* A victim that has run for less than the scheduling threshold is restarted instead of being
     * suspended. */
    bool restarts_young_victims;
    /* A suspended lease that is planned for later is brought forward into a gap even if resuming it
     * there is not worthwhile: the threshold has the time of a resumption only in the queue. */
    bool threshold_without_resumption_of_planned;
    /* Queued leases are skipped when no CPU is free on the whole site. */
    bool queue_pass_by_free_cpu;
    /* A best-effort lease that does not fit on the idle site waits until a place for later is
     * searched: hosts in another order of preference may hold it. */
    bool too_big_leases_wait;
    /* A suspension of zero duration ends after the pass over the queue: its lease is not considered
     * before the next event. */
    bool momentary_suspensions_miss_pass;
    /* The preemption policy decides alone, regardless of a lease's terms; victims are suspended if
     * possible. */
    bool victims_whatever_terms;
    /* Reservations for later are placed on the hosts that the host selection policy prefers, even
     * on a host that is idle until then. */
    bool reservations_cut_into_idle_hosts;
    /* A lease planned for later keeps the hosts on which it was first placed, even if it has room
     * elsewhere and another lease could start there now. */
    bool reservations_keep_their_hosts;
    /* Deadlines, earliest starts and terms other than `preemptible` are not read from traces. */
    bool traces_without_extensions;
    /* An unreadable time in a trace has the value that Haizea reads, mostly 0. */
    bool traces_with_unreadable_times;
    /* Repeated and misplaced elements of a trace are ignored, and a duration may be 0. */
    bool traces_with_misplaced_elements;
    /* An actual duration in a trace may exceed the requested one. */
    bool traces_with_longer_runs;
    /* Of an unsorted trace, all requests submitted so far are taken at each event, but only the
     * first remaining one causes an event. */
    bool traces_in_file_order;
    /* New leases are queued behind others, whenever they were submitted, until another lease is
     * inserted: then the queue is sorted by submission. */
    bool new_leases_queued_last;
    /* The slowdown of a VM is the ceiling of an inexact product: 3000 s and 10 % give 3301 s. */
    bool slowdowns_rounded_up;
    /* If the actual duration is known, it stays unchanged, and its slowed-down value becomes the
     * requested duration. */
    bool slowdowns_of_actual_durations;
};

void behaviour_default(struct behaviour *behaviour);
void behaviour_haizea_1_0(struct behaviour *behaviour);
