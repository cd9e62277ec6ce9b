/* The log of galernad. */
#include "daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "configuration/live.h"
#include "util/printable.h"
#include "util/time_text.h"

enum {
    LINE_MAX = 2048,
    LINES_RECENT = 16,
    REPEATS = 3 /* times a line is written before it is only counted */
};

struct recent {
    int level;
    size_t n;
    char text[LINE_MAX];
};

static int threshold = LOG_LEVEL_INFO;
static struct recent recent[LINES_RECENT];
static size_t n_recent;

void log_set_level(int level)
{
    threshold = level;
}

/* Is standard error the journal? The variable is inherited by programs whose standard error is not:
 * see systemd.exec(5). */
static bool is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    uintmax_t device, inode;
    struct stat status;

    return stream && sscanf(stream, "%ju:%ju", &device, &inode) == 2 &&
           fstat(STDERR_FILENO, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

int log_continue_in(const char *path, struct error *err)
{
    int file =
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    int code;

    if (file < 0 || dup2(file, STDERR_FILENO) < 0) {
        code = errno;
        if (file >= 0)
            close(file);
        return error_set(err, code, "%s: cannot open: %s", path, strerror(code));
    }
    close(file);
    return 0;
}

static void write_line(int level, const char *line)
{
    static const char *const words[] = {[LOG_LEVEL_ERROR] = "error: ",
                                        [LOG_LEVEL_WARNING] = "warning: ",
                                        [LOG_LEVEL_INFO] = "",
                                        [LOG_LEVEL_DEBUG] = "debug: "};
    static const int syslog_levels[] = {[LOG_LEVEL_ERROR] = 3,
                                        [LOG_LEVEL_WARNING] = 4,
                                        [LOG_LEVEL_INFO] = 6,
                                        [LOG_LEVEL_DEBUG] = 7};
    char stamp[32] = "";

    if (is_journal()) {
        fprintf(stderr, "<%d>%s\n", syslog_levels[level], line);
    } else {
        time_text_local(time(NULL), stamp, sizeof stamp);
        fprintf(stderr, "%s %s%s\n", stamp, words[level], line);
    }
    fflush(stderr);
}

static void write_count(const struct recent *line)
{
    char text[LINE_MAX + 64];

    if (line->n <= REPEATS)
        return;
    snprintf(text, sizeof text, "%s (repeated %zu times)", line->text, line->n - REPEATS);
    write_line(line->level, text);
}

void log_count_repeats(void)
{
    for (size_t i = 0; i < n_recent; i++)
        write_count(&recent[i]);
    n_recent = 0;
}

/* Counts the line among the recent ones, oldest first. True: it has been written often enough. */
static bool is_repeated(int level, const char *text)
{
    for (size_t i = 0; i < n_recent; i++)
        if (recent[i].level == level && strcmp(recent[i].text, text) == 0)
            return ++recent[i].n > REPEATS;
    if (n_recent == LINES_RECENT) {
        write_count(&recent[0]);
        memmove(recent, recent + 1, --n_recent * sizeof *recent);
    }
    recent[n_recent].level = level;
    recent[n_recent].n = 1;
    snprintf(recent[n_recent++].text, LINE_MAX, "%s", text);
    return false;
}

static void take_line(int level, const char *format, va_list arguments)
{
    char line[LINE_MAX];

    if (level > threshold)
        return;
    vsnprintf(line, sizeof line, format, arguments);
    mask_controls(line, ' ');
    if (!is_repeated(level, line))
        write_line(level, line);
}

#define DEFINE_LOG(name, level)                                                                    \
    void name(const char *format, ...)                                                             \
    {                                                                                              \
        va_list arguments;                                                                         \
                                                                                                   \
        va_start(arguments, format);                                                               \
        take_line(level, format, arguments);                                                       \
        va_end(arguments);                                                                         \
    }

DEFINE_LOG(log_error, LOG_LEVEL_ERROR)
DEFINE_LOG(log_warning, LOG_LEVEL_WARNING)
DEFINE_LOG(log_info, LOG_LEVEL_INFO)
DEFINE_LOG(log_debug, LOG_LEVEL_DEBUG)
