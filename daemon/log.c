#include "daemon/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "configuration/live.h"
#include "util/time_text.h"

enum { LINE_MAX = 2048 };

static int threshold = LOG_LEVEL_INFO;

void log_set_level(int level)
{
    threshold = level;
}

static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = ' ';
}

static void write_line(int level, const char *format, va_list arguments)
{
    static const char *const words[] = {[LOG_LEVEL_ERROR] = "error: ",
                                        [LOG_LEVEL_WARNING] = "warning: ",
                                        [LOG_LEVEL_INFO] = "",
                                        [LOG_LEVEL_DEBUG] = "debug: "};
    static const int syslog_levels[] = {[LOG_LEVEL_ERROR] = 3,
                                        [LOG_LEVEL_WARNING] = 4,
                                        [LOG_LEVEL_INFO] = 6,
                                        [LOG_LEVEL_DEBUG] = 7};
    char line[LINE_MAX], stamp[32] = "";

    if (level > threshold)
        return;
    vsnprintf(line, sizeof line, format, arguments);
    make_printable(line);
    if (getenv("JOURNAL_STREAM")) {
        fprintf(stderr, "<%d>%s\n", syslog_levels[level], line);
    } else {
        time_text_local(time(NULL), stamp, sizeof stamp);
        fprintf(stderr, "%s %s%s\n", stamp, words[level], line);
    }
    fflush(stderr);
}

#define DEFINE_LOG(name, level)                                                                    \
    void name(const char *format, ...)                                                             \
    {                                                                                              \
        va_list arguments;                                                                         \
                                                                                                   \
        va_start(arguments, format);                                                               \
        write_line(level, format, arguments);                                                      \
        va_end(arguments);                                                                         \
    }

DEFINE_LOG(log_error, LOG_LEVEL_ERROR)
DEFINE_LOG(log_warning, LOG_LEVEL_WARNING)
DEFINE_LOG(log_info, LOG_LEVEL_INFO)
DEFINE_LOG(log_debug, LOG_LEVEL_DEBUG)
