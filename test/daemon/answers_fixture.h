/* answers_fixture.h: a store of seven leases and a daemon that keeps what it is told. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "daemon/control/answers.h"
#include "test/daemon/directory.h"

/* 2026-11-21T15:00:00Z */
#define NOW INT64_C(1795273200)

enum { HOST_FIELDS = 12 };

struct answers_fixture {
    char directory[DIRECTORY_NAME_MAX];
    struct store *store;
    struct answers *answers;
    struct answers_daemon daemon;
    struct control_peer peer;
    struct order order; /* the last one */
    int orders, trials, wakes, reloads;
    int64_t cancelled;
    struct lease_change change; /* the last one; of lease 3 it is refused */
    bool dry_run;
    int changes;
    char who[96];
    char log_level[16];
    int64_t later; /* seconds since NOW */
    bool rests;    /* nothing more is read of OpenNebula */
    uint64_t readings;
    bool host_is_off, host_is_gone; /* host 7 */
    int host_field; /* of host 7, that is another one than usual: 1 to HOST_FIELDS; 0: none */
    bool outdated;  /* OpenNebula has not answered for five minutes */
    bool fails;     /* the daemon, at what it is asked from now on */
};

/* For cmocka: *state is a struct answers_fixture; its peer may change things. */
int answers_set_up(void **state);
int answers_tear_down(void **state);

/* The answer to a question in JSON, to be given back; NULL: it comes later. */
json_t *ask(struct answers_fixture *fixture, const char *text);

/* `part` is in the sentence of the refusal. */
void expect_refusal(struct answers_fixture *fixture, const char *text, const char *code,
                    const char *part);

/* As ask(), and the answer is no refusal, and as described. */
json_t *expect_answer(struct answers_fixture *fixture, const char *text, const char *schema);

/* The ids of the answer's leases, in order: "4 6 3". Releases the answer. */
void expect_ids(json_t *answer, const char *expected);
