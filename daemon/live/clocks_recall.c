/* Detects clocks that were set while galernad was not running. The store has both clocks of this
 * machine at its last write, the offset of OpenNebula's clock, and the boot id. Within the same
 * boot the steady clock continued, and shows by how much the wall clock was set. Across a boot,
 * only the direction of time is known: it did not run backwards. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/live/clocks.h"
#include "daemon/live/daemon.h"

#define FACT "clock"

void clocks_boot(char boot[CLOCKS_BOOT_MAX])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

    boot[0] = '\0';
    if (!file)
        return;
    if (!fgets(boot, CLOCKS_BOOT_MAX, file))
        boot[0] = '\0';
    boot[strcspn(boot, " \n")] = '\0';
    fclose(file);
}

/* Stores the clocks as last read: times that depend on a later change have not been moved yet. */
void clocks_remember(struct daemon *daemon)
{
    const struct clocks *clocks = &daemon->clocks;
    char text[160];

    snprintf(text, sizeof text, "%" PRId64 " %" PRId64 " %" PRId64 " %d %s", clocks->wall,
             clocks->steady, clocks->ahead, clocks->known, clocks->boot[0] ? clocks->boot : "-");
    store_set_fact(daemon->store, FACT, text);
}

static bool read_stored(const struct daemon *daemon, struct clocks *stored)
{
    const char *text = store_fact(daemon->store, FACT);
    int known = 0;

    if (!text || sscanf(text, "%" SCNd64 " %" SCNd64 " %" SCNd64 " %d %63s", &stored->wall,
                        &stored->steady, &stored->ahead, &known, stored->boot) != 5)
        return false;
    stored->known = known != 0;
    return true;
}

void clocks_recall(struct daemon *daemon, int64_t wall, int64_t steady)
{
    struct clocks *clocks = &daemon->clocks;
    struct clocks stored;
    int64_t set;
    bool same;

    if (read_stored(daemon, &stored)) {
        same = clocks->boot[0] && strcmp(stored.boot, clocks->boot) == 0;
        set = (wall - stored.wall) - (same ? steady - stored.steady : 0);
        if (same) {
            clocks->known = stored.known;
            clocks->ahead = stored.ahead;
        }
        if (same ? clocks_is_jump(set) : set < 0 && clocks_is_jump(set))
            clocks_note_set(daemon, set, wall / 1000, same ? CLOCKS_DOWN : CLOCKS_DOWN_AT_LEAST);
        if (!same)
            clocks->ahead = 0; /* unknown after a boot */
    }
    clocks->wall = wall;
    clocks->steady = steady;
}
