/* Privileges, limits, Landlock and seccomp of the planner process. */
#include "planner/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int failed(struct error *err, const char *what)
{
    return error_errno(err, "cannot confine the planner: %s", what);
}

/* --- privileges and limits -------------------------------------------------------------------- */

static int set_limits(struct error *err)
{
    static const struct {
        int resource;
        rlim_t most;
    } limits[] = {
        {RLIMIT_CORE, 0},    {RLIMIT_FSIZE, 0},   {RLIMIT_NPROC, 0},
        {RLIMIT_NOFILE, 64}, {RLIMIT_MEMLOCK, 0},
    };

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct rlimit limit = {limits[i].most, limits[i].most};

        if (setrlimit((__rlimit_resource_t)limits[i].resource, &limit) < 0)
            return failed(err, "limits");
    }
    return 0;
}

/* In a container, root may be unable to change its user: the other restrictions still apply. */
static int become(uid_t user, gid_t group, struct error *err)
{
    if (geteuid() != 0 || user == 0)
        return 0;
    if (setgroups(0, NULL) == 0 && setresgid(group, group, group) == 0 &&
        setresuid(user, user, user) == 0)
        return 0;
    return errno == EPERM || errno == EINVAL ? 0 : failed(err, "another user");
}

int confine_process(uid_t user, gid_t group, struct error *err)
{
    if (become(user, group, err) < 0)
        return -1;
    /* Changing the user resets the first two. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return failed(err, "privileges");
    return set_limits(err);
}

/* --- Landlock --------------------------------------------------------------------------------- */

enum {
    /* The access rights of Landlock's first version. */
    READING =
        LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
    EVERYTHING = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1,
};

static void allow_folder(int rules, const char *folder)
{
    struct landlock_path_beneath_attr beneath = {.allowed_access = READING};

    beneath.parent_fd = open(folder, O_PATH | O_CLOEXEC | O_DIRECTORY);
    if (beneath.parent_fd < 0)
        return; /* a missing folder needs no rule */
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    close(beneath.parent_fd);
}

/* Without Landlock, the process can read all files that its user can read. */
static int restrict_files(const char *const *folders, size_t n, struct error *err)
{
    static const char *const libraries[] = {"/lib",       "/lib64",         "/usr/lib",
                                            "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo",
                                            "/etc"};
    const struct landlock_ruleset_attr attributes = {.handled_access_fs = EVERYTHING};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    int result = 0;

    if (rules < 0)
        return 0;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        allow_folder(rules, libraries[i]);
    for (size_t i = 0; i < n; i++)
        allow_folder(rules, folders[i]);
    if (syscall(SYS_landlock_restrict_self, rules, 0) < 0)
        result = failed(err, "files");
    close(rules);
    return result;
}

/* --- receiving -------------------------------------------------------------------------------- */

/* global: a number that the kernel ignores and the filter expects: modules do not know it. */
static uint32_t password;

ssize_t confine_receive(void *bytes, size_t n)
{
    return syscall(SYS_recvfrom, PROTOCOL_SOCKET, bytes, n, 0, NULL, (uintptr_t)password);
}

/* --- system calls ----------------------------------------------------------------------------- */

static struct call_page *noted_in; /* global: a signal handler gets no argument for it */

static void forbidden_call(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    noted_in->syscall = info->si_syscall;
    _exit(SIGSYS);
}

static int catch_forbidden_calls(struct call_page *page, struct error *err)
{
    struct sigaction action = {.sa_sigaction = forbidden_call, .sa_flags = SA_SIGINFO};

    noted_in = page;
    return sigaction(SIGSYS, &action, NULL) < 0 ? failed(err, "SIGSYS") : 0;
}

#define CALL(name) SCMP_SYS(name)

static int add_all(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t n)
{
    int result = 0;

    for (size_t i = 0; i < n && result == 0; i++)
        result = seccomp_rule_add(filter, action, calls[i], 0);
    return result == -EDOM ? 0 : result; /* this architecture has no such call */
}

#ifdef GALERNA_SANITIZED

static int fill(scmp_filter_ctx filter, bool reading)
{
    static const int forbidden[] = {
        CALL(socket), CALL(connect),   CALL(accept),         CALL(bind),           CALL(fork),
        CALL(vfork),  CALL(execve),    CALL(execveat),       CALL(kill),           CALL(tkill),
        CALL(alarm),  CALL(setitimer), CALL(timer_create),   CALL(timerfd_create), CALL(setrlimit),
        CALL(ptrace), CALL(unlink),    CALL(unlinkat),       CALL(rename),         CALL(renameat2),
        CALL(mkdir),  CALL(mkdirat),   CALL(io_uring_setup),
    };

    (void)reading;
    return add_all(filter, SCMP_ACT_TRAP, forbidden, sizeof forbidden / sizeof *forbidden);
}

static uint32_t otherwise(void)
{
    return SCMP_ACT_ALLOW;
}

#else

static uint32_t otherwise(void)
{
    return SCMP_ACT_TRAP;
}

/* Memory, signals to itself, clocks, its descriptors. */
static const int computing_calls[] = {
    CALL(write),
    CALL(writev),
    CALL(sendto),
    CALL(sendmsg),
    CALL(poll),
    CALL(ppoll),
    CALL(select),
    CALL(pselect6),
    CALL(fstat),
    CALL(lseek),
    CALL(brk),
    CALL(munmap),
    CALL(mremap),
    CALL(madvise),
    CALL(futex),
    CALL(rt_sigprocmask),
    CALL(rt_sigreturn),
    CALL(sigaltstack),
    CALL(clock_gettime),
    CALL(clock_getres),
    CALL(gettimeofday),
    CALL(time),
    CALL(nanosleep),
    CALL(clock_nanosleep),
    CALL(restart_syscall),
    CALL(pause),
    CALL(sched_yield),
    CALL(getpid),
    CALL(gettid),
    CALL(getppid),
    CALL(getuid),
    CALL(geteuid),
    CALL(getgid),
    CALL(getegid),
    CALL(getrandom),
    CALL(getrusage),
    CALL(sysinfo),
    CALL(uname),
    CALL(sched_getaffinity),
    CALL(exit),
    CALL(exit_group),
    CALL(getcpu),
    CALL(set_robust_list),
    CALL(rseq),
    CALL(membarrier),
    CALL(pread64),
};

/* Allows a call whose first argument, an int, is another number. The kernel ignores the upper half
 * of the register, which a plain comparison would not: one of the lower bits must differ. */
static int allow_others(scmp_filter_ctx filter, int call, uint32_t number)
{
    int result = 0;

    for (int i = 0; i < 32 && result == 0; i++) {
        const scmp_datum_t bit = UINT32_C(1) << i;

        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
                                  SCMP_A0(SCMP_CMP_MASKED_EQ, bit, ~number & bit));
    }
    return result;
}

