/* What the commands that ask galernad print. */
#include "test/cli/client_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void lists_fit_the_terminal(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease list", EXIT_DONE,
           "LEASE  NAME              USER  PHASE     VMS  START      END        LEFT   HOSTS\n"
           "    7  a very long na..  anna  running     2  3h12m ago  in 30m00s  1h00m  4\n"
           "    4  lecture           anna  reserved    2  in 2h00m   in 3h00m   1h00m  -\n"
           "   12  evil?[2J          anna  waiting     2  -          -          1h00m  -\n"
           "    9  batch             anna  waiting     2  ~in 5m10s  ~in 1h05m  1h00m  -\n");
}

static void columns_are_left_out_of_narrow_tables(void **state)
{
    struct fixture *fixture = *state;

    setenv("COLUMNS", "40", 1);
    expect(fixture, "lease list", EXIT_DONE,
           "LEASE  NAME          PHASE     START\n"
           "    7  a very lon..  running   3h12m ago\n"
           "    4  lecture       reserved  in 2h00m\n"
           "   12  evil?[2J      waiting   -\n"
           "    9  batch         waiting   ~in 5m10s\n");
    expect(fixture, "queue", EXIT_DONE,
           "PLACE  LEASE  USER  VMS  PRIO  START\n"
           "    2      9  anna    2     0  ~in 5m10s\n");
    expect(fixture, "lease history 9", EXIT_DONE,
           "TIME                 EVENT      WHAT\n"
           "2026-11-21 15:00:00  requested  by anna\n"
           "2026-11-21 15:00:03  begun      galernad\n");
    expect(fixture, "host list", EXIT_DONE,
           "HOST  NAME   STATE     OUT OF SERVICE\n"
           "   4  alpha  on        -\n"
           "   6  gamma  draining  ends in 2h00m\n"
           "1 VM on host 4 cannot be read: 1 CPU and\n"
           "256 MB are kept for it\n"
           "VM 7 cannot leave host 6: must leave its\n"
           "host, but no room?[2J elsewhere;\n"
           "likewise VM 8\n");
    expect(fixture, "host timeline alpha", EXIT_DONE,
           "FROM                 LEASE  WHAT\n"
           "2026-11-21 12:48:00      7  run\n"
           "2026-11-21 16:00:00      -  run\n"
           "2026-11-21 16:00:00      6  hold\n"
           "2026-11-21 18:00:00      4  run\n");
    expect(fixture, "host timeline idle", EXIT_DONE,
           "Nothing is running or planned on this\n"
           "host.\n");
    setenv("COLUMNS", "80", 1);
}

static void status_is_wrapped(void **state)
{
    struct fixture *fixture = *state;

    setenv("COLUMNS", "40", 1);
    expect(fixture, "status", EXIT_DONE,
           "galernad                0.1.0, running\n"
           "    since 2026-11-21 12:48:00 (3h12m\n"
           "    ago)\n"
           "OpenNebula              6.10.5 at\n"
           "    http://localhost:2633/RPC2\n"
           "last read               2026-11-21\n"
           "    15:59:57 (3s ago)\n"
           "front-end               server 1,\n"
           "    follower in Raft term 7; galernad\n"
           "    stands by, the one on front2 acts\n"
           "clock of OpenNebula     1m30s behind\n"
           "clock of this machine   was set back by\n"
           "    40s while galernad was running,\n"
           "    noticed 2026-11-21 15:55:00 (5m00s\n"
           "    ago)\n"
           "policies                the built-in\n"
           "    defaults\n"
           "leases                  12 waiting, 3\n"
           "    reserved, 1 starting, 241 running, 2\n"
           "    stopping, 4 parked\n"
           "late                    1 (galerna lease\n"
           "    list --phase late)\n"
           "VMs                     6\n"
           "commands under way      3\n"
           "CPU-hours               12.5 of anna in\n"
           "    staff\n"
           "reservations            4 far ahead or\n"
           "    waited for, largest:\n"
           "    lease 3 of max: 64 CPU, 1024 MB from\n"
           "    2026-12-21 18:00:00; 1 lease waits\n"
           "    for it\n"
           "drains                  host 6 (gamma)\n"
           "    ends in 2h00m, 1 VM there\n"
           "    VM 7 cannot leave host 6: must leave\n"
           "    its host, but no room?[2J elsewhere;\n"
           "    likewise VM 8\n");
    setenv("COLUMNS", "80", 1);
}

