/* Clocks that were set while galernad was not running. The store remembers both clocks of this
 * machine when it was last written, how far OpenNebula's clock was ahead, and the boot. Within the
 * same boot the steady clock continued, and tells by how much the wall clock was set. Across a
 * boot, all that is known is that time did not run backwards. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/live/clocks.h"

#define FACT "clock"

/* The clocks as stored. */
struct memory {
    int64_t wall, steady, ahead;
    int known;
    char boot[CLOCKS_BOOT_MAX];
};

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

/* The clocks as last read: times that depend on a later change have not been moved yet. */
void clocks_remember(struct daemon *daemon)
{
    const struct clocks *clocks = &daemon->clocks;
    char text[160];

    snprintf(text, sizeof text, "%" PRId64 " %" PRId64 " %" PRId64 " %d %s", clocks->wall,
             clocks->steady, clocks->ahead, clocks->known, clocks->boot[0] ? clocks->boot : "-");
    store_set_fact(daemon->store, FACT, text);
}

static bool read_memory(const struct daemon *daemon, struct memory *memory)
{
    const char *text = store_fact(daemon->store, FACT);

    return text && sscanf(text, "%" SCNd64 " %" SCNd64 " %" SCNd64 " %d %63s", &memory->wall,
                          &memory->steady, &memory->ahead, &memory->known, memory->boot) == 5;
}

void clocks_recall(struct daemon *daemon, int64_t wall, int64_t steady)
{
    struct clocks *clocks = &daemon->clocks;
    struct memory memory;
    int64_t set;
    bool same;

    if (read_memory(daemon, &memory)) {
        same = clocks->boot[0] && strcmp(memory.boot, clocks->boot) == 0;
        set = (wall - memory.wall) - (same ? steady - memory.steady : 0);
        if (same) {
            clocks->known = memory.known != 0;
            clocks->ahead = memory.ahead;
        }
        if (same ? clocks_is_jump(set) : set < 0 && clocks_is_jump(set))
            clocks_note_set(daemon, set, wall / 1000, same ? CLOCKS_DOWN : CLOCKS_DOWN_AT_LEAST);
        if (!same)
            clocks->ahead = 0; /* unknown after a boot */
    }
    clocks->wall = wall;
    clocks->steady = steady;
}
