/* record_site.h: the hosts of an OpenNebula as the site of a trace. */
#pragma once

#include "adapters/cloud/objects.h"
#include "core/site.h"
#include "util/error.h"

/* Fill *site with the hosts that have a capacity, by ascending id, in any state: a host that is
 * disabled today is part of the site. This function initializes *site, and on errors also finishes
 * it: EINVAL (no host has a capacity). */
int record_site(struct site *site, const struct host_pool *hosts, struct error *err);