static void usage_is_a_list(void **state)
{
    struct fixture *fixture = *state;

    setenv("COLUMNS", "150", 1);
    expect(
        fixture, "usage", EXIT_DONE,
        "From 2026-11-01 01:00:00 until 2026-11-21 16:00:00\n"
        "WHO    LEASES  CPU-HOURS  GB-HOURS  RESERVED  OF THAT USED  MEAN WAIT  PREEMPTED  LATE  "
        "REFUSED\n"
        "=anna       3       12.2       3.5       4.0           2.0      1m30s          1     0  "
        "      5\n");
    expect(fixture, "usage --output csv", EXIT_DONE,
           "user,leases,cpu_hours,memory_gb_hours,reserved_cpu_hours,reserved_used_cpu_hours,"
           "started,mean_wait,preemptions,late,refused\r\n"
           "\"'=anna\",3,12.25,3.5,4,2,2,90,1,0,5\r\n");
    setenv("COLUMNS", "80", 1);
}

static void what_cannot_be_known_or_shown_is_marked(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease list --user far", EXIT_DONE,
           "LEASE  NAME       USER  KIND         PHASE    VMS  START    END  LEFT   HOSTS\n"
           "   10  off        anna  best-effort  ending     2  -        -    1h00m  -\n"
           "    9  ?gnp.exe?  anna  best-effort  waiting    2  unknown  -    1h00m  -\n");
    expect(fixture, "lease list --start --user far", EXIT_DONE,
           "LEASE  NAME       PHASE    START    IN       PROMISE\n"
           "   10  off        ending   -        -        -\n"
           "    9  ?gnp.exe?  waiting  unknown  unknown  estimate\n");
}

static void preempted_leases_are_seen_in_the_list(void **state)
{
    struct fixture *fixture = *state;

    setenv("COLUMNS", "150", 1);
    expect(fixture, "lease list --user cleo", EXIT_DONE,
           "LEASE  NAME  USER  KIND         PHASE      VMS  START      END        LEFT   HOSTS  "
           "ACTIVITY\n"
           "    3  t     anna  best-effort  running      2  1h00m ago  -          1h00m  -      "
           "Running, to be suspended for lease 4\n"
           "    1  s     anna  best-effort  suspended    2  ~in 5m10s  ~in 1h05m  1h00m  -      "
           "Suspended for lease 2\n");
    setenv("COLUMNS", "80", 1);
}

static void starts_are_contracts_or_estimates(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease list --start", EXIT_DONE,
           "LEASE  NAME                   PHASE     START                IN         PROMISE\n"
           "    7  a very long name th..  running   2026-11-21 12:48:00  3h12m ago  started\n"
           "    4  lecture                reserved  2026-11-21 18:00:00  in 2h00m   contract\n"
           "   12  evil?[2J               waiting   -                    -          -\n"
           "    9  batch                  waiting   2026-11-21 16:05:10  in 5m10s   estimate\n");
    expect(fixture, "lease list --all", EXIT_DONE,
           "LEASE  NAME     USER  PHASE     VMS  START      END        LEFT   HOSTS\n"
           "    4  lecture  anna  reserved    2  in 2h00m   in 3h00m   1h00m  -\n"
           "    8  no       anna  refused     2  -          -          -      -\n"
           "    3  x        bo    refused     -  -          -          -      -\n"
           "    2  done     anna  ended       2  3h00m ago  2h00m ago  -      0-2,7\n");
    expect(fixture, "lease list --user nobody", EXIT_DONE, "No leases found.\n");
    expect(fixture, "lease list --phase parked", EXIT_DONE, "No leases found.\n");
    expect(fixture, "lease list --state parked", EXIT_DONE, "No leases found.\n");
    expect(fixture, "lease list --phase parked,waiting", EXIT_DONE, "No leases found.\n");
    expect(fixture, "lease list --phase suspended -o name", EXIT_DONE, "1\n11\n");
    expect(fixture, "lease list --phase waiting,reserved -o name", EXIT_DONE, "4\n1\n11\n");
}