static int allow_computing(scmp_filter_ctx filter)
{
    static const int of_others[] = {CALL(close), CALL(read), CALL(readv), CALL(recvfrom),
                                    CALL(recvmsg)};
    int result = add_all(filter, SCMP_ACT_ALLOW, computing_calls,
                         sizeof computing_calls / sizeof *computing_calls);

    /* For abort() and raise(): only to itself. */
    if (result == 0)
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(tgkill), 1,
                                  SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0));
    /* Else the planner would end later, outside of calls, or wait for what a module has read. */
    for (size_t i = 0; i < sizeof of_others / sizeof *of_others && result == 0; i++)
        result = allow_others(filter, of_others[i], PROTOCOL_SOCKET);
    if (result == 0)
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(recvfrom), 2,
                                  SCMP_A0(SCMP_CMP_EQ, PROTOCOL_SOCKET, 0),
                                  SCMP_A5(SCMP_CMP_EQ, password, 0));
    if (result == 0) /* SIGSYS keeps its handler: it notes forbidden calls */
        result = allow_others(filter, CALL(rt_sigaction), SIGSYS);
    if (result == 0) /* reads limits only */
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(prlimit64), 1,
                                  SCMP_A2(SCMP_CMP_EQ, 0, 0));
    return result;
}

static int allow_reading(scmp_filter_ctx filter)
{
    static const int calls[] = {
        CALL(mmap),       CALL(mprotect), CALL(stat),       CALL(lstat),
        CALL(newfstatat), CALL(statx),    CALL(access),     CALL(faccessat),
        CALL(faccessat2), CALL(readlink), CALL(readlinkat), CALL(getcwd),
        CALL(getdents64), CALL(ioctl),    CALL(arch_prctl), CALL(set_tid_address),
        CALL(seccomp),    CALL(prctl),    CALL(fadvise64),  CALL(fstatfs),
        CALL(statfs),
    };
    const scmp_datum_t writing = O_ACCMODE | O_CREAT | O_TRUNC;
    int result = add_all(filter, SCMP_ACT_ALLOW, calls, sizeof calls / sizeof *calls);

    if (result == 0) /* no duplicate of it */
        result = allow_others(filter, CALL(fcntl), PROTOCOL_SOCKET);
    if (result == 0)
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(openat), 1,
                                  SCMP_A2(SCMP_CMP_MASKED_EQ, writing, O_RDONLY));
    if (result == 0)
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(open), 1,
                                  SCMP_A1(SCMP_CMP_MASKED_EQ, writing, O_RDONLY));
    return result;
}

/* Calls that the C library makes on its own, and that may fail. */
static int refuse_opening(scmp_filter_ctx filter)
{
    static const int calls[] = {
        CALL(open),      CALL(openat),     CALL(openat2),  CALL(stat),
        CALL(lstat),     CALL(newfstatat), CALL(statx),    CALL(access),
        CALL(faccessat), CALL(faccessat2), CALL(readlink), CALL(readlinkat),
        CALL(ioctl),     CALL(fcntl),      CALL(getcwd),   CALL(prctl),
    };
    int result = add_all(filter, SCMP_ACT_ERRNO(EACCES), calls, sizeof calls / sizeof *calls);

    /* Only non-executable memory. */
    if (result == 0)
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(mmap), 1,
                                  SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if (result == 0)
        result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, CALL(mprotect), 1,
                                  SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    return result;
}

static int fill(scmp_filter_ctx filter, bool reading)
{
    int result = allow_computing(filter);

    if (result == 0)
        result = reading ? allow_reading(filter) : refuse_opening(filter);
    return result;
}

#endif

static int load_filter(bool reading, struct error *err)
{
    scmp_filter_ctx filter = seccomp_init(otherwise());
    int result;

    if (!filter)
        return error_set(err, ENOMEM, "cannot confine the planner: out of memory for a filter");
    /* Mitigations against speculative attacks by other processes would slow down all computing;
     * modules share the process's memory anyway. */
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    result = fill(filter, reading);
    if (result == 0)
        result = seccomp_load(filter);
    seccomp_release(filter);
    if (result == 0)
        return 0;
    errno = -result;
    return failed(err, "system calls");
}

int confine_to_reading(const char *const *folders, size_t n, struct call_page *page,
                       struct error *err)
{
    if (getrandom(&password, sizeof password, 0) < 0)
        return failed(err, "random numbers");
    if (catch_forbidden_calls(page, err) < 0 || restrict_files(folders, n, err) < 0)
        return -1;
    return load_filter(true, err);
}

int confine_to_computing(struct error *err)
{
    return load_filter(false, err);
}
