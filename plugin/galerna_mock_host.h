/* galerna_mock_host.h: a complete host for unit tests of policy modules, with leases and hosts
 * defined by the test. It needs only galerna_policy.h of Galerna and has no background activity:
 * the same calls give the same results.
 *
 *     extern const struct galerna_policy galerna_policy_mine;
 *
 *     struct mock_host *mock = mock_host_create();
 *     void *self;
 *     mock_host_instance(mock, &galerna_policy_mine, "limit=3", &self);
 *     struct mock_lease lease = mock_lease(1, GALERNA_LEASE_BEST_EFFORT);
 *     ... call galerna_policy_mine.admission->admit(self, &request, mock_host_result(mock)) ...
 *     mock_host_destroy(mock);
 */
#pragma once

#include "galerna_policy.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MOCK_TYPES = 5 };

struct mock_stretch {
    int64_t span;
    uint32_t place;
};

/* A term of a lease without a member in struct mock_lease, as returned by host->lease_term(). */
struct mock_term {
    const char *name;
    int32_t type; /* GALERNA_BOOLEAN, GALERNA_INTEGER or GALERNA_TEXT */
    union galerna_value value;
};

/* A lease as a module sees it. All VMs are of one size. */
struct mock_lease {
    int64_t id;
    enum galerna_lease_kind kind;
    enum galerna_terms terms;
    enum galerna_origin origin;
    int32_t priority;
    int64_t user, submit, start, deadline, duration, accumulated;
    uint32_t vms;
    int64_t amounts[MOCK_TYPES]; /* of each VM */
    const char *image;
    int64_t image_size;
    /* Stretches so far: seconds, and the place of all its VMs. */
    const struct mock_stretch *stretches;
    uint32_t n_stretches;
    /* Further terms; a term with the name of a member, such as "origin", overrides the member. */
    const struct mock_term *more_terms;
    size_t n_more_terms;
    enum galerna_lease_state state;
    const char *user_name, *group_name; /* NULL: unknown */
    int32_t thousandths;                /* of the priority, 0 ... 999, in addition to its integer
                                         * part */
};

/* One VM of 100 CPU and 1024 MB for an hour, submitted at time 0, suspendable, user unknown. */
struct mock_lease mock_lease(int64_t id, enum galerna_lease_kind kind);

/* The lease as an argument for a module's functions. */
const struct galerna_lease *mock_lease_handle(const struct mock_lease *lease);

struct mock_host; /* opaque */

struct mock_host *mock_host_create(void);       /* NULL: out of memory */
void mock_host_destroy(struct mock_host *mock); /* also destroys instances; NULL is allowed */

const struct galerna_host *mock_host_api(struct mock_host *mock);
void mock_host_set_now(struct mock_host *mock, int64_t now);
void mock_host_set_seed(struct mock_host *mock, uint64_t seed);
/* For instances created from now on. */
void mock_host_set_compatibility(struct mock_host *mock, enum galerna_compatibility mode);

/* Appends a host and returns its place. -1: out of memory. free_amounts (NULL: the capacity) is the
 * result of host_free() for any time. */
int mock_host_add(struct mock_host *mock, const int64_t capacity[MOCK_TYPES],
                  const int64_t *free_amounts);

/* Sets the test's function behind host_attribute(); NULL: no attributes. */
void mock_host_set_attributes(struct mock_host *mock,
                              const char *(*attribute)(uint32_t place, const char *name));

/* The local time at time 0 for local_time(), as seconds since 1970. Until it is set, and with
 * GALERNA_NONE, local_time() returns false. */
void mock_host_set_start(struct mock_host *mock, int64_t start);
/* The leases for user_leases(), by ascending id; they must remain valid until the next call. */
void mock_host_set_leases(struct mock_host *mock, const struct mock_lease *leases, size_t n);

/* Creates an instance with options "key=value key=value" (no blanks in values; NULL: defaults).
 * Accepts numbers, durations in seconds, yes/no and choices. *self is the instance. Returns the
 * verdict of create(), or GALERNA_ERROR for unknown options; see mock_host_result(). */
enum galerna_verdict mock_host_instance(struct mock_host *mock, const struct galerna_policy *policy,
                                        const char *options, void **self);

/* An empty result to pass to a module's function and to examine afterwards. */
struct galerna_result *mock_host_result(struct mock_host *mock);

/* The number of messages logged by the module, and the last message ("" if none). */
unsigned mock_host_log_count(const struct mock_host *mock);
const char *mock_host_log_text(const struct mock_host *mock);

/* A batch over all hosts of the mock, with its own columns, which the test may change. Valid until
 * the next call or mock_host_destroy(). */
struct mock_hosts {
    struct galerna_host_batch batch;
    uint32_t *hosts;
    int32_t *leases_present;
    int64_t *unchanged_until;
    int64_t *free;
};
struct mock_hosts *mock_host_batch(struct mock_host *mock, const struct mock_lease *lease,
                                   int64_t at);

#ifdef __cplusplus
}
#endif
