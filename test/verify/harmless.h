/* harmless.h: lies about records that cannot hide an overbooked or unfair schedule. */
#pragma once

#include <stdbool.h>

#include <jansson.h>

/* Of a lie at a path of the record as it was before. */
bool lie_is_harmless(json_t *record, const char *path, const char *lie);

/* The kind of the reservation that the path leads to or through; "": none. */
const char *lie_kind_of(json_t *record, const char *path);
