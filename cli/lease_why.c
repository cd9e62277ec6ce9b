/* galerna lease why: in a few lines, why a lease is where it is and when it goes on. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "cli/lease_text.h"
#include "cli/table.h"
#include "util/instant.h"

static const char *phase_sentence(const char *phase)
{
    static const struct {
        const char *phase, *sentence;
    } sentences[] = {
        {"gathering", "waits for the other VMs of its group"},
        {"waiting", "waits in the queue"},
        {"reserved", "is accepted and has its time reserved"},
        {"starting", "is being started"},
        {"running", "runs"},
        {"stopping", "is being suspended to make room"},
        {"parked", "is suspended, stopped or held by its user, who has to resume it"},
        {"ending", "is being ended: its time is over"},
        {"ended", "is over"},
        {"refused", "was refused"},
        {"failed", "has failed"},
    };

    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (strcmp(phase, sentences[i].phase) == 0)
            return sentences[i].sentence;
    return phase;
}

static void print_state(const json_t *answer, const json_t *lease)
{
    const json_t *reason = json_object_get(lease, "reason");
    char name[300];

    lease_text_name(lease, name, sizeof name);
    printf("Lease ");
    table_print_text(stdout, name);
    printf(" %s", phase_sentence(client_text(lease, "phase")));
    if (json_is_integer(json_object_get(answer, "position")))
        printf(", at place %" PRId64, client_integer(answer, "position"));
    printf(".\n");
    if (reason && *client_text(reason, "text")) {
        printf("Reason: ");
        table_print_text(stdout, client_text(reason, "text"));
        printf(" [%s]\n", client_text(reason, "word"));
    }
    if (json_is_true(json_object_get(lease, "late")))
        printf("It is late: the time it was promised has passed.\n");
}

static void print_ahead(const json_t *answer)
{
    int64_t total = client_integer(answer, "n_ahead");
    const json_t *ahead = json_object_get(answer, "ahead"), *lease;
    char name[300];
    size_t i;

    if (total == 0)
        return;
    printf("Ahead of it: ");
    json_array_foreach(ahead, i, lease)
    {
        lease_text_name(lease, name, sizeof name);
        printf("%s", i ? ", " : "");
        table_print_text(stdout, name);
    }
    if (total > (int64_t)json_array_size(ahead))
        printf(" and %" PRId64 " more", total - (int64_t)json_array_size(ahead));
    printf(".\n");
}

/* Does the phase leave the start open? */
static bool will_start(const char *phase)
{
    return strcmp(phase, "gathering") == 0 || strcmp(phase, "waiting") == 0 ||
           strcmp(phase, "reserved") == 0;
}

static void print_expected(const json_t *lease, int64_t expected, int64_t now)
{
    char local[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];

    if (expected == INSTANT_NONE || expected == INSTANT_NEVER) {
        printf("When it starts cannot be said%s.\n",
               expected == INSTANT_NONE ? " yet"
                                        : ": what holds the hosts it may use has no planned end");
        return;
    }
    time_text_local(expected, local, sizeof local);
    time_text_relative(expected, now, relative, sizeof relative);
    printf("Expected to start %s (%s): %s.\n", local, relative,
           lease_text_is_contract(lease) ? "a contract"
                                         : "an estimate, which changes with what happens before");
}

/* Its time to start came, and it did not. */
static void print_passed(const json_t *lease, int64_t passed, int64_t now)
{
    char local[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];

    time_text_local(passed, local, sizeof local);
    time_text_relative(passed, now, relative, sizeof relative);
    if (lease_text_is_contract(lease))
        printf("It was promised to start %s (%s) and is not started yet: it starts as soon as it "
               "can.\n",
               local, relative);
    else
        printf("It was to start %s (%s) by an estimate that did not hold; the next one is not made "
               "yet.\n",
               local, relative);
}

static void print_start(const json_t *lease, int64_t now)
{
    int64_t passed = client_instant(lease, "was_expected"), end = client_instant(lease, "end");
    char local[TIME_TEXT_MAX], relative[TIME_TEXT_MAX];

    if (passed != INSTANT_NONE) {
        print_passed(lease, passed, now);
    } else if (will_start(client_text(lease, "phase"))) {
        print_expected(lease, client_instant(lease, "expected"), now);
    } else if (end != INSTANT_NONE && end != INSTANT_NEVER &&
               strcmp(client_text(lease, "phase"), "running") == 0) {
        time_text_local(end, local, sizeof local);
        time_text_relative(end, now, relative, sizeof relative);
        printf("Its time is over %s (%s).\n", local, relative);
    }
    if (*client_text(lease, "waits_for")) {
        printf("It waits for ");
        table_print_text(stdout, client_text(lease, "waits_for"));
        printf(".\n");
    }
}

static void print_messages(const json_t *answer)
{
    const json_t *message;
    size_t i;

    json_array_foreach(json_object_get(answer, "messages"), i, message)
    {
        printf("VM %" PRId64 ": ", client_integer(message, "vm"));
        table_print_text(stdout, client_text(message, "text"));
        putchar('\n');
    }
}

static void print_answer(const json_t *answer)
{
    const json_t *lease = json_object_get(answer, "lease");

    print_state(answer, lease);
    print_ahead(answer);
    print_start(lease, client_instant(answer, "now"));
    print_messages(answer);
}

const struct command_line lease_why_line = {
    .name = "galerna lease why",
    .summary = "Explain why a lease waits, and until when",
    .purpose =
        "Explain the state of a lease: the reason, the leases queued ahead of it, when it is "
        "expected to start, and whether that start is a contract or an estimate.",
    .operands = "LEASE",
    .least = 1,
    .most = 1,
    .groups = {CLIENT_GROUP},
    .codes = {CLIENT_LEASE_CODES},
    .offer = client_offer_leases,
    .size = sizeof(struct client),
};

int command_lease_why(const struct call *call)
{
    return client_run(call, "lease-why", print_answer);
}