static void lists_have_other_orders_and_forms(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease list -o name", EXIT_DONE, "7\n4\n12\n9\n");
    expect(fixture, "lease list -o name --sort lease", EXIT_DONE, "4\n7\n9\n12\n");
    expect(fixture, "lease list -o name --sort -name", EXIT_DONE, "4\n12\n9\n7\n");
    expect(fixture, "lease list -o name --host 4", EXIT_DONE, "7\n");
    expect(fixture, "lease list -o name --host alpha", EXIT_DONE, "7\n");
    expect_error(fixture, "lease list --host 44", EXIT_FAILED, "host 44 does not exist");
    expect_error(fixture, "lease cancel --host beta", EXIT_FAILED, "host 'beta' does not exist");
    expect(fixture, "lease list -o name --name batch", EXIT_DONE, "9\n");
    expect(fixture, "lease list -o name --name bat*", EXIT_DONE, "9\n");
    expect(fixture, "host list -o name", EXIT_DONE, "4\n6\n");
    expect(fixture, "host list -o name --sort -name", EXIT_DONE, "6\n4\n");
    expect(fixture, "queue --output name", EXIT_DONE, "9\n");
    expect_error(fixture, "lease list --sort size", EXIT_USAGE,
                 "unknown field 'size'; the fields are lease, ");
    /* The first has no position. */
    expect(fixture, "lease list -o name --sort position", EXIT_DONE, "12\n9\n7\n4\n");
    run(fixture, "lease list -o csv");
    assert_non_null(strstr(fixture->out, ",position"));
    assert_non_null(strstr(fixture->out, "\"no-room-now\"")); /* the reason, an object */
    run(fixture, "host list -o csv");
    assert_non_null(strstr(fixture->out, "\"7/7/must leave"));
    expect_error(fixture, "lease list --json -o csv", EXIT_USAGE, "cannot be combined");
    expect_error(fixture, "lease list --since +1h", EXIT_USAGE, "--since +1h: is in the future");
    run(fixture, "lease list -o csv --user far");
    assert_int_equal(strncmp(fixture->out, "lease,", 6), 0);
    assert_non_null(strstr(fixture->out, "\r\n9,"));
    assert_null(strchr(fixture->out, '\033'));
    run(fixture, "lease list -o json --user far");
    assert_non_null(strstr(fixture->out, "\"leases\": ["));
    expect(fixture, "lease list -o name --since 2026-11-21T13:30:00Z", EXIT_DONE, "4\n8\n");
    expect(fixture, "lease list -o name --since 2026-11-21T11:30:00Z", EXIT_DONE, "4\n8\n2\n");
}

static void why_is_told_in_a_few_lines(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease why 9", EXIT_DONE,
           "Lease 9 (batch of anna), position 2 in the queue:\n"
           "Waiting: 2 VMs asked for.\n"
           "Queued behind: 12 (first of anna) and 11 more.\n"
           "Starts in 5m10s: estimate, may change.\n");
}

