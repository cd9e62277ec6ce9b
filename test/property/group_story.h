/* group_story.h: a cloud with VM groups, and galernad's parts around it, through a random day.
 *
 * Leases of all kinds come and end, hosts are drained, booked, disabled and rebalanced, VMs are
 * rescheduled, powered off and resumed, and migrations fail. Time is the story's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct group_story {
    uint64_t seed;
    int events; /* after so many, nothing more happens to the cloud */
    bool told;  /* print what happens */
};

struct group_figures {
    uint64_t starts, migrations, suspensions, together, drains, rebalanced;
};

/* True when no rule was broken, no host over capacity, and no accepted reservation displaced, at
 * any time; else what went wrong is in text. Adds to the figures. */
bool group_story_play(const struct group_story *story, struct group_figures *figures, char *text,
                      size_t size);
