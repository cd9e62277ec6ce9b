/* The log of galernad: levels and repeated lines, written as fields of the journal, JSON, or plain
 * text. */
#include "daemon/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define SD_JOURNAL_SUPPRESS_LOCATION /* the caller of log_line() would be the right one */
#include <systemd/sd-journal.h>

#include "util/json_writer.h"
#include "util/printable.h"
#include "util/time_text.h"

/* --- formats ---------------------------------------------------------------------------------- */

static const int syslog_levels[] = {
    [LOG_LEVEL_ERROR] = 3, [LOG_LEVEL_WARNING] = 4, [LOG_LEVEL_INFO] = 6, [LOG_LEVEL_DEBUG] = 7};

/* Is standard error connected to the journal? Programs inherit the variable even if their standard
 * error is not: see systemd.exec(5). */
static bool is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    uintmax_t device, inode;
    struct stat status;

    return stream && sscanf(stream, "%ju:%ju", &device, &inode) == 2 &&
           fstat(STDERR_FILENO, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

enum { FIELDS_MAX = 6 };

struct fields {
    struct iovec list[FIELDS_MAX];
    int n;
};

__attribute__((format(printf, 2, 3))) static void add_field(struct fields *fields,
                                                            const char *format, ...)
{
    va_list arguments;
    char *text;
    int length;

    va_start(arguments, format);
    length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        abort();
    fields->list[fields->n++] = (struct iovec){text, (size_t)length};
}

/* False: the journal did not accept the line. */
static bool send_fields(const struct log_head *head, const char *text)
{
    struct fields fields = {.n = 0};
    bool sent;

    add_field(&fields, "MESSAGE=%s", text);
    add_field(&fields, "PRIORITY=%d", syslog_levels[head->level]);
    add_field(&fields, "SYSLOG_IDENTIFIER=galernad");
    add_field(&fields, "GALERNA_SUBSYSTEM=%s", log_subsystem_words[head->subsystem]);
    if (head->lease >= 0)
        add_field(&fields, "GALERNA_LEASE=%" PRId64, head->lease);
    if (head->vm >= 0)
        add_field(&fields, "GALERNA_VM=%" PRId32, head->vm);
    sent = sd_journal_sendv(fields.list, fields.n) == 0;
    for (int i = 0; i < fields.n; i++)
        free(fields.list[i].iov_base);
    return sent;
}

static void write_json(const struct log_head *head, const char *text)
{
    struct output *line = output_create_memory();
    struct json_writer writer;
    char stamp[TIME_TEXT_MAX];
    const char *bytes;
    size_t n;

    time_text_utc(time(NULL), stamp, sizeof stamp);
    json_writer_init(&writer, line);
    json_begin_object(&writer);
    json_put_string(&writer, "time", stamp);
    json_put_string(&writer, "level", log_level_words[head->level]);
    json_put_string(&writer, "subsystem", log_subsystem_words[head->subsystem]);
    if (head->lease >= 0) {
        json_put_integer(&writer, "lease", head->lease);
    }
    if (head->vm >= 0) {
        json_put_integer(&writer, "vm", head->vm);
    }
    json_put_string(&writer, "message", text);
    json_end_object(&writer);
    bytes = output_held(line, &n);
    fprintf(stderr, "%.*s\n", (int)n, bytes);
    output_destroy(line);
}

static void write_text(int level, const char *text)
{
    char stamp[TIME_TEXT_MAX];

    time_text_local(time(NULL), stamp, sizeof stamp);
    if (level == LOG_LEVEL_INFO)
        fprintf(stderr, "%s %s\n", stamp, text);
    else
        fprintf(stderr, "%s %s: %s\n", stamp, log_level_words[level], text);
}

/* Write a line, without control characters, to the journal or to standard error. format: enum
 * live_log_format. */
static void log_write(const struct log_head *head, int format, const char *text)
{
    bool journal = is_journal();

    if (format == LOG_FORMAT_JSON)
        write_json(head, text);
    else if (!journal)
        write_text(head->level, text);
    else if (!send_fields(head, text))
        fprintf(stderr, "<%d>%s\n", syslog_levels[head->level], text);
    fflush(stderr);
}

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
