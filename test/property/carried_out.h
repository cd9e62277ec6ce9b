/* carried_out.h: a log of the operations that engines had carried out, judged by the checker. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine.h"

struct carried_out;

struct carried_out *carried_out_create(const struct site *site,
                                       const struct engine_settings *settings);
void carried_out_destroy(struct carried_out *log);

void carried_out_note(struct carried_out *log, const struct engine_output *output);

/* What was under way of the lease goes on as a new engine sees it. */
void carried_out_take_over(struct carried_out *log, const struct lease *lease, int64_t now);

/* A lease to be judged; `credit` seconds of its running were none. */
void carried_out_lease(struct carried_out *log, const struct lease_request *request,
                       int64_t credit);

/* Does the checker find nothing? Else its findings are in text. */
bool carried_out_is_clean(struct carried_out *log, int64_t end, char *text, size_t size);
