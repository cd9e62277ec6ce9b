/* The table of all options of configuration files. */
#include "configuration/configuration.h"
#include "configuration/option.h"

/* The longest time in options, 3,000 years, keeps sums from overflowing. */
#define SECONDS_MOST 1e11
#define AMOUNT_MOST  1e15

#define AT(field)      offsetof(struct configuration, field)
#define SETTING(field) offsetof(struct configuration, settings.field)
#define LIVE(field)    offsetof(struct configuration, live.field)

#define ACCEPTED(section, name)                                                                    \
    {                                                                                              \
        section, name, OPTION_ACCEPTED, 0, NULL, NULL, 0, 0, "Read by Haizea; has no effect here." \
    }

/* Haizea's options in the order of its manual, then Galerna's. If `otherwise` is NULL, the default
 * is the initial value in core/settings.c, or "not set". */
const struct configuration_option option_table[] = {
    {"general", "mode", OPTION_WORD, AT(mode), "simulated|opennebula", "simulated", 0, 0,
     "Replay a trace, or schedule a live OpenNebula."},
    {"general", "lease-preparation", OPTION_WORD, SETTING(preparation), "unmanaged|imagetransfer",
     "unmanaged", 0, 0, "Whether disk images are transferred to the hosts before a lease starts."},
    ACCEPTED("general", "lease-failure-handling"),
    ACCEPTED("general", "loglevel"),
    ACCEPTED("general", "logfile"),
    ACCEPTED("general", "persistence-file"),

    {"scheduling", "policy-admission", OPTION_TEXT, AT(policy_admission), NULL, "accept-all", 0, 0,
     "Modules that may refuse a lease, separated by commas; all must accept."},
    {"scheduling", "policy-preemption", OPTION_TEXT, AT(policy_preemption), NULL, "no-preemption",
     0, 0, "Modules that decide which leases are preempted for others."},
    {"scheduling", "policy-host-selection", OPTION_TEXT, AT(policy_host_selection), NULL, "greedy",
     0, 0, "Modules that score hosts, with weights: greedy*2,pack."},
    {"scheduling", "mapper", OPTION_TEXT, AT(mapper), NULL, "greedy", 0, 0,
     "Mapping of VMs to hosts: only greedy (deadline of Haizea 1.1 is a synonym)."},
    {"scheduling", "backfilling", OPTION_WORD, SETTING(backfilling),
     "off|aggressive|conservative|intermediate", "aggressive", 0, 0,
     "Number of waiting leases that may hold a future reservation: none, one, all, or a number. In "
     "a file without a section [galerna] the default is off, as in Haizea."},
    {"scheduling", "backfilling-reservations", OPTION_INTEGER, SETTING(backfilling_reservations),
     NULL, NULL, 0, 1e9, "The number for intermediate backfilling."},
    {"scheduling", "convert-reservations", OPTION_BOOLEAN, SETTING(convert_reservations), NULL,
     "no", 0, 0,
     "A reservation without room waits as a best-effort lease that may start at its time or later, "
     "instead of being refused. Replays only."},
    {"scheduling", "whole-stretches", OPTION_BOOLEAN, SETTING(whole_stretches), NULL, "no", 0, 0,
     "A best-effort lease waits until it can run for its whole duration, instead of starting in a "
     "shorter gap and being suspended at the end of the gap."},
    {"scheduling", "fair-share", OPTION_WORD, SETTING(fair_share.by), "no|users|groups", "no", 0, 0,
     "Order of waiting leases of equal priority. no: oldest first. users: by decayed CPU time per "
     "share of their users, lowest first. groups: by decayed CPU time per share of their groups, "
     "then of the users within a group."},
    {"scheduling", "fair-share-half-life", OPTION_SECONDS, SETTING(fair_share.half_life), NULL,
     "604800", 60, SECONDS_MOST, "Half-life of used CPU time."},
    {"scheduling", "fair-shares", OPTION_TEXT, AT(fair_shares), NULL, NULL, 0, 0,
     "Users and groups with more than one share: user:5=2, group:100=10. The numbers are "
     "OpenNebula's ids, or those of the trace."},
    {"scheduling", "fixed-deadlines", OPTION_BOOLEAN, SETTING(fixed_deadlines), NULL, "no", 0, 0,
     "A deadline lease starts at its earliest start or is refused, and is only moved if the "
     "preemption policy chooses it. no: it may start later and be moved to make room for others."},
    {"scheduling", "suspension", OPTION_WORD, SETTING(suspension), "none|serial-only|all", "all", 0,
     0, "Leases that may be suspended: none, those of one VM, or all."},
    {"scheduling", "suspend-rate", OPTION_NUMBER, SETTING(suspend_rate), NULL, "32", 0, AMOUNT_MOST,
     "MB of memory written per second in a suspension. The length follows the memory alone; where "
     "stop also copies disks (suspend-with, datastores that hosts do not share), set less."},
    {"scheduling", "resume-rate", OPTION_NUMBER, SETTING(resume_rate), NULL, "32", 0, AMOUNT_MOST,
     "MB of memory read per second in a resumption; the same applies."},
    {"scheduling", "suspendresume-exclusion", OPTION_WORD, SETTING(exclusion), "local|global",
     "local", 0, 0, "Suspensions must not overlap on one host, or within one lease."},
    {"scheduling", "scheduling-threshold-factor", OPTION_NUMBER,
     SETTING(scheduling_threshold_factor), NULL, "1", 0, 1e6,
     "A VM is only started if it can run for its suspension time plus this multiple of it. A "
     "suspended VM's resumption time counts in the same way, and with galernad the observed boot "
     "time of a new VM."},
    {"scheduling", "force-scheduling-threshold", OPTION_SECONDS,
     SETTING(force_scheduling_threshold), NULL, NULL, 0, SECONDS_MOST,
     "Minimum time for which a VM is started, regardless of its suspension time."},
    {"scheduling", "override-suspend-time", OPTION_SECONDS, SETTING(override_suspend_time), NULL,
     NULL, 0, SECONDS_MOST, "Time to suspend a VM, instead of an estimate by its memory."},
    {"scheduling", "override-resume-time", OPTION_SECONDS, SETTING(override_resume_time), NULL,
     NULL, 0, SECONDS_MOST, "Time to resume a VM, instead of an estimate by its memory."},
    {"scheduling", "migration", OPTION_WORD, SETTING(migration), "no|yes|yes-notransfer", "no", 0,
     0,
     "Whether a suspended lease may resume on other hosts, and whether its files are transferred."},
    {"scheduling", "migration-interval", OPTION_SECONDS, SETTING(migration_interval), NULL, "0", 0,
     SECONDS_MOST,
     "Interval of the search for better hosts for running migratable leases, which also takes "
     "place whenever capacity is freed; requires a host selection module with estimates (gridway). "
     "0: never."},
    {"scheduling", "migration-threshold", OPTION_NUMBER, SETTING(migration_threshold), NULL, "10",
     0, 100, "Minimum gain of a migration, in percent of the lease's total time, move included."},
    {"scheduling", "migration-mode", OPTION_WORD, SETTING(migration_mode), "live|cold", "live", 0,
     0,
     "live: VMs run while their memory is copied to the new hosts. cold: VMs are suspended, "
     "transferred and resumed."},
    {"scheduling", "shutdown-time", OPTION_SECONDS, SETTING(shutdown_time), NULL, "0", 0,
     SECONDS_MOST, "Time to shut down the VMs of a lease."},
    {"scheduling", "enactment-overhead", OPTION_SECONDS, SETTING(enactment_overhead), NULL, "0", 0,
     SECONDS_MOST, "Additional time of each operation on a VM."},
    {"scheduling", "wakeup-interval", OPTION_SECONDS, AT(wakeup_interval), NULL, "60", 1,
     SECONDS_MOST, "Live: maximum interval between polls."},
    {"scheduling", "non-schedulable-interval", OPTION_SECONDS, AT(non_schedulable_interval), NULL,
     "10", 0, SECONDS_MOST, "Read by Haizea; has no effect here."},
    ACCEPTED("scheduling", "policy-pricing"),

    ACCEPTED("simulation", "clock"),
    {"simulation", "starttime", OPTION_TIME, AT(start_time), NULL, NULL, 0, 0,
     "The date of a trace's second 0."},
    {"simulation", "resources", OPTION_TEXT, AT(resources), NULL, NULL, 0, 0,
     "The site: 'N CPU:100 Memory:1024', or in-tracefile."},
    {"simulation", "hardware", OPTION_TEXT, AT(hardware), NULL, NULL, 0, 0,
     "galernad --simulate: PCI devices, NUMA nodes and huge pages of the hosts, as PCI=[...], "
     "NODE=[...] and HUGEPAGE=[...]; see SIMULATED HOSTS."},
    {"simulation", "templates", OPTION_TEXT, AT(templates), NULL, NULL, 0, 0,
     "galernad --simulate: what 'galerna lease request --template' instantiates, from number 0, "
     "joined by '+'; see SIMULATED HOSTS."},
    {"simulation", "networks", OPTION_TEXT, AT(networks), NULL, NULL, 0, 0,
     "galernad --simulate: virtual networks, as NETWORK=[...]; see SIMULATED HOSTS."},
    {"simulation", "imagetransfer-bandwidth", OPTION_INTEGER, SETTING(transfer_bandwidth), NULL,
     NULL, 1, AMOUNT_MOST, "Mbit/s of the image repository."},
    {"simulation", "stop-when", OPTION_WORD, AT(stop_when),
     "all-leases-done|besteffort-submitted|besteffort-done", "all-leases-done", 0, 0,
     "Condition that ends a replay."},
    ACCEPTED("simulation", "status-message-interval"),
    ACCEPTED("simulation", "sanity-check"),

    ACCEPTED("accounting", "datafile"),
    {"accounting", "probes", OPTION_TEXT, AT(probes), NULL, NULL, 0, 0,
     "Counters to record: ar best-effort immediate cpu-utilization disk-usage. Default: all, or "
     "none in a file without a section [galerna], as in Haizea."},
    {"accounting", "attributes", OPTION_TEXT, AT(attributes), NULL, NULL, 0, 0,
     "name=value,... to store with the results."},

    {"deploy-imagetransfer", "transfer-mechanism", OPTION_WORD, SETTING(transfer_mechanism),
     "unicast|multicast", NULL, 0, 0, "One transfer per VM, or one for all VMs of a lease."},
    {"deploy-imagetransfer", "avoid-redundant-transfers", OPTION_BOOLEAN,
     SETTING(avoid_redundant_transfers), NULL, "yes", 0, 0,
     "Let a lease share a planned transfer of the same image."},
    {"deploy-imagetransfer", "force-imagetransfer-time", OPTION_SECONDS,
     SETTING(force_transfer_time), NULL, NULL, 0, SECONDS_MOST,
     "Time of a transfer, instead of an estimate by the image's size."},
    {"deploy-imagetransfer", "diskimage-reuse", OPTION_WORD, SETTING(image_reuse),
     "none|image-caches", "none", 0, 0, "Whether hosts keep images for later leases."},
    {"deploy-imagetransfer", "diskimage-cache-size", OPTION_INTEGER, SETTING(image_cache_size),
     NULL, NULL, 0, AMOUNT_MOST, "MB of images that a host keeps."},

    {"tracefile", "tracefile", OPTION_PATH, AT(tracefile), NULL, NULL, 0, 0, "The trace."},
    {"tracefile", "imagefile", OPTION_PATH, AT(imagefile), NULL, NULL, 0, 0,
     "Images to assign to the leases of the trace, in order."},
    {"tracefile", "injectionfile", OPTION_PATH, AT(injectionfile), NULL, NULL, 0, 0,
     "A second trace whose leases are added."},
    {"tracefile", "runtime-slowdown-overhead", OPTION_NUMBER, AT(slowdown_overhead), NULL, "0", 0,
     1e6, "Percent by which VMs run longer."},
    {"tracefile", "add-overhead", OPTION_WORD, AT(add_overhead), "none|all|besteffort", "none", 0,
     0, "Leases that get the overheads."},
    {"tracefile", "bootshutdown-overhead", OPTION_SECONDS, AT(bootshutdown_overhead), NULL, "0", 0,
     SECONDS_MOST, "Seconds added to each lease."},
    {"tracefile", "override-memory", OPTION_INTEGER, AT(override_memory), NULL, "-1", -1,
     AMOUNT_MOST, "MB of memory of every VM of the trace; -1: as in the trace."},

    {"opennebula", "endpoint", OPTION_TEXT, LIVE(endpoint), NULL, NULL, 0, 0,
     "The URL of OpenNebula's XML-RPC interface. Default: composed of host and port if set, else "
     "as for OpenNebula's own tools ($ONE_XMLRPC, ~/.one/one_endpoint, this machine)."},
    {"opennebula", "host", OPTION_TEXT, AT(opennebula_host), NULL, NULL, 0, 0,
     "The host that oned runs on."},
    {"opennebula", "port", OPTION_INTEGER, AT(opennebula_port), NULL, "2633", 1, 65535,
     "The port of its XML-RPC interface."},
    {"opennebula", "auth-file", OPTION_PATH, LIVE(auth_file), NULL, NULL, 0, 0,
     "A file with user:password of an administrator. Default: as for OpenNebula's own tools "
     "($ONE_AUTH, ~/.one/one_auth)."},
    {"opennebula", "allow-plaintext", OPTION_BOOLEAN, LIVE(allow_plaintext), NULL, "no", 0, 0,
     "Allow sending the password over plain HTTP to another machine."},
    {"opennebula", "ca-file", OPTION_PATH, LIVE(ca_file), NULL, NULL, 0, 0,
     "CA certificates for HTTPS, instead of the system's."},
    {"opennebula", "promise-key", OPTION_PATH, LIVE(promise_key), NULL, NULL, 0, 0,
     "File with the key that signs the promises in VMs' templates (created if it does not exist, "
     "mode 0600). All front-ends need the same key. Default: promise.key in the state directory."},
    {"opennebula", "timeout", OPTION_SECONDS, LIVE(timeout), NULL, "30", 1, 3600,
     "Timeout of a call; galernad then checks whether the call had an effect."},
    {"opennebula", "answer-limit", OPTION_INTEGER, LIVE(answer_limit), NULL, "256", 1, 4096,
     "Maximum size of an answer in MB. All answers in progress together take at most twice as "
     "much."},
    {"opennebula", "memory-limit", OPTION_INTEGER, LIVE(memory_limit), NULL, "1024", 64, 1048576,
     "Maximum memory in MB that answers in progress, and what galernad keeps of the last ones, "
     "take in total. An answer that does not fit is refused, and the error names the largest one. "
     "About five times the size of the list of hosts, and 2 KB for each VM, are needed. The limit "
     "of the service (MemoryMax in galernad.service) must be higher than the sum of this and "
     "planner-memory."},
    {"opennebula", "parallel-calls", OPTION_INTEGER, LIVE(parallel_calls), NULL, "8", 1, 64,
     "Maximum number of parallel calls."},
    {"opennebula", "leader-check", OPTION_BOOLEAN, LIVE(leader_check), NULL, "yes", 0, 0,
     "Send commands only to an oned that is the leader of its zone or the only one."},
    {"opennebula", "exclusive", OPTION_BOOLEAN, LIVE(exclusive), NULL, "yes", 0, 0,
     "Send no commands while another galernad is active on the same OpenNebula, on any machine."},
    {"opennebula", "submit-on-hold", OPTION_BOOLEAN, LIVE(submit_on_hold), NULL, "no", 0, 0,
     "Treat new VMs on hold as waiting, because OpenNebula sets VM_SUBMIT_ON_HOLD."},
    {"opennebula", "poll-interval", OPTION_SECONDS, LIVE(poll_interval), NULL, "10", 1, 3600,
     "Maximum interval between polls of OpenNebula. Default: scheduling.wakeup-interval if set."},
    {"opennebula", "actions-per-host", OPTION_INTEGER, LIVE(actions_per_host), NULL, "5", 1, 1000,
     "Maximum number of unfinished commands on one host (MAX_HOST)."},
    {"opennebula", "actions-in-all", OPTION_INTEGER, LIVE(actions_in_all), NULL, "30", 1, 10000,
     "Maximum number of unfinished commands (MAX_DISPATCH). The VMs of a group are started when "
     "there is room for all of them; when a group has waited for a minute, other commands wait for "
     "it, except those that keep a promise. A larger group starts in several parts."},
    {"opennebula", "stuck-after", OPTION_SECONDS, LIVE(stuck_after), NULL, "60", 1, 86400,
     "A command that is unfinished for longer than this, and than three times the usual time of "
     "such operations, is stuck and no longer counts towards actions-per-host and actions-in-all; "
     "a host with several stuck VMs is quarantined."},
    {"opennebula", "retry-limit", OPTION_INTEGER, LIVE(retry_limit), NULL, "10", 1, 1000,
     "Consecutive failed attempts of a VM after which its whole lease fails: other VMs of its "
     "group that run are ended by end-action, those that never ran are held."},
    {"opennebula", "retry-backoff", OPTION_SECONDS, LIVE(retry_backoff), NULL, "10", 1, 86400,
     "Delay after a failed attempt; doubled after each further failure. Leases with a promised "
     "start or deadline are tried again at once after their first failure."},
    {"opennebula", "boot-time", OPTION_SECONDS, LIVE(boot_time), NULL, "0", 0, 86400,
     "Initial estimate of the boot time: reservations are deployed this much earlier, so that they "
     "run at their start. Replaced by the observed boot time. 0: never deploy before the start."},
    {"opennebula", "rebalance-interval", OPTION_SECONDS, LIVE(rebalance_interval), NULL, "0", 0,
     30 * 86400,
     "Interval at which clusters with ONE_DRS and AUTOMATION partial or full in their template are "
     "rebalanced (DRS_INTERVAL). 0: only by 'galerna host rebalance'."},
    {"opennebula", "rebalance-threshold", OPTION_NUMBER, LIVE(rebalance_threshold), NULL, "10", 1,
     100,
     "Minimum gain of a move when a cluster is balanced: the new host must then be less used than "
     "the old host was, by this percentage of a host's capacity."},
    {"opennebula", "estimate-margin", OPTION_NUMBER, LIVE(estimate_margin), NULL, "2", 0, 100,
     "Safety margin of durations learned from observed suspensions, resumptions and boots, in mean "
     "deviations. A suspension is planned to end at the start of the reservation that needs the "
     "room; the margin determines how early it usually ends. Until the first suspension has been "
     "observed, scheduling.suspend-rate applies."},
    {"opennebula", "forecast", OPTION_INTEGER, LIVE(forecast), NULL, "50", 0, 100000,
     "Number of leases at the head of the queue whose start is estimated."},
    {"opennebula", "suspend-with", OPTION_WORD, LIVE(suspend_with), "stop|suspend", "stop", 0, 0,
     "How a VM is suspended. stop: it can resume on any host. suspend: it stays on its host, and "
     "OpenNebula counts its capacity as used; requires enforce: no. VMs with PCI devices or NUMA "
     "nodes are stopped in any case."},
    {"opennebula", "enforce", OPTION_BOOLEAN, LIVE(enforce), NULL, "yes", 0, 0,
     "OpenNebula also checks the capacity of the host at each deployment."},
    {"opennebula", "live-rescheds", OPTION_BOOLEAN, LIVE(live_rescheds), NULL, "yes", 0, 0,
     "Migrate running VMs live when they must leave their host (LIVE_RESCHEDS), and cold only "
     "after a live migration has failed. no: always cold. VMs that can neither migrate live nor be "
     "saved, such as those with PCI devices, are powered off for the move in any case."},
    {"opennebula", "start-in-front", OPTION_SECONDS, LIVE(start_in_front), NULL, "1:00:00", 0,
     SECONDS_MOST,
     "A VM without an end may start on a host whose next reservation or drain is at least this far "
     "away, if another host has room for the VM from then on: it migrates there before the "
     "reservation or drain starts. 0: the VM waits for a host without them. If all hosts have "
     "drains, a reservation without an end starts on a host whose next drain is then at least this "
     "far away."},
    {"opennebula", "cold-moves", OPTION_WORD, LIVE(cold_moves), "save|poweroff", "save", 0, 0,
     "How running VMs migrate cold when they must leave their host (COLD_MIGRATE_MODE). save: the "
     "memory is saved and restored. poweroff: they are powered off and boot on the new host, for "
     "hypervisors that cannot save VMs (LXC); such VMs do not move to balance a cluster."},
    {"opennebula", "end-action", OPTION_WORD, LIVE(end_action), "terminate|poweroff|undeploy",
     "terminate", 0, 0, "Action on the VMs of a lease at its end."},
    {"opennebula", "unlock", OPTION_BOOLEAN, LIVE(unlock), NULL, "yes", 0, 0,
     "Unlock a locked VM (onevm lock) when its lease ends, or when it must make room for an "
     "accepted reservation, deadline lease or immediate lease. no: it keeps its host until it is "
     "unlocked by hand."},
    {"opennebula", "end-warning", OPTION_SECONDS, LIVE(end_warning), NULL, "300", 0, SECONDS_MOST,
     "Warn the user this long before the end of a lease that is longer than that; 0: never."},
    {"opennebula", "unused-after", OPTION_SECONDS, LIVE(unused_after), NULL, "0", 0, SECONDS_MOST,
     "A lease whose VMs all use less than unused-cpu for this long ends early: its owner is "
     "notified, and it ends after end-warning unless its VMs are used. Does not apply to plain VMs "
     "and leases with KEEP=yes. 0: leases do not end early."},
    {"opennebula", "unused-cpu", OPTION_INTEGER, LIVE(unused_cpu), NULL, "5", 1, 100,
     "A VM that uses less than this percentage of its CPU, as measured by OpenNebula, is unused."},
    {"opennebula", "refusal", OPTION_WORD, LIVE(refusal), "hold|terminate|message", "hold", 0, 0,
     "Action on the VMs of a refused lease; SCHED_MESSAGE always shows the reason."},
    {"opennebula", "plain-vms", OPTION_WORD, LIVE(plain_vms), "best-effort|preemptible|ignore",
     "best-effort", 0, 0,
     "VMs without the attribute HAIZEA or GALERNA: placed as by OpenNebula's own scheduler and "
     "never preempted, placed and suspended when room is needed, or ignored."},
    {"opennebula", "group-timeout", OPTION_SECONDS, LIVE(group_timeout), NULL, "30", -1,
     SECONDS_MOST,
     "A group without GROUP_SIZE and GROUP_TIMEOUT is complete when no VM has joined it for this "
     "long; -1: never."},
    {"opennebula", "host-policy", OPTION_WORD, LIVE(host_policy),
     "packing|striping|load-aware|custom|fixed|modules|0|1|2|3|4", "modules", 0, 0,
     "Host selection for VMs without SCHED_RANK: one of OpenNebula's policies by name or number, "
     "or modules (scheduling.policy-host-selection)."},
    {"opennebula", "rank", OPTION_TEXT, LIVE(rank), NULL, NULL, 0, 0,
     "The rank expression of host-policy custom, as in SCHED_RANK."},
    {"opennebula", "datastore-policy", OPTION_WORD, LIVE(datastore_policy),
     "packing|striping|custom|fixed|0|1|2|3", "striping", 0, 0,
     "System datastore of VMs without SCHED_DS_RANK: one of OpenNebula's policies by name or "
     "number (DEFAULT_DS_SCHED)."},
    {"opennebula", "datastore-rank", OPTION_TEXT, LIVE(datastore_rank), NULL, NULL, 0, 0,
     "The rank expression of datastore-policy custom, as in SCHED_DS_RANK."},
    {"opennebula", "network-policy", OPTION_WORD, LIVE(network_policy),
     "packing|striping|custom|fixed|0|1|2|3", "striping", 0, 0,
     "Network of NICs with NETWORK_MODE=auto and without SCHED_RANK: one of OpenNebula's policies "
     "by name or number (DEFAULT_NIC_SCHED)."},
    {"opennebula", "network-rank", OPTION_TEXT, LIVE(network_rank), NULL, NULL, 0, 0,
     "The rank expression of network-policy custom, as in SCHED_RANK of a NIC."},
    {"opennebula", "different-networks", OPTION_BOOLEAN, LIVE(different_networks), NULL, "yes", 0,
     0,
     "NICs of a VM with NETWORK_MODE=auto are all connected to different networks "
     "(DIFFERENT_VNETS)."},
    {"opennebula", "memory-system-ds-scale", OPTION_NUMBER, LIVE(memory_scale), NULL, "0", 0, 1000,
     "Space that a VM needs in the system datastore, as a multiple of its memory "
     "(MEMORY_SYSTEM_DS_SCALE)."},
    {"opennebula", "stop-when-no-more-leases", OPTION_BOOLEAN, AT(opennebula_stop), NULL, "no", 0,
     0, "Stop the scheduler when no leases are left."},
    {"opennebula", "dry-run", OPTION_BOOLEAN, LIVE(dry_run), NULL, "no", 0, 0,
     "Decide, but send no commands."},

    {"daemon", "state-dir", OPTION_PATH, LIVE(state_dir), NULL, NULL, 0, 0,
     "The directory of galernad's store. Default: /var/lib/galerna for root and the owner of that "
     "directory, ~/.local/state/galerna for other users."},
    {"daemon", "control-socket", OPTION_PATH, LIVE(control_socket), NULL, NULL, 0, 0,
     "The socket through which galerna talks to galernad. Default: control.sock in the state "
     "directory, or in /run/galerna for the service."},
    {"daemon", "control-group", OPTION_TEXT, LIVE(control_group), NULL, NULL, 0, 0,
     "Group whose members may use the socket, in addition to root and galernad's own user."},
    {"daemon", "record", OPTION_PATH, LIVE(record), NULL, NULL, 0, 0,
     "The trace in which galernad records all leases, for galerna replay."},
    {"daemon", "log-level", OPTION_WORD, LIVE(log_level), "error|warning|info|debug", "info", 0, 0,
     "Level of the least severe messages that are logged."},
    {"daemon", "log-format", OPTION_WORD, LIVE(log_format), "text|json", "text", 0, 0,
     "Format of the log: text (in the journal with fields for the subsystem, the lease and the "
     "VM), or a JSON object on each line."},
    {"daemon", "policy-call-limit", OPTION_SECONDS, LIVE(policy_call_limit), NULL, "5", 1, 3600,
     "Timeout of a call to a policy module. A module that exceeds it is taken out of service: its "
     "process is killed, and the next one does not load the module."},
    {"daemon", "plan-limit", OPTION_SECONDS, LIVE(plan_limit), NULL, "60", 1, 3600,
     "Timeout of a plan. A module that took most of that time is taken out of service."},
    {"daemon", "planner-memory", OPTION_INTEGER, LIVE(planner_memory), NULL, "1024", 64, 1048576,
     "Limit of the planner's address space in MB, in addition to 64 KB for each host and 32 KB for "
     "each VM."},
    {"daemon", "planner-user", OPTION_TEXT, LIVE(planner_user), NULL, "nobody", 0, 0,
     "User that the planner runs as if galernad runs as root; must be able to read the policy "
     "modules."},
    {"daemon", "history-keep", OPTION_SECONDS, LIVE(history_keep), NULL, "7776000", 0, SECONDS_MOST,
     "Time for which leases are kept in the store after their end, for galerna lease history."},

    {"http", "listen", OPTION_TEXT, LIVE(http_listen), NULL, NULL, 0, 0,
     "Loopback address and port (127.0.0.1:9750) where galernad serves /metrics, /healthz and "
     "/readyz over HTTP. Default: no HTTP."},

    ACCEPTED("pricing", "rate"),
    ACCEPTED("pricing", "min-rate"),
    ACCEPTED("pricing", "max-rate"),
    ACCEPTED("pricing", "seed"),

    {"galerna", "compatibility", OPTION_WORD, AT(compatibility), "default|haizea-1.0", "default", 0,
     0, "Schedule as documented, or exactly as Haizea 1.0 did."},
    {"galerna", "seed", OPTION_INTEGER, AT(seed), NULL, "0", 0, 9e18,
     "Seed of the random numbers of policies."},
    {"galerna", "module-path", OPTION_TEXT, AT(module_path), NULL, NULL, 0, 0,
     "Directories to search for policy modules, separated by ':'."},
};

const size_t option_count = sizeof option_table / sizeof *option_table;
