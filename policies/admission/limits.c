/* Site limits on the requests, leases and weekly use of users and groups of users.
 *
 * Groups are named in one option, because leases have only their user:
 *
 *     groups = students:10-99:vms=8:leases=20;staff:1-9,100:reservations=5
 *
 * The options for users apply to each user; those of a group apply to each lease of its members
 * (duration, horizon, vms, cpu, memory) or to all members together (leases, reservations, all-vms,
 * vm-hours, cpu-hours).
 *
 * A lease that its user has stopped or held counts again when it continues, even beyond a limit: it
 * was accepted before, and OpenNebula boots powered-off VMs without a request to Galerna. New
 * requests of the user are refused until the sum is below the limit.
 */
#include <stdio.h>
#include <string.h>

#include "budget.h"

enum limit {
    DURATION,
    HORIZON,
    VMS,
    CPU,
    MEMORY,
    LEASES,
    RESERVATIONS,
    ALL_VMS,
    VM_HOURS,
    CPU_HOURS,
    LIMITS
};
enum option { GROUPS = LIMITS, ORIGIN, WEEK };
enum week { SLIDING, CALENDAR };
enum origin { ANY, LOCAL, EXTERNAL };

enum { GROUPS_MAX = 64, RANGES_MAX = 256, NAME_MAX_BYTES = 32 };

#define COUNT(text, what)                                                                          \
    {                                                                                              \
        .name = (text), .type = GALERNA_INTEGER, .default_value = "-1", .minimum = -1,             \
        .maximum = 1e12, .description = what "; -1: no limit"                                      \
    }
#define TIME(text, what)                                                                           \
    {                                                                                              \
        .name = (text), .type = GALERNA_DURATION, .default_value = "0", .minimum = 0,              \
        .maximum = 1e11, .description = what "; 0: no limit"                                       \
    }

static const struct galerna_option options[] = {
    [DURATION] = TIME("duration", "Maximum duration of a lease"),
    [HORIZON] = TIME("horizon", "Maximum time until the start of a lease"),
    [VMS] = COUNT("vms", "VMs of a lease"),
    [CPU] = COUNT("cpu", "CPU of all VMs of a lease, in percent of a processor"),
    [MEMORY] = COUNT("memory", "Memory of all VMs of a lease, in MB"),
    [LEASES] = COUNT("leases", "Waiting and running leases of a user; leases that the user has "
                               "stopped count again when they continue, even beyond the limit"),
    [RESERVATIONS] = COUNT("reservations", "Unfinished advance reservations of a user"),
    [ALL_VMS] = COUNT("all-vms", "VMs of all leases of a user that count for the limit leases"),
    [VM_HOURS] = COUNT("vm-hours", "VM-hours of a user in a week, used and promised"),
    [CPU_HOURS] = COUNT("cpu-hours", "CPU-hours of a user in a week, used and promised"),
    [GROUPS] = {.name = "groups",
                .type = GALERNA_TEXT,
                .default_value = "",
                .description =
                    "Groups of users with limits of their own, separated by ';': "
                    "NAME:USERS:LIMIT=N:..., USERS being numbers and ranges such as 1-9,100, LIMIT "
                    "one of the options above (times in seconds). leases, reservations, all-vms, "
                    "vm-hours and cpu-hours hold for the members together"},
    [ORIGIN] = {.name = "origin",
                .type = GALERNA_CHOICE,
                .choices = "any|local|external",
                .default_value = "any",
                .description = "Leases that the limits apply to; others pass and do not count"},
    [WEEK] = {.name = "week",
              .type = GALERNA_CHOICE,
              .choices = "sliding|calendar",
              .default_value = "sliding",
              .description = "The week of vm-hours and cpu-hours: any seven days, or from Monday "
                             "to Sunday"},
};

struct range {
    int64_t first, last;
};

struct group {
    char name[NAME_MAX_BYTES];
    size_t first_range, n_ranges;
    int64_t limits[LIMITS]; /* GALERNA_NEVER: none */
};

struct policy {
    const struct galerna_host *host;
    enum origin origin;
    enum week week;
    int64_t limits[LIMITS]; /* limits of each user */
    struct group groups[GROUPS_MAX];
    size_t n_groups;
    struct range ranges[RANGES_MAX];
    size_t n_ranges;
    struct live_leases live;
    struct budget_past past;   /* leases that are over */
    struct budget_hours hours; /* scratch of one decision */
};

/* ---- the option `groups` ---- */

