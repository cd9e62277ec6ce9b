/* recordings.h: what OpenNebula 6.10 and 7.4 answered; test/opennebula/recordings/. */
#pragma once

#include <stddef.h>

extern const char *const recorded_versions[2];

/* The file recordings/VERSION/NAME, 0-terminated, to be freed; the test fails without it. */
char *recording(const char *version, const char *name, size_t *length);

/* The document in the answer recordings/VERSION/NAME.rpc.xml, to be freed. */
char *recorded_document(const char *version, const char *name, size_t *length);
