"""No VM's constraints, failures or boot time hold up another's."""

from kit.registry import scenario


@scenario("isolation-failing")
def isolation_failing(t):
    """A VM whose deployment always fails leaves the only host to others: OpenNebula #7382."""
    t.add_hosts(1, cores=8)
    t.begin()
    failing = t.vm("failing")
    t.backend.fail("deploy", vm=failing)
    t.wait(30, "the first attempt failed", lambda: t.look(failing).history or t.reason(failing),
           failing)
    others = t.vms(6, "other")
    t.wait_running(others, 40, "all others RUNNING while one fails")
    t.deployed_once(*others)
    t.require(not t.look(failing).running, "the failing one does not run", failing)


@scenario("isolation-slow")
def isolation_slow(t):
    """VMs that boot for minutes hold up no others: OpenNebula #7639."""
    t.add_hosts(4, cores=8)
    t.begin()
    slow = t.vms(4, "slow")
    for vm in slow:
        t.backend.slow("deploy", 60, vm=vm)
    t.wait(30, "all slow ones are under way",
           lambda: all(t.look(vm).history for vm in slow), *slow)
    others = t.vms(8, "other")
    t.wait_running(others, 40, "all others RUNNING while four boot")
    t.require(not t.those_running(slow), "none of the slow ones runs yet", *slow)
    t.deployed_once(*others)


@scenario("isolation-constraints")
def isolation_constraints(t):
    """Texts that stop stock schedulers stop their own VM at most."""
    t.add_hosts(2, attributes=['RACK = "r1"', 'RACK = "r2"'])
    t.begin()
    quoted = t.vm("quoted", requirements="RACK='r1'")
    odd = t.vm("odd", more='SCHED_RANK = "ID % 2"\n')
    never = t.vm("never", requirements='RACK="r9"')
    large = t.vm("large", cpu=500)
    others = t.vms(4, "other")
    t.wait_running([quoted, odd] + others, 30)
    for vm in (never, large):
        t.wait_reason(vm, 30)
        t.require(t.never_ran(vm), "not placed", vm)
    t.deployed_once(*others)
