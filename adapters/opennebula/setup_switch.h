/* setup_switch.h: hands an OpenNebula on this machine over to Galerna, and back.
 *
 * 6.x: OpenNebula's own scheduler is a service; it is masked. 7.x: oned.conf names the drivers of
 * Galerna and turns the optimizer off (oned_conf.h), and oned is restarted. Each step is done only
 * if it is needed, so both ways may be repeated, also after one that failed halfway.
 */
#pragma once

#include "util/error.h"

struct setup_switch {
    const char *root;  /* directory that holds etc/one and var/lib/one: "", but in tests */
    const char *files; /* the folder with place and optimize, as installed */
    int major;         /* setup_apply(): of OpenNebula's version */
    void (*done)(void *context, const char *step); /* after each step: what was done */
    void *context;
};

/* -1 with err: a step failed; those before it were reported. Waits for the services. */
int setup_apply(const struct setup_switch *settings, struct error *err);
int setup_revert(const struct setup_switch *settings, struct error *err);