static void a_lease_is_shown(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease show 9", EXIT_DONE,
           "Lease       9\n"
           "Name        batch\n"
           "Owner       anna, group users\n"
           "Kind        best-effort\n"
           "Phase       waiting\n"
           "Activity    Waiting: 2 VMs asked for\n"
           "Submitted   2026-11-21 15:00:00 (1h00m ago)\n"
           "Expected    2026-11-21 16:05:10 (in 5m10s, estimate)\n"
           "Duration    1h00m, 0s run, 1h00m left\n"
           "Terms       suspendable, origin local, priority 0\n"
           "\n"
           "VM  HOST   CPU   MB  COMMAND  TRIES\n"
           " 9     -  0.50  512  -            0\n"
           "10     3  0.50  512  deploy       1\n");
    expect_error(fixture, "lease show 77", EXIT_FAILED,
                 "galerna lease show: lease 77 does not exist\n");
    expect_error(fixture, "lease show", EXIT_USAGE, "missing argument: LEASE");
    expect_error(fixture, "lease show nine", EXIT_USAGE, "'nine' is not a lease number");
}

/* It ran on host 1, was suspended, resumed on host 2 and moved back while it ran. */
static void a_move_does_not_interrupt_the_run(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease show 21", EXIT_DONE,
           "Lease       21\n"
           "Name        m\n"
           "Owner       anna, group users\n"
           "Kind        best-effort\n"
           "Phase       running\n"
           "Activity    Running\n"
           "Submitted   2026-11-21 15:00:00 (1h00m ago)\n"
           "Running     2026-11-21 15:30:00 (30m00s ago)\n"
           "Duration    1h00m, 40m00s run, 20m00s left\n"
           "Terms       suspendable, origin local, priority 0\n"
           "\n"
           "HOST  FROM                 UNTIL\n"
           "   1  2026-11-21 15:00:00  2026-11-21 15:10:00\n"
           "   1  2026-11-21 15:50:00  -\n"
           "   2  2026-11-21 15:30:00  2026-11-21 15:50:00\n");
}

static void sentences_about_a_lease_fit_the_terminal(void **state)
{
    struct fixture *fixture = *state;

    setenv("COLUMNS", "40", 1);
    expect(fixture, "lease why 9", EXIT_DONE,
           "Lease 9 (batch of anna), position 2 in\n"
           "the queue:\n"
           "Waiting: 2 VMs asked for.\n"
           "Queued behind: 12 (first of anna) and 11\n"
           "more.\n"
           "Starts in 5m10s: estimate, may change.\n");
    expect(fixture, "lease show 9", EXIT_DONE,
           "Lease       9\n"
           "Name        batch\n"
           "Owner       anna, group users\n"
           "Kind        best-effort\n"
           "Phase       waiting\n"
           "Activity    Waiting: 2 VMs asked for\n"
           "Submitted   2026-11-21 15:00:00 (1h00m\n"
           "            ago)\n"
           "Expected    2026-11-21 16:05:10 (in\n"
           "            5m10s, estimate)\n"
           "Duration    1h00m, 0s run, 1h00m left\n"
           "Terms       suspendable, origin local,\n"
           "            priority 0\n"
           "\n"
           "VM  HOST   CPU   MB  COMMAND  TRIES\n"
           " 9     -  0.50  512  -            0\n"
           "10     3  0.50  512  deploy       1\n");
    setenv("COLUMNS", "80", 1);
}

static void the_phase_is_named_as_in_lists(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease show 22", EXIT_DONE,
           "Lease       22\n"
           "Name        s\n"
           "Owner       anna, group users\n"
           "Kind        best-effort\n"
           "Phase       suspended\n"
           "Activity    Suspended for lease 2\n"
           "Submitted   2026-11-21 15:00:00 (1h00m ago)\n"
           "Duration    1h00m, 34s run, 59m26s left\n"
           "Terms       suspendable, origin local, priority 0\n");
    expect(fixture, "lease show 23", EXIT_DONE,
           "Lease       23\n"
           "Name        r\n"
           "Owner       anna, group users\n"
           "Kind        best-effort\n"
           "Phase       refused\n"
           "Activity    Refused\n"
           "Submitted   2026-11-21 15:00:00 (1h00m ago)\n"
           "Refused     2026-11-21 15:30:00 (30m00s ago)\n"
           "Duration    1h00m, 0s run\n"
           "Terms       suspendable, origin local, priority 0\n");
}

