/* setup_switch.h: switches an OpenNebula on this machine to Galerna, and back.
 *
 * 6.x: masks the service of OpenNebula's own scheduler. 7.x: sets Galerna's drivers in oned.conf,
 * turns the optimizer off (oned_conf.h), and restarts oned. Steps are only carried out if needed:
 * both directions may be repeated, also after a partial failure.
 */
#pragma once

#include "util/error.h"

struct setup_switch {
    const char *root;  /* directory of etc/one and var/lib/one: "" except in tests */
    const char *files; /* the folder with place and optimize, as installed */
    int major;         /* setup_apply(): of OpenNebula's version */
    void (*done)(void *context, const char *step); /* called after each step with a description */
    void *context;
};

/* Wait for the services. -1 with err: a step failed, after the reported ones. What setup_apply()
 * has changed is then undone, if possible: err says so. */
int setup_apply(const struct setup_switch *settings, struct error *err);
int setup_revert(const struct setup_switch *settings, struct error *err);
