/* commit.h: commits of the store, each with the notices about its lines of the history. */
#pragma once

struct daemon;
struct error;

/* A failure is a problem (PROBLEM_STORE): commands are suspended. -1 with EAGAIN: the next commit
 * writes the uncommitted changes. */
int daemon_commit(struct daemon *daemon, struct error *err);