static void a_start_without_a_place_is_not_announced(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease why 24", EXIT_DONE,
           "Lease 24 (risk of anna):\n"
           "Reserved. At present: none of the 4 hosts can be used.\n"
           "Its start is due in 2h00m: contract.\n");
}

static void a_start_that_has_passed_is_called_so(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "lease why 5", EXIT_DONE,
           "Lease 5 (exam of anna):\n"
           "Reserved.\n"
           "Overdue since 2026-11-21 15:59:00 (1m00s ago): contract. It starts as soon as\n"
           "possible.\n"
           "Waiting for VM 3 (SAVE_STOP) to leave host 1.\n");
    expect(fixture, "lease why 6", EXIT_DONE,
           "Lease 6 (b of anna):\n"
           "Waiting.\n"
           "Overdue since 2026-11-21 15:59:50 (10s ago): estimate; not estimated again yet.\n");
    expect(fixture, "lease show 5", EXIT_DONE,
           "Lease       5\n"
           "Name        exam\n"
           "Owner       anna, group users\n"
           "Kind        best-effort\n"
           "Phase       reserved, late\n"
           "Activity    Reserved\n"
           "Submitted   2026-11-21 15:00:00 (1h00m ago)\n"
           "Overdue     since 2026-11-21 15:59:00 (1m00s ago, contract)\n"
           "Waits for   VM 3 (SAVE_STOP) to leave host 1\n"
           "Duration    1h00m, 0s run, 1h00m left\n"
           "Terms       suspendable, origin local, priority 0\n");
    expect(fixture, "lease list --user late", EXIT_DONE,
           "LEASE  NAME  USER  KIND         PHASE     VMS  START          END  LEFT   HOSTS\n"
           "    8  s     anna  best-effort  starting    2  now            -    1h00m  -\n"
           "    5  exam  anna  best-effort  reserved    2  due 1m00s ago  -    1h00m  -\n"
           "    6  b     anna  best-effort  waiting     2  due 10s ago    -    1h00m  -\n");
    expect(fixture, "lease list --start --user late", EXIT_DONE,
           "LEASE  NAME  PHASE     START                IN         PROMISE\n"
           "    8  s     starting  -                    -          -\n"
           "    5  exam  reserved  2026-11-21 15:59:00  1m00s ago  overdue\n"
           "    6  b     waiting   2026-11-21 15:59:50  10s ago    estimate, overdue\n");
    expect(fixture, "lease list --user late --phase late -o name", EXIT_DONE, "5\n");
}

