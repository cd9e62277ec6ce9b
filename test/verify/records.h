/* records.h: golden records, changed and checked. */
#pragma once

#include <jansson.h>

#include "verify/verify.h"

/* A golden record by its name, "haizea-1.0/be-fcfs". Fails the test when there is none. */
json_t *load_record(const char *name);

/* Put `value` (JSON) at a path such as "leases/0/rrs/1/start"; NULL takes away what is there. */
void change_record(json_t *record, const char *path, const char *value);

/* Check a record; it is written as text and read again. Fails the test when it cannot be read. */
void check_record(json_t *record, const struct verify_options *options,
                  struct verification *verification);
