/* galerna-notify: sends the notices that galernad gives it. */
#include <stdio.h>
#include <string.h>

#include "notify/notify.h"

static enum notify_end hand_over(const json_t *job, struct error *err)
{
    static const struct {
        const char *kind;
        enum notify_end (*hand_over)(const json_t *job, struct error *err);
    } kinds[] = {
#define ROW(name, word, function) {word, function},
        NOTIFY_RECEIVERS(ROW)
#undef ROW
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].kind, notify_text(job, "kind")) == 0)
            return kinds[i].hand_over(job, err);
    error_set(err, 0, "a job of unknown kind '%.40s'", notify_text(job, "kind"));
    return NOTIFY_NEVER;
}

int main(void)
{
    json_error_t wrong;
    json_t *job = json_loadf(stdin, 0, &wrong);
    struct error err = {0};
    enum notify_end end;

    if (!job) {
        fprintf(stderr, "the job cannot be read: %s\n", wrong.text);
        return NOTIFY_NEVER;
    }
    end = hand_over(job, &err);
    if (end != NOTIFY_DONE)
        fprintf(stderr, "%s\n", err.text);
    json_decref(job);
    return end;
}
