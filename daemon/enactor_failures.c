#include <stdio.h>
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/enactor.h"
#include "daemon/enactor_inside.h"
#include "daemon/log.h"

enum {
    AVOID_SECONDS = 300,     /* a host where a VM failed is left to others for so long */
    PAUSE_MAX = 600,         /* seconds */
    AVOID_AFTER_REFUSAL = 30 /* seconds: its books differ from ours, or it has just changed */
};

static int64_t pause_after(const struct daemon *daemon, int32_t attempts)
{
    int64_t pause = daemon->live->retry_backoff > 0 ? daemon->live->retry_backoff : 1;

    for (int32_t i = 1; i < attempts && pause < PAUSE_MAX; i++)
        pause *= 2;
    return pause < PAUSE_MAX ? pause : PAUSE_MAX;
}

static void avoid(struct book_vm *vm, int32_t host, int64_t until)
{
    size_t n = sizeof vm->avoid / sizeof *vm->avoid, place = 0;

    if (host < 0)
        return;
    for (size_t i = 0; i < n; i++) {
        if (vm->avoid[i] == host || vm->avoid[i] < 0) {
            place = i;
            break;
        }
        if (vm->avoid_until[i] < vm->avoid_until[place])
            place = i;
    }
    vm->avoid[place] = host;
    vm->avoid_until[place] = until;
}

static void note(struct enactor *enactor, struct book_vm *vm, const char *event, const char *text,
                 int64_t now)
{
    struct book_lease *lease = book_lease(enactor->daemon->book, vm->lease);

    if (!lease)
        return;
    snprintf(lease->reason_word, sizeof lease->reason_word, "%s", event);
    snprintf(lease->reason, sizeof lease->reason, "%s", text);
    book_mark_lease(enactor->daemon->book, lease);
    book_history(enactor->daemon->book, vm->lease, now, event, "%s", text);
    log_warning("VM %d: %s", vm->id, text);
}

/* The record of a VM that failed says where and when; the same failure counts once. */
bool enactor_note_failure(struct enactor *enactor, struct book_vm *vm, const struct sight *sight,
                          int64_t now)
{
    char text[BOOK_TEXT_MAX];
    int64_t pause;

    if (!sight_failed(sight))
        return true;
    if (vm->failed_record == sight->history.sequence && vm->attempts > 0)
        return !vm->ran || vm->next_try <= now;
    vm->failed_record = sight->history.sequence;
    vm->attempts++;
    pause = pause_after(enactor->daemon, vm->attempts);
    vm->next_try = vm->ran ? now + pause : INSTANT_NONE;
    avoid(vm, sight->history.host, now + AVOID_SECONDS);
    snprintf(text, sizeof text, "VM %d failed on host %d (%s), attempt %d; it is tried again in %lld s",
             vm->id, sight->history.host, vm_state_name(sight->state, sight->lcm_state),
             vm->attempts, (long long)pause);
    note(enactor, vm, "start-failed", text, now);
    vm->pause_until = now + pause;
    book_mark_vm(enactor->daemon->book, vm);
    return !vm->ran;
}

void enactor_note_refusal(struct enactor *enactor, struct book_vm *vm, const char *text,
                          int64_t now)
{
    char sentence[BOOK_TEXT_MAX];
    struct book_lease *lease = book_lease(enactor->daemon->book, vm->lease);
    bool deploys = strcmp(vm->command, "deploy") == 0;

    vm->attempts++;
    vm->next_try = now + pause_after(enactor->daemon, vm->attempts);
    snprintf(sentence, sizeof sentence, "OpenNebula refused to %s VM %d%s: %.200s", vm->command,
             vm->id, vm->attempts > 1 ? " again" : "", text);
    note(enactor, vm, "command-refused", sentence, now);
    vm->command[0] = '\0';
    book_mark_vm(enactor->daemon->book, vm);
    if (!deploys)
        return;
    avoid(vm, vm->host, now + AVOID_AFTER_REFUSAL);
    if (lease && lease->phase == PHASE_STARTING)
        daemon_replan(enactor->daemon, "VM %d was refused on host %d", vm->id, vm->host);
}
