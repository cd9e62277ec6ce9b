/* A program of the site: it reads the notice as JSON. */
#include <stdlib.h>

#include "notify/notify.h"
#include "util/memory.h"

enum notify_end notify_program(const json_t *job, struct error *err)
{
    const json_t *notice = json_object_get(job, "notice");
    char *program = memory_text(notify_text(job, "program"));
    char *arguments[] = {program, NULL}, *text = json_dumps(notice, JSON_COMPACT);
    enum notify_end end;

    end = text ? notify_pipe_to(arguments, text, err) : NOTIFY_NEVER;
    free(program);
    free(text);
    return end;
}