/* Parses a number at *text and advances *text behind it; -1: there is none. */
static int64_t take_number(const char **text)
{
    int64_t number = 0;
    const char *begin = *text;

    for (; **text >= '0' && **text <= '9'; ++*text) {
        if (number > INT64_MAX / 100)
            return -1;
        number = number * 10 + (**text - '0');
    }
    return *text == begin ? -1 : number;
}

static enum galerna_verdict wrong(const struct policy *policy, struct galerna_result *result,
                                  const char *at, const char *expected)
{
    return policy->host->answer(result, GALERNA_ERROR, "bad-groups",
                                "groups: expected %s at '%.40s'", expected, at);
}

/* USERS: 1-9,100 */
static enum galerna_verdict read_users(struct policy *policy, struct group *group,
                                       const char **text, struct galerna_result *result)
{
    group->first_range = policy->n_ranges;
    for (;;) {
        const char *begin = *text;
        struct range range;

        range.first = range.last = take_number(text);
        if (**text == '-') {
            ++*text;
            range.last = take_number(text);
        }
        if (range.first < 0 || range.last < range.first)
            return wrong(policy, result, begin, "user numbers such as 1-9,100");
        if (policy->n_ranges == RANGES_MAX)
            return wrong(policy, result, begin, "fewer ranges of users (256 at most)");
        policy->ranges[policy->n_ranges++] = range;
        group->n_ranges++;
        if (**text != ',')
            return GALERNA_OK;
        ++*text;
    }
}

/* LIMIT=N */
static enum galerna_verdict read_limit(const struct policy *policy, struct group *group,
                                       const char **text, struct galerna_result *result)
{
    const char *begin = *text;
    size_t length = strcspn(begin, "=:;");

    for (int i = 0; i < LIMITS; i++) {
        if (begin[length] != '=' || strlen(options[i].name) != length ||
            strncmp(options[i].name, begin, length) != 0)
            continue;
        *text += length + 1;
        group->limits[i] = take_number(text);
        if (group->limits[i] < 0)
            return wrong(policy, result, begin, "a number, 0 or more, behind =");
        return GALERNA_OK;
    }
    return wrong(policy, result, begin,
                 "LIMIT=N with duration, horizon, vms, cpu, memory, leases, reservations, all-vms, "
                 "vm-hours or cpu-hours");
}

static enum galerna_verdict read_group(struct policy *policy, const char **text,
                                       struct galerna_result *result)
{
    struct group *group = &policy->groups[policy->n_groups];
    size_t length = strcspn(*text, ":;");
    enum galerna_verdict verdict;

    if (policy->n_groups == GROUPS_MAX)
        return wrong(policy, result, *text, "fewer groups (64 at most)");
    if (length == 0 || length >= sizeof group->name || (*text)[length] != ':')
        return wrong(policy, result, *text, "NAME:USERS:LIMIT=N");
    memset(group, 0, sizeof *group);
    memcpy(group->name, *text, length);
    for (int i = 0; i < LIMITS; i++)
        group->limits[i] = GALERNA_NEVER;
    *text += length + 1;
    verdict = read_users(policy, group, text, result);
    while (verdict == GALERNA_OK && **text == ':') {
        ++*text;
        verdict = read_limit(policy, group, text, result);
    }
    policy->n_groups++;
    return verdict;
}

static enum galerna_verdict read_groups(struct policy *policy, const char *text,
                                        struct galerna_result *result)
{
    while (*text) {
        enum galerna_verdict verdict = read_group(policy, &text, result);

        if (verdict != GALERNA_OK)
            return verdict;
        if (*text == ';')
            text++;
        else if (*text)
            return wrong(policy, result, text, "':' and a limit, or ';' and another group");
    }
    return GALERNA_OK;
}

static enum galerna_verdict create(const struct galerna_host *host,
                                   const union galerna_value *values, void **self,
                                   struct galerna_result *result)
{
    struct policy *policy = calloc(1, sizeof *policy);
    enum galerna_verdict verdict;

    if (!policy)
        return host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    policy->host = host;
    policy->origin = (enum origin)values[ORIGIN].choice;
    policy->week = (enum week)values[WEEK].choice;
    for (int i = 0; i < LIMITS; i++) {
        bool none =
            options[i].type == GALERNA_DURATION ? values[i].integer == 0 : values[i].integer < 0;

        policy->limits[i] = none ? GALERNA_NEVER : values[i].integer;
    }
    verdict = read_groups(policy, values[GROUPS].text, result);
    if (verdict != GALERNA_OK) {
        free(policy);
        return verdict;
    }
    *self = policy;
    return GALERNA_OK;
}

static void destroy(void *self)
{
    struct policy *policy = self;

    if (policy) {
        live_finish(&policy->live);
        free(policy->past.items);
    }
    free(policy);
}