static void other_tables(void **state)
{
    struct fixture *fixture = *state;

    expect(fixture, "queue", EXIT_DONE,
           "PLACE  LEASE  USER  VMS  PRIO  START      WHY\n"
           "    2      9  anna    2     0  ~in 5m10s  Waiting for room: 2 VMs requested,\n"
           "                                          room for 1 now\n");
    expect(fixture, "lease history 9", EXIT_DONE,
           "TIME                 LEASE  EVENT      WHAT\n"
           "2026-11-21 15:00:00      9  requested  by anna\n"
           "2026-11-21 15:00:03      -  begun      galernad\n");
    expect(fixture, "host list", EXIT_DONE,
           "HOST  NAME   CLUSTER  STATE       CPU  MEMORY MB  VMS  OUT OF SERVICE\n"
           "   4  alpha  default  on        1.5/8  512/16384    2  -\n"
           "   6  gamma  default  draining    1/8  256/16384    1  ends in 2h00m\n"
           "1 VM on host 4 cannot be read: 1 CPU and 256 MB are kept for it\n"
           "VM 7 cannot leave host 6: must leave its host, but no room?[2J elsewhere;\n"
           "likewise VM 8\n");
    expect(fixture, "host timeline alpha", EXIT_DONE,
           "FROM                 FOR        LEASE  VM  WHAT  CPU    MB  NAME\n"
           "2026-11-21 12:48:00  unlimited      7   7  run   0.5   512  x\n"
           "2026-11-21 16:00:00  unlimited      -   8  run     1     0  -\n"
           "2026-11-21 16:00:00  -              6   -  hold    2   512  big\n"
           "2026-11-21 18:00:00  1h00m          4   -  run     8  4096  lecture\n");
    expect(fixture, "host drain --list", EXIT_DONE, "No host is drained.\n");
    expect(fixture, "host show alpha", EXIT_DONE,
           "Host     4 (alpha)\n"
           "Cluster  default\n"
           "State    on\n"
           "CPU      1.5 of 8 in use\n"
           "Memory   512 of 16384 MB in use\n"
           "VMs      2, of which 1 cannot be read and holds 1 CPU and 256 MB\n"
           "\n"
           "USE       LEASE  USER  VM  FROM                 UNTIL                CPU    MB\n"
           "running       7  max    7  2026-11-21 12:48:00  never                0.5   512\n"
           "other         -  -      8  2026-11-21 16:00:00  never                  1     0\n"
           "held          6  otto   -  2026-11-21 16:00:00  -                      2   512\n"
           "reserved      4  anna   -  2026-11-21 18:00:00  2026-11-21 19:00:00    8  4096\n");
    setenv("COLUMNS", "40", 1);
    expect(fixture, "host show alpha", EXIT_DONE,
           "Host     4 (alpha)\n"
           "Cluster  default\n"
           "State    on\n"
           "CPU      1.5 of 8 in use\n"
           "Memory   512 of 16384 MB in use\n"
           "VMs      2, of which 1 cannot be read\n"
           "         and holds 1 CPU and 256 MB\n"
           "\n"
           "USE       LEASE  UNTIL\n"
           "running       7  never\n"
           "other         -  never\n"
           "held          6  -\n"
           "reserved      4  2026-11-21 19:00:00\n");
    setenv("COLUMNS", "80", 1);
    expect(fixture, "host release alpha", EXIT_DONE, "Host 4 (alpha) is no longer quarantined.\n");
    expect(fixture, "host release alpha alpha", EXIT_DONE,
           "Host 4 (alpha) is no longer quarantined.\nHost 4 (alpha) is no longer quarantined.\n");
    expect_error(fixture, "host release 5 alpha", EXIT_FAILED, "host 5 is not quarantined");
    expect_error(fixture, "host timeline 5", EXIT_FAILED, "host 5 does not exist");
    expect(fixture, "status", EXIT_DONE,
           "galernad                0.1.0, running since 2026-11-21 12:48:00 (3h12m ago)\n"
           "OpenNebula              6.10.5 at http://localhost:2633/RPC2\n"
           "last read               2026-11-21 15:59:57 (3s ago)\n"
           "front-end               server 1, follower in Raft term 7; galernad stands by,\n"
           "                        the one on front2 acts\n"
           "clock of OpenNebula     1m30s behind\n"
           "clock of this machine   was set back by 40s while galernad was running, noticed\n"
           "                        2026-11-21 15:55:00 (5m00s ago)\n"
           "policies                the built-in defaults\n"
           "leases                  12 waiting, 3 reserved, 1 starting, 241 running, 2\n"
           "                        stopping, 4 parked\n"
           "late                    1 (galerna lease list --phase late)\n"
           "VMs                     6\n"
           "commands under way      3\n"
           "CPU-hours               12.5 of anna in staff\n"
           "reservations            4 far ahead or waited for, largest:\n"
           "                        lease 3 of max: 64 CPU, 1024 MB from 2026-12-21\n"
           "                        18:00:00; 1 lease waits for it\n"
           "drains                  host 6 (gamma) ends in 2h00m, 1 VM there\n"
           "                        VM 7 cannot leave host 6: must leave its host, but no\n"
           "                        room?[2J elsewhere; likewise VM 8\n");
}

