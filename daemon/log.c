/* The log of galernad: levels and repeated lines. */
#include "daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/log_write.h"
#include "util/printable.h"

enum {
    LINE_MAX = 2048,
    LINES_RECENT = 16,
    REPEATS = 3 /* times a line is written before it is only counted */
};

struct recent {
    struct log_head head;
    size_t n;
    char text[LINE_MAX];
};

const char *const log_subsystem_words[LOG_SUBSYSTEM_COUNT] = {
#define LOG_WORD(name, word) [name] = (word),
    LOG_SUBSYSTEMS(LOG_WORD)
#undef LOG_WORD
};

const char *const log_level_words[LOG_LEVEL_COUNT] = {[LOG_LEVEL_ERROR] = "error",
                                                      [LOG_LEVEL_WARNING] = "warning",
                                                      [LOG_LEVEL_INFO] = "info",
                                                      [LOG_LEVEL_DEBUG] = "debug"};

static int configured = LOG_LEVEL_INFO;
static int form = LOG_FORMAT_TEXT;
static struct {
    bool set;
    int level;
} levels[LOG_SUBSYSTEM_COUNT];
static struct recent recent[LINES_RECENT];
static size_t n_recent;

void log_set_level(int level)
{
    configured = level;
}

void log_set_format(int format)
{
    form = format;
}

void log_set_subsystem_level(enum log_subsystem subsystem, int level)
{
    levels[subsystem].set = level != LOG_LEVEL_CONFIGURED;
    levels[subsystem].level = level;
}

int log_subsystem_level(enum log_subsystem subsystem)
{
    return levels[subsystem].set ? levels[subsystem].level : configured;
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

static void write_count(const struct recent *line)
{
    char text[LINE_MAX + 64];

    if (line->n <= REPEATS)
        return;
    snprintf(text, sizeof text, "%s (repeated %zu time%s)", line->text, line->n - REPEATS,
             line->n - REPEATS == 1 ? "" : "s");
    log_write(&line->head, form, text);
}

void log_count_repeats(void)
{
    for (size_t i = 0; i < n_recent; i++)
        write_count(&recent[i]);
    n_recent = 0;
}

/* Counts the line among the recent ones, oldest first. True: it has been written often enough. */
static bool is_repeated(const struct log_head *head, const char *text)
{
    for (size_t i = 0; i < n_recent; i++)
        if (recent[i].head.level == head->level && recent[i].head.subsystem == head->subsystem &&
            strcmp(recent[i].text, text) == 0)
            return ++recent[i].n > REPEATS;
    if (n_recent == LINES_RECENT) {
        write_count(&recent[0]);
        memmove(recent, recent + 1, --n_recent * sizeof *recent);
    }
    recent[n_recent].head = *head;
    recent[n_recent].n = 1;
    snprintf(recent[n_recent++].text, LINE_MAX, "%s", text);
    return false;
}

void log_line(const struct log_head *head, const char *format, ...)
{
    char line[LINE_MAX];
    va_list arguments;

    if (head->level > log_subsystem_level(head->subsystem))
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    mask_controls(line, ' ');
    if (!is_repeated(head, line))
        log_write(head, form, line);
}