/* ---- requested and present amounts ---- */

/* The amount the lease itself requests. */
static int64_t asked(const struct policy *policy, const struct galerna_admission_request *request,
                     enum limit limit)
{
    const struct galerna_host *host = policy->host;
    int64_t start = host->lease_start(request->lease);

    switch (limit) {
    case DURATION: /* unlimited exceeds any limit */
        return host->lease_duration(request->lease);
    case HORIZON:
        return start == GALERNA_NONE || start < request->now ? 0 : start - request->now;
    case VMS:
        return host->lease_vms(request->lease);
    case CPU:
        return live_amount(host, request->lease, GALERNA_CPU);
    case MEMORY:
        return live_amount(host, request->lease, GALERNA_MEMORY);
    case LEASES:
        return 1;
    case RESERVATIONS:
        return host->lease_kind(request->lease) == GALERNA_LEASE_RESERVATION;
    case ALL_VMS:
        return host->lease_vms(request->lease);
    default:
        return 0;
    }
}

static bool is_member(const struct policy *policy, const struct group *group, int64_t user)
{
    for (size_t i = 0; i < group->n_ranges; i++) {
        const struct range *range = &policy->ranges[group->first_range + i];

        if (user >= range->first && user <= range->last)
            return true;
    }
    return false;
}

/* The amount already counted towards the limit: of the user, or of the group. */
static int64_t present(const struct policy *policy, const struct group *group, int64_t user,
                       enum limit limit)
{
    int64_t sum = 0;

    for (size_t i = 0; i < policy->live.n; i++) {
        const struct live_lease *lease = &policy->live.items[i];

        if (lease->parked || (group ? !is_member(policy, group, lease->user) : lease->user != user))
            continue;
        sum += limit == LEASES ? 1 : limit == RESERVATIONS ? lease->reservation : lease->vms;
    }
    return sum;
}

static const char *const quantities[LIMITS] = {
    [DURATION] = "duration",
    [HORIZON] = "time until the start",
    [VMS] = "VMs",
    [CPU] = "CPU in percent of a processor",
    [MEMORY] = "memory in MB",
    [LEASES] = "leases at a time",
    [RESERVATIONS] = "reservations at a time",
    [ALL_VMS] = "VMs at a time",
};

static const char *const reasons[LIMITS] = {
    [DURATION] = "too-long",
    [HORIZON] = "too-far-ahead",
    [VMS] = "too-many-vms",
    [CPU] = "too-much-cpu",
    [MEMORY] = "too-much-memory",
    [LEASES] = "too-many-leases",
    [RESERVATIONS] = "too-many-reservations",
    [ALL_VMS] = "too-many-vms-at-a-time",
};

static void name_of(const struct group *group, char whose[NAME_MAX_BYTES + 16])
{
    strcpy(whose, group ? "group " : "a user");
    if (group)
        strcat(whose, group->name);
}

/* ---- budgets ---- */

static void sum_hours(struct policy *policy, const struct group *group, int64_t user,
                      enum limit limit)
{
    struct budget_hours *hours = &policy->hours;

    for (size_t i = 0; i < policy->live.n; i++) {
        const struct live_lease *lease = &policy->live.items[i];

        if (group ? is_member(policy, group, lease->user) : lease->user == user)
            budget_add_lease(hours, lease,
                             limit == VM_HOURS ? (double)lease->vms : (double)lease->cpu);
    }
    for (size_t i = 0; i < policy->past.n; i++) {
        const struct budget_use *use = &policy->past.items[i];

        if (group ? is_member(policy, group, use->user) : use->user == user)
            budget_add(hours, use->from, use->until,
                       limit == VM_HOURS ? (double)use->vms : (double)use->cpu);
    }
    budget_sum(hours);
}

/* Writes "2026-11-30 08:00", or without local time the hours until then. */
static void room_text(const struct policy *policy, int64_t room, char *text, size_t size)
{
    struct galerna_local_time local;

    if (room == GALERNA_NONE)
        snprintf(text, size, "the lease does not fit within the next four weeks");
    else if (policy->host->local_time(policy->host, room, &local))
        snprintf(text, size, "room from %04d-%02d-%02d %02d:%02d on", local.year, local.month,
                 local.day, local.hour, local.minute);
    else
        snprintf(text, size, "room in %lld h",
                 (long long)(room - policy->hours.now + BUDGET_HOUR - 1) / BUDGET_HOUR);
}

/* Short leases of less than 0.1 hours are not told that they ask for none. */
static int decimals(double hours)
{
    return hours > 0 && hours < 0.05 ? 4 : 1;
}

