/* The default settings. */
#include "core/settings.h"

#include <string.h>

#include "util/instant.h"

void engine_settings_init(struct engine_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    behaviour_default(&settings->behaviour);
    settings->backfilling = BACKFILLING_AGGRESSIVE;
    settings->backfilling_reservations = 1;
    settings->fair_share.half_life = 7 * 86400;
    settings->suspension = SUSPENSION_ALL;
    settings->suspend_rate = 32;
    settings->resume_rate = 32;
    settings->exclusion = EXCLUSION_LOCAL;
    settings->scheduling_threshold_factor = 1;
    settings->force_scheduling_threshold = SPAN_NONE;
    settings->override_boot_time = SPAN_NONE;
    settings->override_suspend_time = SPAN_NONE;
    settings->override_resume_time = SPAN_NONE;
    settings->migration = MIGRATION_NO;
    settings->migration_threshold = 10;
    settings->migration_mode = MOVING_LIVE;
    settings->preparation = PREPARATION_UNMANAGED;
    settings->transfer_mechanism = TRANSFER_UNICAST;
    settings->avoid_redundant_transfers = true;
    settings->force_transfer_time = SPAN_NONE;
    settings->image_reuse = IMAGE_REUSE_NONE;
    settings->transfer_bandwidth = 100;
}
