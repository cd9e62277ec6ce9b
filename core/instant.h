/* instant.h: points in time and spans, as in util/instant.h.
 *
 * The engine never asks what time it is: every function that needs the time is told.
 */
#ifndef GALERNA_CORE_INSTANT_H
#define GALERNA_CORE_INSTANT_H

#include "util/instant.h"

#endif