static void an_answer_that_may_be_outdated_says_so(void **state)
{
    struct fixture *fixture = *state;

    expect_error(fixture, "lease list --user before", EXIT_DONE,
                 "galerna lease list: may be outdated: no?[2J answer (since 2026-11-21 15:55:00, "
                 "5m00s ago)\n");
    assert_string_equal(fixture->out, "No leases found.\n");
    assert_int_equal(run(fixture, "lease list --user before --json"), EXIT_DONE);
    assert_string_equal(fixture->err, "");
}

static void json_is_the_whole_answer(void **state)
{
    struct fixture *fixture = *state;
    static const char *const commands[] = {
        "lease list --json",
        "lease show 9 --json",
        "lease why 9 --json",
        "lease history --json",
        "queue --json",
        "host list --json",
        "lease cancel 9 --json",
        "status --json",
        "host timeline alpha --json",
        "lease request --template 1 --json",
    };

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        json_t *document;

        assert_int_equal(run(fixture, commands[i]), EXIT_DONE);
        document = json_loads(fixture->out, 0, NULL);
        if (!document)
            fail_msg("galerna %s: no JSON: %s", commands[i], fixture->out);
        assert_true(json_is_true(json_object_get(document, "ok")));
        json_decref(document);
    }
    assert_non_null(strstr(fixture->out, "\"decision\": {"));
}

static void the_daemon_is_looked_for(void **state)
{
    struct fixture *fixture = *state;
    char words[256];

    setenv("GALERNA_SOCKET", "/nonexistent/control.sock", 1);
    expect_error(fixture, "status", EXIT_FAILED,
                 "no galernad answers at /nonexistent/control.sock: start it");
    snprintf(words, sizeof words, "status --socket %s", fixture->socket);
    assert_int_equal(run(fixture, words), EXIT_DONE);
    snprintf(words, sizeof words, "status --state-dir %s", fixture->directory);
    assert_int_equal(run(fixture, words), EXIT_DONE);
}

static void help_is_there(void **state)
{
    struct fixture *fixture = *state;
    static const char *const commands[] = {
        "lease request", "lease list", "lease show",    "lease why", "lease cancel",
        "lease history", "host list",  "host timeline", "queue",     "status",
    };
    char words[64];

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        snprintf(words, sizeof words, "%s --help", commands[i]);
        assert_int_equal(run(fixture, words), EXIT_DONE);
        assert_int_equal(strncmp(fixture->out, "usage: galerna ", 15), 0);
        for (const char *line = fixture->out; *line; line += strcspn(line, "\n") + 1)
            if (strcspn(line, "\n") > 90)
                fail_msg("galerna %s: a line is too long: %.100s", words, line);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, client_set_up, client_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(lists_fit_the_terminal),
        TEST(columns_are_left_out_of_narrow_tables),
        TEST(status_is_wrapped),
        TEST(usage_is_a_list),
        TEST(what_cannot_be_known_or_shown_is_marked),
        TEST(preempted_leases_are_seen_in_the_list),
        TEST(starts_are_contracts_or_estimates),
        TEST(lists_have_other_orders_and_forms),
        TEST(why_is_told_in_a_few_lines),
        TEST(a_lease_is_shown),
        TEST(a_move_does_not_interrupt_the_run),
        TEST(sentences_about_a_lease_fit_the_terminal),
        TEST(the_phase_is_named_as_in_lists),
        TEST(a_start_without_a_place_is_not_announced),
        TEST(a_start_that_has_passed_is_called_so),
        TEST(other_tables),
        TEST(an_answer_that_may_be_outdated_says_so),
        TEST(json_is_the_whole_answer),
        TEST(the_daemon_is_looked_for),
        TEST(help_is_there),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
