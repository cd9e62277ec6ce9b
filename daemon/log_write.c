/* Writes a line of the log as fields of the journal, JSON, or plain text. */
#include "daemon/log_write.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#define SD_JOURNAL_SUPPRESS_LOCATION /* the caller of log_line() would be the right one */
#include <systemd/sd-journal.h>
#include <time.h>
#include <unistd.h>

#include "util/json_writer.h"
#include "util/time_text.h"

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

void log_write(const struct log_head *head, int format, const char *text)
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
