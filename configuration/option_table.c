/* The table of all options of configuration files. */
#include "configuration/configuration.h"
#include "configuration/option.h"

/* The longest time anybody may write: some 3,000 years, so that sums of them never overflow. */
#define SECONDS_MOST 1e11
#define AMOUNT_MOST  1e15

#define AT(field)      offsetof(struct configuration, field)
#define SETTING(field) offsetof(struct configuration, settings.field)
#define LIVE(field)    offsetof(struct configuration, live.field)

#define ACCEPTED(section, name)                                                                    \
    {                                                                                              \
        section, name, OPTION_ACCEPTED, 0, NULL, NULL, 0, 0, "Read by Haizea; has no effect here." \
    }

/* Haizea's options in the order of its manual, then Galerna's. Where `otherwise` is NULL the start
 * value of core/settings.c or "not set" holds. */
const struct configuration_option option_table[] = {
    {"general", "mode", OPTION_WORD, AT(mode), "simulated|opennebula", "simulated", 0, 0,
     "Replay a trace, or schedule a live OpenNebula."},
    {"general", "lease-preparation", OPTION_WORD, SETTING(preparation), "unmanaged|imagetransfer",
     "unmanaged", 0, 0, "Whether disk images have to be brought to the hosts before a lease."},
    ACCEPTED("general", "lease-failure-handling"),
    ACCEPTED("general", "loglevel"),
    ACCEPTED("general", "logfile"),
    ACCEPTED("general", "persistence-file"),

    {"scheduling", "policy-admission", OPTION_TEXT, AT(policy_admission), NULL, "accept-all", 0, 0,
     "Modules that may refuse a lease, separated by commas; all must accept."},
    {"scheduling", "policy-preemption", OPTION_TEXT, AT(policy_preemption), NULL, "no-preemption",
     0, 0, "Modules that say which leases make room for others."},
    {"scheduling", "policy-host-selection", OPTION_TEXT, AT(policy_host_selection), NULL, "greedy",
     0, 0, "Modules that score hosts, with weights: greedy*2,pack."},
    {"scheduling", "mapper", OPTION_TEXT, AT(mapper), NULL, "greedy", 0, 0,
     "How VMs are laid out on hosts: greedy is the only way (Haizea 1.1's deadline is the same)."},
    {"scheduling", "backfilling", OPTION_WORD, SETTING(backfilling),
     "off|aggressive|conservative|intermediate", "aggressive", 0, 0,
     "How many waiting leases may hold a future reservation: none, one, all, or a number. A file "
     "without a section [galerna] that leaves it out means off, as Haizea does."},
    {"scheduling", "backfilling-reservations", OPTION_INTEGER, SETTING(backfilling_reservations),
     NULL, NULL, 0, 1e9, "The number for intermediate backfilling."},
    {"scheduling", "convert-reservations", OPTION_BOOLEAN, SETTING(convert_reservations), NULL,
     "no", 0, 0,
     "A reservation for which there is no room waits as a best-effort lease that may begin at its "
     "start or later, instead of being refused. Not for a live OpenNebula."},
    {"scheduling", "whole-stretches", OPTION_BOOLEAN, SETTING(whole_stretches), NULL, "no", 0, 0,
     "A best-effort lease waits for a place for all of its time, instead of being started in a "
     "shorter gap and suspended at its end."},
    {"scheduling", "fixed-deadlines", OPTION_BOOLEAN, SETTING(fixed_deadlines), NULL, "no", 0, 0,
     "A deadline lease begins at its start or is refused, and leaves its place only when the "
     "preemption policy says so; otherwise it may begin later and is moved to let others in."},
    {"scheduling", "suspension", OPTION_WORD, SETTING(suspension), "none|serial-only|all", "all", 0,
     0, "Which leases may be suspended: none, those of one VM, all."},
    {"scheduling", "suspend-rate", OPTION_NUMBER, SETTING(suspend_rate), NULL, "32", 0, AMOUNT_MOST,
     "MB of memory written per second in a suspension."},
    {"scheduling", "resume-rate", OPTION_NUMBER, SETTING(resume_rate), NULL, "32", 0, AMOUNT_MOST,
     "MB of memory read per second in a resumption."},
    {"scheduling", "suspendresume-exclusion", OPTION_WORD, SETTING(exclusion), "local|global",
     "local", 0, 0, "Suspensions must not overlap on one host, or within one lease."},
    {"scheduling", "scheduling-threshold-factor", OPTION_NUMBER,
     SETTING(scheduling_threshold_factor), NULL, "1", 0, 1e6,
     "A VM is only started for longer than its suspension takes, plus this many times that."},
    {"scheduling", "force-scheduling-threshold", OPTION_SECONDS,
     SETTING(force_scheduling_threshold), NULL, NULL, 0, SECONDS_MOST,
     "The shortest time worth starting a VM for, whatever its suspension takes."},
    {"scheduling", "override-suspend-time", OPTION_SECONDS, SETTING(override_suspend_time), NULL,
     NULL, 0, SECONDS_MOST, "How long the suspension of a VM takes, instead of by its memory."},
    {"scheduling", "override-resume-time", OPTION_SECONDS, SETTING(override_resume_time), NULL,
     NULL, 0, SECONDS_MOST, "How long the resumption of a VM takes, instead of by its memory."},
    {"scheduling", "migration", OPTION_WORD, SETTING(migration), "no|yes|yes-notransfer", "no", 0,
     0, "Whether a suspended lease may come back on other hosts, and if its files travel."},
    {"scheduling", "migration-interval", OPTION_SECONDS, SETTING(migration_interval), NULL, "0", 0,
     SECONDS_MOST,
     "How often better hosts are looked for, besides whenever capacity comes back, for leases that "
     "run on migratable terms; needs a host selection module that estimates (gridway). 0: never."},
    {"scheduling", "migration-threshold", OPTION_NUMBER, SETTING(migration_threshold), NULL, "10",
     0, 100, "Percent of its time in all, the move included, that a lease must gain by moving."},
    {"scheduling", "migration-mode", OPTION_WORD, SETTING(migration_mode), "live|cold", "live", 0,
     0,
     "VMs go on while their memory is copied to better hosts, or are suspended, transferred and "
     "resumed."},
    {"scheduling", "shutdown-time", OPTION_SECONDS, SETTING(shutdown_time), NULL, "0", 0,
     SECONDS_MOST, "How long the VMs of a lease take to shut down."},
    {"scheduling", "enactment-overhead", OPTION_SECONDS, SETTING(enactment_overhead), NULL, "0", 0,
     SECONDS_MOST, "What each operation on a VM takes on top."},
    {"scheduling", "wakeup-interval", OPTION_SECONDS, AT(wakeup_interval), NULL, "60", 1,
     SECONDS_MOST, "Live: look at the world at least this often."},
    {"scheduling", "non-schedulable-interval", OPTION_SECONDS, AT(non_schedulable_interval), NULL,
     "10", 0, SECONDS_MOST, "Live: plan nothing sooner than this."},
    ACCEPTED("scheduling", "policy-pricing"),

    ACCEPTED("simulation", "clock"),
    {"simulation", "starttime", OPTION_TIME, AT(start_time), NULL, NULL, 0, 0,
     "The date of a trace's second 0."},
    {"simulation", "resources", OPTION_TEXT, AT(resources), NULL, NULL, 0, 0,
     "The site: 'N CPU:100 Memory:1024', or in-tracefile."},
    {"simulation", "imagetransfer-bandwidth", OPTION_INTEGER, SETTING(transfer_bandwidth), NULL,
     NULL, 1, AMOUNT_MOST, "Mbit/s of the image repository."},
    {"simulation", "stop-when", OPTION_WORD, AT(stop_when),
     "all-leases-done|besteffort-submitted|besteffort-done", "all-leases-done", 0, 0,
     "When a replay ends."},
    ACCEPTED("simulation", "status-message-interval"),
    ACCEPTED("simulation", "sanity-check"),

    ACCEPTED("accounting", "datafile"),
    {"accounting", "probes", OPTION_TEXT, AT(probes), NULL, NULL, 0, 0,
     "Counters to record: ar best-effort immediate cpu-utilization disk-usage. All when it is not "
     "set, "
     "but none in a file without a section [galerna], as Haizea has it."},
    {"accounting", "attributes", OPTION_TEXT, AT(attributes), NULL, NULL, 0, 0,
     "name=value,... to note in results."},

    {"deploy-imagetransfer", "transfer-mechanism", OPTION_WORD, SETTING(transfer_mechanism),
     "unicast|multicast", NULL, 0, 0, "One transfer per VM, or one for all VMs of a lease."},
    {"deploy-imagetransfer", "avoid-redundant-transfers", OPTION_BOOLEAN,
     SETTING(avoid_redundant_transfers), NULL, "yes", 0, 0,
     "Let a lease share a planned transfer of the same image."},
    {"deploy-imagetransfer", "force-imagetransfer-time", OPTION_SECONDS,
     SETTING(force_transfer_time), NULL, NULL, 0, SECONDS_MOST,
     "How long a transfer takes, instead of by the image's size."},
    {"deploy-imagetransfer", "diskimage-reuse", OPTION_WORD, SETTING(image_reuse),
     "none|image-caches", "none", 0, 0, "Whether hosts keep images for later leases."},
    {"deploy-imagetransfer", "diskimage-cache-size", OPTION_INTEGER, SETTING(image_cache_size),
     NULL, NULL, 0, AMOUNT_MOST, "MB of images that a host keeps."},

    {"tracefile", "tracefile", OPTION_PATH, AT(tracefile), NULL, NULL, 0, 0, "The trace."},
    {"tracefile", "imagefile", OPTION_PATH, AT(imagefile), NULL, NULL, 0, 0,
     "Images to give to the trace's leases, in order."},
    {"tracefile", "injectionfile", OPTION_PATH, AT(injectionfile), NULL, NULL, 0, 0,
     "A second trace whose leases are added."},
    {"tracefile", "runtime-slowdown-overhead", OPTION_NUMBER, AT(slowdown_overhead), NULL, "0", 0,
     1e6, "Percent by which VMs run longer."},
    {"tracefile", "add-overhead", OPTION_WORD, AT(add_overhead), "none|all|besteffort", "none", 0,
     0, "Which leases get the overheads."},
    {"tracefile", "bootshutdown-overhead", OPTION_SECONDS, AT(bootshutdown_overhead), NULL, "0", 0,
     SECONDS_MOST, "Seconds added to each lease."},
    {"tracefile", "override-memory", OPTION_INTEGER, AT(override_memory), NULL, "-1", -1,
     AMOUNT_MOST, "MB of memory that every VM of the trace gets; -1: what the trace says."},

    {"opennebula", "endpoint", OPTION_TEXT, LIVE(endpoint), NULL, NULL, 0, 0,
     "The URL of OpenNebula's XML-RPC interface. Not set: made of host and port, else as "
     "OpenNebula's own tools find it ($ONE_XMLRPC, ~/.one/one_endpoint, this machine)."},
    {"opennebula", "host", OPTION_TEXT, AT(opennebula_host), NULL, NULL, 0, 0,
     "The machine OpenNebula's daemon runs on."},
    {"opennebula", "port", OPTION_INTEGER, AT(opennebula_port), NULL, "2633", 1, 65535,
     "The port of its XML-RPC interface."},
    {"opennebula", "auth-file", OPTION_PATH, LIVE(auth_file), NULL, NULL, 0, 0,
     "A file with user:password of an administrator. Not set: as OpenNebula's own tools find it "
     "($ONE_AUTH, ~/.one/one_auth)."},
    {"opennebula", "allow-plaintext", OPTION_BOOLEAN, LIVE(allow_plaintext), NULL, "no", 0, 0,
     "Send the password over plain http to another machine than this one."},
    {"opennebula", "ca-file", OPTION_PATH, LIVE(ca_file), NULL, NULL, 0, 0,
     "Certificates to trust with https, instead of the system's."},
    {"opennebula", "timeout", OPTION_SECONDS, LIVE(timeout), NULL, "30", 1, 3600,
     "How long a call may take; what it did is then looked up."},
    {"opennebula", "answer-limit", OPTION_INTEGER, LIVE(answer_limit), NULL, "256", 1, 4096,
     "MB that one answer may have."},
    {"opennebula", "parallel-calls", OPTION_INTEGER, LIVE(parallel_calls), NULL, "8", 1, 64,
     "Calls under way at once."},
    {"opennebula", "leader-check", OPTION_BOOLEAN, LIVE(leader_check), NULL, "yes", 0, 0,
     "Act only on an OpenNebula that is alone or leads its zone."},
    {"opennebula", "exclusive", OPTION_BOOLEAN, LIVE(exclusive), NULL, "yes", 0, 0,
     "Do not act while another galernad does on the same OpenNebula, whichever machine it is on."},
    {"opennebula", "submit-on-hold", OPTION_BOOLEAN, LIVE(submit_on_hold), NULL, "no", 0, 0,
     "OpenNebula has VM_SUBMIT_ON_HOLD: new VMs on hold are waiting, too."},
    {"opennebula", "poll-interval", OPTION_SECONDS, LIVE(poll_interval), NULL, "10", 1, 3600,
     "Look at OpenNebula at least this often. Not set: scheduling.wakeup-interval if that is set."},
    {"opennebula", "actions-per-host", OPTION_INTEGER, LIVE(actions_per_host), NULL, "5", 1, 1000,
     "Commands under way at once on one host (MAX_HOST)."},
    {"opennebula", "actions-in-all", OPTION_INTEGER, LIVE(actions_in_all), NULL, "30", 1, 10000,
     "Commands under way at once (MAX_DISPATCH)."},
    {"opennebula", "stuck-after", OPTION_SECONDS, LIVE(stuck_after), NULL, "60", 1, 86400,
     "What is under way for longer, and for three times as long as such operations took so far, "
     "does "
     "not count there; a host with several such VMs is left alone."},
    {"opennebula", "retry-limit", OPTION_INTEGER, LIVE(retry_limit), NULL, "10", 1, 1000,
     "Failed attempts in a row after which a VM is given up, and its whole lease with it: other VMs "
     "of its group that run are ended by end-action, those that never ran are held."},
    {"opennebula", "retry-backoff", OPTION_SECONDS, LIVE(retry_backoff), NULL, "10", 1, 86400,
     "The pause after a failed attempt, doubled after each further one."},
    {"opennebula", "boot-time", OPTION_SECONDS, LIVE(boot_time), NULL, "0", 0, 86400,
     "How long VMs take to boot, at first: reservations are deployed so much earlier, to be running "
     "at their start. What it was seen to take then counts. 0: they are never deployed earlier."},
    {"opennebula", "forecast", OPTION_INTEGER, LIVE(forecast), NULL, "50", 0, 100000,
     "Of so many leases at the head of the queue the start is estimated."},
    {"opennebula", "suspend-with", OPTION_WORD, LIVE(suspend_with), "stop|suspend", "stop", 0, 0,
     "How a VM makes room. stop: it may come back on any host. suspend: it stays on its host, "
     "which OpenNebula goes on counting as used; needs enforce: no."},
    {"opennebula", "enforce", OPTION_BOOLEAN, LIVE(enforce), NULL, "yes", 0, 0,
     "Let OpenNebula check the capacity of a host with each deploy, too."},
    {"opennebula", "end-action", OPTION_WORD, LIVE(end_action), "terminate|poweroff|undeploy",
     "terminate", 0, 0, "What is done to the VMs of a lease whose time is over."},
    {"opennebula", "end-warning", OPTION_SECONDS, LIVE(end_warning), NULL, "300", 0, SECONDS_MOST,
     "Tell the user so long before the end of a lease; 0: do not."},
    {"opennebula", "refusal", OPTION_WORD, LIVE(refusal), "hold|terminate|message", "hold", 0, 0,
     "What is done to the VMs of a refused lease, beside saying why in SCHED_MESSAGE."},
    {"opennebula", "plain-vms", OPTION_WORD, LIVE(plain_vms), "best-effort|preemptible|ignore",
     "best-effort", 0, 0,
     "VMs without the attribute HAIZEA or GALERNA: placed as OpenNebula's own scheduler would and "
     "never disturbed, placed and suspended when room is needed, or left to others."},
    {"opennebula", "group-timeout", OPTION_SECONDS, LIVE(group_timeout), NULL, "30", -1,
     SECONDS_MOST,
     "A group that says neither GROUP_SIZE nor GROUP_TIMEOUT is complete when no VM has joined for "
     "so long; -1: never."},
    {"opennebula", "host-policy", OPTION_WORD, LIVE(host_policy),
     "packing|striping|load-aware|custom|fixed|modules|0|1|2|3|4", "modules", 0, 0,
     "Which hosts are taken first where a VM has no SCHED_RANK: OpenNebula's policies by word or "
     "number, or modules: scheduling.policy-host-selection."},
    {"opennebula", "rank", OPTION_TEXT, LIVE(rank), NULL, NULL, 0, 0,
     "The expression of host-policy custom, as in SCHED_RANK."},
    {"opennebula", "memory-system-ds-scale", OPTION_NUMBER, LIVE(memory_scale), NULL, "0", 0, 1000,
     "A VM needs so many times its memory in the system datastore, too (MEMORY_SYSTEM_DS_SCALE)."},
    {"opennebula", "stop-when-no-more-leases", OPTION_BOOLEAN, AT(opennebula_stop), NULL, "no", 0,
     0, "End the scheduler when nothing is left to do."},
    {"opennebula", "dry-run", OPTION_BOOLEAN, LIVE(dry_run), NULL, "no", 0, 0,
     "Decide, but send no command."},

    {"daemon", "state-dir", OPTION_PATH, LIVE(state_dir), NULL, NULL, 0, 0,
     "The folder of galernad's book of leases. Not set: /var/lib/galerna for root and the user it "
     "belongs to, ~/.local/state/galerna for others."},
    {"daemon", "control-socket", OPTION_PATH, LIVE(control_socket), NULL, NULL, 0, 0,
     "Where galerna talks to galernad. Not set: control.sock in the folder of the state, or in "
     "/run/galerna as a service."},
    {"daemon", "control-group", OPTION_TEXT, LIVE(control_group), NULL, NULL, 0, 0,
     "The group whose members may use the socket, beside root and galernad's own user."},
    {"daemon", "record", OPTION_PATH, LIVE(record), NULL, NULL, 0, 0,
     "A trace to write what happened to, for galerna replay."},
    {"daemon", "log-level", OPTION_WORD, LIVE(log_level), "error|warning|info|debug", "info", 0, 0,
     "How much is logged."},
    {"daemon", "policy-call-limit", OPTION_SECONDS, LIVE(policy_call_limit), NULL, "5", 1, 3600,
     "A policy module that has not answered a call after so long is out of service: its process is "
     "ended and the next one does not load it."},
    {"daemon", "plan-limit", OPTION_SECONDS, LIVE(plan_limit), NULL, "60", 1, 3600,
     "A plan that takes longer is ended; a module that took most of that time is out of service."},
    {"daemon", "planner-memory", OPTION_INTEGER, LIVE(planner_memory), NULL, "1024", 64, 1048576,
     "MB of address space that the planner process may have, besides 64 KB for each host and 32 KB "
     "for each VM."},
    {"daemon", "planner-user", OPTION_TEXT, LIVE(planner_user), NULL, "nobody", 0, 0,
     "Whose process the planner is when galernad is root's; it must be able to read the policy "
     "modules."},
    {"daemon", "history-keep", OPTION_SECONDS, LIVE(history_keep), NULL, "7776000", 0, SECONDS_MOST,
     "How long leases are kept after their end, for galerna lease history."},

    ACCEPTED("pricing", "rate"),
    ACCEPTED("pricing", "min-rate"),
    ACCEPTED("pricing", "max-rate"),
    ACCEPTED("pricing", "seed"),

    {"galerna", "compatibility", OPTION_WORD, AT(compatibility), "default|haizea-1.0", "default", 0,
     0, "Schedule as documented, or exactly as Haizea 1.0 did."},
    {"galerna", "seed", OPTION_INTEGER, AT(seed), NULL, "0", 0, 9e18,
     "Where the random numbers of policies begin."},
    {"galerna", "module-path", OPTION_TEXT, AT(module_path), NULL, NULL, 0, 0,
     "Folders to look for policy modules, separated by ':'."},
};

const size_t option_count = sizeof option_table / sizeof *option_table;
