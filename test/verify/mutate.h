/* mutate.h: every single lie about a record, one after the other.
 *
 * Every value of a JSON document is changed in turn and in all the ways that lie: dropped, doubled,
 * moved by one or more, negated, relabelled with each other word of its enumeration, made a value
 * of another type, emptied, exchanged with its neighbor or with the same value of the next entry,
 * moved to the end, given to another lease, reservation, host or VM.
 */
#pragma once

#include <jansson.h>

/* The document is changed while this runs and restored afterwards. path: "leases/3/rrs/1/start";
 * lie: "+1", "dropped", "= Done", ... */
typedef void mutate_visit(void *context, const char *path, const char *lie);

/* Cost: about fifteen visits for each value of the document. */
void mutate_each(json_t *record, mutate_visit *visit, void *context);
