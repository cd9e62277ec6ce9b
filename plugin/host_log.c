/* Messages about modules in the log of the policy host. */
#include <stdarg.h>
#include <stdio.h>

#include "plugin/instance.h"
#include "util/printable.h"

void host_log(const struct policy_host_state *state, enum policy_log_level level,
              const char *format, ...)
{
    char text[1024];
    va_list args;

    if (!state->settings->log || state->silent)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mask_controls(text, ' ');
    state->settings->log(state->settings->log_context, level, text);
}
