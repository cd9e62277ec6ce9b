/* fixture.h: a stand-in daemon for tests, called in-process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sandbox/oned.h"

#define ADMIN "oneadmin:opennebula"

struct answer {
    bool ok;
    int fault; /* code of an XML-RPC fault, or 0 */
    int code;  /* of a refusal */
    int64_t number, object;
    char text[1 << 18]; /* document, refusal or fault; cut when longer */
};

/* Defaults of the options, a clock that stands still and a fixed seed. */
struct oned_options fixture_options(enum oned_version version, int hosts);
struct oned *fixture_create(enum oned_version version, int hosts);

/* Call a method; arguments as in xmlrpc_build_value: fixture_call(oned, "one.vm.info", "(si)",
 * ADMIN, 3). The answer is valid until the next call. */
const struct answer *fixture_call(struct oned *oned, const char *method, const char *format, ...);

/* The same, failing the test unless it succeeds. Returns the number answered. */
int64_t fixture_do(struct oned *oned, const char *method, const char *format, ...);

/* The clock goes on by so many seconds. */
void fixture_pass(struct oned *oned, int seconds);

/* A VM of so many processors and MB, and whether it went to a host: deploy with enforce. */
int fixture_vm(struct oned *oned, double cpu, int memory);
int fixture_running(struct oned *oned, int host);

/* "state/lcm" of a VM, or its number in an element such as "HID" of its document's first, last
 * occurrence. */
void fixture_assert_state(struct oned *oned, int vm, int state, int lcm);
int64_t fixture_first(const char *document, const char *element);
int64_t fixture_last(const char *document, const char *element);