static enum galerna_verdict check_hours(struct policy *policy, const struct group *group,
                                        const struct galerna_admission_request *request,
                                        enum limit limit, struct galerna_result *result)
{
    const struct galerna_host *host = policy->host;
    const char *reason = limit == VM_HOURS ? "too-many-vm-hours" : "too-many-cpu-hours";
    const char *unit = limit == VM_HOURS ? "VM-hours" : "CPU-hours";
    const double hour = limit == VM_HOURS ? BUDGET_HOUR : BUDGET_HOUR * 100.0;
    int64_t hours = group ? group->limits[limit] : policy->limits[limit];
    int64_t start = host->lease_start(request->lease);
    double rate = limit == VM_HOURS ? (double)host->lease_vms(request->lease)
                                    : (double)live_amount(host, request->lease, GALERNA_CPU);
    struct budget_request asked;
    double more, most, used, all;
    char whose[NAME_MAX_BYTES + 16], room[96];
    int week;

    if (start == GALERNA_NONE || start < request->now)
        start = request->now;
    asked = budget_request(start, host->lease_duration(request->lease), rate);
    budget_begin(&policy->hours, host, request->now, start, policy->week == CALENDAR);
    sum_hours(policy, group, host->lease_user(request->lease), limit);
    week = budget_fullest(&policy->hours, &asked, &all);
    if (all <= (double)hours * hour)
        return GALERNA_OK;
    name_of(group, whose);
    more = budget_overlap(&asked, policy->hours.origin + (int64_t)week * BUDGET_HOUR);
    most = budget_most(&policy->hours, &asked, week);
    if (most > (double)hours * hour)
        return host->answer(result, GALERNA_REFUSED_FOR_GOOD, reason,
                            "%.*f %s requested in a week; %s may have %lld", decimals(most / hour),
                            most / hour, unit, whose, (long long)hours);
    used = budget_used(&policy->hours, week);
    room_text(policy, budget_room(&policy->hours, asked, (double)hours * hour), room, sizeof room);
    return host->answer(result, GALERNA_REFUSED_FOR_NOW, reason,
                        "%.*f %s requested in a week; %s may have %lld, of which %.1f are used and "
                        "%.1f promised; %s",
                        decimals(most / hour), most / hour, unit, whose, (long long)hours,
                        used / hour, (all - more - used) / hour, room);
}

enum { AMOUNT_TEXT = 48 };

/* "2h", "1d00h00m01s", as in galernad's own refusals; a number unless it is a time. */
static void amount_text(enum limit limit, int64_t amount, char text[AMOUNT_TEXT])
{
    static const long long lengths[] = {86400, 3600, 60, 1};
    long long left = amount;
    int used = 0;

    if ((limit != DURATION && limit != HORIZON) || amount <= 0) {
        snprintf(text, AMOUNT_TEXT, "%lld", left);
        return;
    }
    if (amount == GALERNA_UNLIMITED) {
        snprintf(text, AMOUNT_TEXT, "unlimited");
        return;
    }
    for (int i = 0; left > 0 && used < AMOUNT_TEXT; left %= lengths[i++])
        if (used || left >= lengths[i])
            used += snprintf(text + used, (size_t)(AMOUNT_TEXT - used),
                             used ? "%02lld%c" : "%lld%c", left / lengths[i], "dhms"[i]);
}

/* Checks the limits of one user or group. */
static enum galerna_verdict check(struct policy *policy, const struct group *group,
                                  const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    const int64_t *limits = group ? group->limits : policy->limits;
    int64_t user = policy->host->lease_user(request->lease);
    char whose[NAME_MAX_BYTES + 16], wanted[AMOUNT_TEXT], most[AMOUNT_TEXT];

    name_of(group, whose);
    for (int i = 0; i < LIMITS; i++) {
        enum limit limit = (enum limit)i;
        int64_t more = asked(policy, request, limit), there = 0;

        if (limits[i] != GALERNA_NEVER && limit >= VM_HOURS) {
            enum galerna_verdict verdict = check_hours(policy, group, request, limit, result);

            if (verdict != GALERNA_OK)
                return verdict;
        }
        if (limits[i] == GALERNA_NEVER || more == 0)
            continue;
        if (limit >= LEASES)
            there = present(policy, group, user, limit);
        if (more <= limits[i] && there <= limits[i] - more)
            continue;
        amount_text(limit, more, wanted);
        amount_text(limit, limits[i], most);
        if (there == 0 || more > limits[i])
            return policy->host->answer(result, GALERNA_REFUSED_FOR_GOOD, reasons[i],
                                        "%s: %s requested; %s may have %s", quantities[i], wanted,
                                        whose, most);
        return policy->host->answer(result, GALERNA_REFUSED_FOR_NOW, reasons[i],
                                    "%s: %s requested in addition to %lld; %s may have %s",
                                    quantities[i], wanted, (long long)there, whose, most);
    }
    return GALERNA_OK;
}

