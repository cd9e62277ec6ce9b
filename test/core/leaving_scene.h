/* leaving_scene.h: leases that run on hosts which they must leave. 1024 MB at 100 Mbit/s take 82 s,
 * 512 MB 41 s. */
#pragma once

#include "scenario.h"

static const uint32_t first[] = {0, 0, 0, 0}, second[] = {1, 1, 1, 1}, third[] = {2};
static const uint64_t not_first[] = {0xe}, only_second[] = {0x2}, only_third[] = {0x4};
static const struct host_filter off_first = {.allowed = not_first},
                                on_second = {.allowed = only_second},
                                on_third = {.allowed = only_third};

/* Time 1000; VMs migrate live. */
void leaving_begin(struct scenario *s, size_t n_hosts);
/* Since 900. leave_by 0: it may stay. */
void runs(struct scenario *s, struct ask what, const uint32_t *hosts, int64_t until,
          int64_t leave_by);
/* Half a host, best effort. */
struct ask half(int64_t id, int64_t duration);
/* The host takes nothing in that time, like an empty one of which another lease has all. */
void close_host(struct scenario *s, const uint32_t *host, int64_t from, int64_t until);
