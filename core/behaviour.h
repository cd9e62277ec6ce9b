/* behaviour.h: the oddities of Haizea 1.0 that Galerna can follow, each with one name.
 *
 * Every switch is looked at in one place of the engine. All false = the default mode, described in
 * doc/differences-from-haizea.md; behaviour_haizea_1_0() turns all of them on.
 */
#pragma once

#include <stdbool.h>

struct behaviour {
    /* All victims looked at before the mapping succeeded are preempted, needed or not. */
    bool preempt_needless_victims;
    /* The mapper abandons a host for good when the next VM by size does not fit there, even if
     * smaller ones would. */
    bool mapper_stops_at_first_misfit;
    /* Suspend and resume estimates of a lease of n VMs are n times those of all its memory
     * together. */
    bool estimates_times_vms;
    /* A suspension or resumption holds (memory x VMs) of memory and disk, no CPU; hosts that wait
     * for their turn hold nothing. */
    bool suspension_holds_memory_only;
    /* Windows that differ are serialized over the whole site even with local exclusion. */
    bool local_windows_shifted_site_wide;
    /* The shutdown is cut out of a reservation's own time. */
    bool shutdown_inside_duration;
    /* Points for a future placement are tried by end in booking order, repeated and unsorted. */
    bool future_points_unsorted;
    /* Immediate leases are placed in gaps with a planned suspension. */
    bool immediate_may_be_suspended;
    /* An immediate lease that was suspended is not put back into the queue, so it is never resumed.
     */
    bool immediate_never_resumed;
    /* A non-preemptable best-effort lease is still placed in gaps and suspended at their end. */
    bool gaps_suspend_whatever_terms;
    /* The next change that a host selection policy sees counts the whole requested duration of a
     * partly finished lease. */
    bool score_by_whole_duration;
    /* Planned leases are rebooked whenever a lease ends early, even where nothing changes. */
    bool reevaluation_books_anew;
    /* Planned leases are not brought forward when a lease is cancelled. */
    bool no_reevaluation_on_cancel;
    /* A premature end that coincides with the VM's start is moved a day later. */
    bool premature_end_plus_one_day;
    /* Planned leases are brought forward after each of several leases that end early at the same
     * instant. */
    bool reevaluation_after_each_end;
    /* A lease planned for later by the backfilling rules is bound to the hosts found then: leases
     * behind it cannot take them even if it could begin on others. */
    bool future_places_keep_their_hosts;
    /* Migrations run at 100 Mbit/s whatever the site's bandwidth. */
    bool migration_at_100_mbits;
    /* The time of a migration is estimated as if each VM on a host took as long as all of them. */
    bool migration_estimate_squared;
    /* VMs that stay on their hosts are moved in place. */
    bool migration_moves_everything;
    /* A planned image transfer is never cancelled: a lease that is placed again leaves it
     * behind. */
    bool transfers_never_cancelled;
    /* Without migration the VMs of a lease are resumed on the hosts they were suspended on, but any
     * VM on any of them. */
    bool resumption_exchanges_hosts;
    /* A memory file is looked for only on the host where its VM is resumed; a file saved elsewhere
     * stays on the disk forever. */
    bool memory_files_stay_behind;
    /* A disk image is removed only from the host on which its VM runs last, at the normal end of
     * its lease or when its lease is placed again; files that arrived elsewhere stay on the disk.
     */
    bool image_files_stay_behind;
    /* A running migration continues when its lease is placed again, next to that of the new
     * plan. */
    bool running_migrations_stay;
    /* VMs may be resumed or started and suspended in the same second. */
    bool vms_may_run_for_no_time;
    /* A lease that will be shutting down or being suspended by then, and cannot be suspended, is
     * preempted anyway: it is stopped and restarted. */
    bool victims_may_be_ending;
    /* A victim that has run for less than the scheduling threshold is restarted instead of being
     * suspended. */
    bool restarts_young_victims;
    /* Queued leases are skipped when no CPU at all is free. */
    bool queue_pass_by_free_cpu;
    /* A suspension of zero duration ends after the pass over the queue: its lease is considered
     * only when something else happens. */
    bool momentary_suspensions_miss_pass;
    /* A lease is preempted when the policy says so, whatever its terms, and suspended if
     * possible. */
    bool victims_whatever_terms;
    /* Reservations for later are placed where the host selection policy prefers them, even if they
     * cut into a host that is idle until then. */
    bool reservations_cut_into_idle_hosts;
    /* A lease that is planned for later stays on the hosts on which it was first placed, even if
     * another one could start there now and it has room elsewhere. */
    bool reservations_keep_their_hosts;
    /* Deadlines, earliest starts and terms but for `preemptible` are not read from traces, and a
     * time that cannot be read is 0. */
    bool traces_by_haizeas_grammar;
};

void behaviour_default(struct behaviour *behaviour);
void behaviour_haizea_1_0(struct behaviour *behaviour);