static bool concerns(const struct policy *policy, const struct galerna_lease *lease)
{
    if (policy->origin == ANY)
        return true;
    return (policy->host->lease_origin(lease) == GALERNA_ORIGIN_EXTERNAL) ==
           (policy->origin == EXTERNAL);
}

static enum galerna_verdict admit(void *self, const struct galerna_admission_request *request,
                                  struct galerna_result *result)
{
    struct policy *policy = self;
    const struct galerna_host *host = policy->host;
    int64_t user = host->lease_user(request->lease);
    const struct live_lease *known;
    enum galerna_verdict verdict;

    if (!concerns(policy, request->lease))
        return GALERNA_OK;
    live_forget(&policy->live, request->now);
    known = live_find(&policy->live, host->lease_id(request->lease));
    if (known && !known->accepted) /* a repeated request: the lease does not count against itself */
        live_remove(&policy->live, known->id);
    verdict = check(policy, NULL, request, result);
    for (size_t i = 0; i < policy->n_groups && verdict == GALERNA_OK; i++)
        if (is_member(policy, &policy->groups[i], user))
            verdict = check(policy, &policy->groups[i], request, result);
    if (verdict == GALERNA_OK &&
        !live_add(&policy->live, host, request->lease, request->now, false))
        return host->answer(result, GALERNA_ERROR, "no-memory", "out of memory");
    return verdict;
}

/* Records that the lease's VMs have begun or ceased to run, or that its user has parked it. */
static void note_run(struct policy *policy, const struct galerna_event *happened)
{
    const struct galerna_host *host = policy->host;
    struct live_lease *lease = live_find(&policy->live, host->lease_id(happened->lease));

    if (!lease)
        return;
    lease->parked = happened->kind == GALERNA_EVENT_PARKED;
    if (happened->kind == GALERNA_EVENT_STARTED || happened->kind == GALERNA_EVENT_RESUMED) {
        lease->ran = host->lease_accumulated(happened->lease);
        lease->since = happened->time;
    } else if ((happened->kind == GALERNA_EVENT_PREEMPTED || lease->parked) &&
               lease->since != GALERNA_NONE) {
        lease->ran += happened->time > lease->since ? happened->time - lease->since : 0;
        lease->since = GALERNA_NONE;
        lease->stopped = happened->time;
    }
}

/* Remembers the use of finished leases, which count for a week. */
static bool keep_use(struct policy *policy, const struct galerna_event *happened)
{
    const struct live_lease *lease =
        live_find(&policy->live, policy->host->lease_id(happened->lease));
    int64_t ran = policy->host->lease_accumulated(happened->lease);

    return !lease || ran <= 0 ||
           budget_remember(&policy->past, &(struct budget_use){.user = lease->user,
                                                               .from = happened->time - ran,
                                                               .until = happened->time,
                                                               .vms = lease->vms,
                                                               .cpu = lease->cpu});
}

static void event(void *self, const struct galerna_event *happened)
{
    struct policy *policy = self;
    int64_t id;

    if (!happened->lease || !concerns(policy, happened->lease))
        return;
    id = policy->host->lease_id(happened->lease);
    note_run(policy, happened);
    if (happened->kind == GALERNA_EVENT_FINISHED && !keep_use(policy, happened))
        policy->host->log(policy->host, GALERNA_LOG_WARNING,
                          "out of memory: what lease %lld used is not counted", (long long)id);
    if (happened->kind == GALERNA_EVENT_FINISHED ||
        (happened->kind == GALERNA_EVENT_REQUESTED && !happened->accepted))
        live_remove(&policy->live, id);
    else if (happened->kind == GALERNA_EVENT_REQUESTED &&
             !live_add(&policy->live, policy->host, happened->lease, happened->time, true))
        policy->host->log(policy->host, GALERNA_LOG_WARNING,
                          "out of memory: lease %lld is not counted", (long long)id);
}

static const struct galerna_admission operations = {.size = sizeof operations, .admit = admit};

GALERNA_POLICY(limits) = {
    GALERNA_POLICY_HEAD(GALERNA_KIND_ADMISSION),
    .name = "limits",
    .version = "1.1",
    .summary =
        "Limits on duration, size, number, horizon and weekly use of leases, by user and group",
    GALERNA_OPTIONS(options),
    .create = create,
    .destroy = destroy,
    .admission = &operations,
    .event = event,
};
