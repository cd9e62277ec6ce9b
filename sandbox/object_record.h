/* object_record.h: objects as attributes, for the state file. */
#pragma once

#include "sandbox/pools.h"

void oned_record_write(const struct oned *oned, enum oned_kind kind, int id,
                       struct oned_attributes *record);

/* Make the object of a record and put it into its pool. */
void oned_record_read(struct oned *oned, enum oned_kind kind, int id,
                      const struct oned_attributes *record);
