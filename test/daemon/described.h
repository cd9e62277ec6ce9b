/* described.h: compares what the control socket answers with what web/files/openapi.json describes.
 */
#pragma once

#include <jansson.h>

/* Each member of the answer, and of the objects in it, is described, and each described member is
 * there, except those that only some answers have. An answer whose schema has no description
 * passes. */
void expect_described(const json_t *answer);
