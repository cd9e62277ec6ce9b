/* host_attributes.h: the hosts' attributes, for policy modules. */
#pragma once

#include <stdint.h>

#include "planner/wire.h"

struct host_attributes;

/* Replace *attributes (NULL: none yet) by those of a frame, which they keep. A malformed frame
 * makes the reader fail. Linear in the frame's size. */
void host_attributes_take(struct host_attributes **attributes, unsigned char *frame,
                          struct wire_reader *reader);

/* NULL: the host has no such attribute. NAME gives the host's name. The text is valid until other
 * attributes are taken. Linear in the host's attributes. */
const char *host_attributes_find(const struct host_attributes *attributes, uint32_t place,
                                 const char *name);

void host_attributes_destroy(struct host_attributes *attributes);
