/* Writes leases to a trace as they change. */
#include "daemon/record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/record/recorder_line.h"
#include "util/crash_point.h"
#include "util/memory.h"
#include "util/search.h"

/* Space in a line for the actual duration, which is known later. */
enum { LINE_RESERVE = 48, ASIDE_MAX = 10000 };

/* A line of the file. */
struct slot {
    struct record_line line;
    off_t offset;
    size_t length; /* with the end of line */
};

struct recorder {
    char *path;
    int file;
    int64_t start;
    int64_t last_arrival;
    off_t end;          /* where the footer begins */
    struct slot *slots; /* ascending by lease */
    size_t n_slots, slots_allocated;
};

static int failed(const struct recorder *recorder, const char *what, struct error *err)
{
    int code = errno ? errno : EIO;

    return error_set(err, code, "%s: the record cannot be %s: %s", recorder->path, what,
                     strerror(code));
}

/* --- slots --- */

static int order_of_slots(const void *id, const void *slot)
{
    int64_t a = *(const int64_t *)id, b = ((const struct slot *)slot)->line.id;

    return a < b ? -1 : a > b;
}

/* The index of a lease's slot, or the place to insert it. */
static size_t slot_place(const struct recorder *recorder, int64_t id)
{
    return search_place(&id, recorder->slots, recorder->n_slots, sizeof *recorder->slots,
                        order_of_slots);
}

static struct slot *slot_find(struct recorder *recorder, int64_t id)
{
    size_t place = slot_place(recorder, id);

    if (place == recorder->n_slots || recorder->slots[place].line.id != id)
        return NULL;
    return &recorder->slots[place];
}

static void slot_keep(struct recorder *recorder, const struct slot *slot)
{
    size_t place = slot_place(recorder, slot->line.id);

    MEMORY_GROW(recorder->slots, recorder->slots_allocated, recorder->n_slots + 1);
    memmove(&recorder->slots[place + 1], &recorder->slots[place],
            (recorder->n_slots - place) * sizeof *recorder->slots);
    recorder->slots[place] = *slot;
    recorder->n_slots++;
}

static void slot_drop(struct recorder *recorder, const struct slot *slot)
{
    size_t place = (size_t)(slot - recorder->slots);

    recorder->n_slots--;
    memmove(&recorder->slots[place], &recorder->slots[place + 1],
            (recorder->n_slots - place) * sizeof *recorder->slots);
}

/* --- writing --- */

static int write_at(const struct recorder *recorder, const char *text, size_t length, off_t offset,
                    struct error *err)
{
    crash_point("before a record");
    while (length > 0) {
        ssize_t n = pwrite(recorder->file, text, length, offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return failed(recorder, "written", err);
        text += n;
        offset += n;
        length -= (size_t)n;
    }
    crash_point("after a record");
    return 0;
}

/* Replaces the footer by the text and a new footer, in one write: after a kill, the file is either
 * the old or the new one. */
static int append(struct recorder *recorder, const char *text, size_t length, struct error *err)
{
    size_t whole = length + sizeof RECORD_FOOTER - 1;
    char *block = memory_new(whole + 1, 1);
    int result;

    memcpy(block, text, length);
    memcpy(block + length, RECORD_FOOTER, sizeof RECORD_FOOTER);
    result = write_at(recorder, block, whole, recorder->end, err);
    free(block);
    if (result == 0) {
        recorder->end += (off_t)length;
        return 0;
    }
    /* The old footer's blocks are still allocated, so this works even on a full disk. */
    if (write_at(recorder, RECORD_FOOTER, sizeof RECORD_FOOTER - 1, recorder->end, NULL) < 0 ||
        ftruncate(recorder->file, recorder->end + (off_t)sizeof RECORD_FOOTER - 1) < 0)
        return error_prefix(err, "the end of the record is damaged");
    return -1;
}

/* The text, padded with blanks, and a newline, `length` bytes in total. */
static char *padded(const char *text, size_t length)
{
    char *line = memory_new(length + 1, 1);
    int written = snprintf(line, length, "%s", text);

    memset(line + written, ' ', length - (size_t)written);
    line[length - 1] = '\n';
    return line;
}

static int write_slot(const struct recorder *recorder, const struct slot *slot, const char *text,
                      struct error *err)
{
    char *line = padded(text, slot->length);
    int result = write_at(recorder, line, slot->length, slot->offset, err);

    free(line);
    return result;
}

static int add_line(struct recorder *recorder, const struct recorded_lease *facts,
                    struct error *err)
{
    const struct lease_record *lease = facts->lease;
    struct slot slot = {.line.id = lease->id, .offset = recorder->end};
    char *text, *line;
    int result;

    slot.line.arrival = lease->submit - recorder->start;
    if (slot.line.arrival < 0)
        slot.line.ran_before = store_has_run(lease, recorder->start);
    if (slot.line.arrival < recorder->last_arrival)
        slot.line.arrival = recorder->last_arrival;
    text = record_line(facts, &slot.line, recorder->start, err);
    if (!text)
        return -1;
    slot.length = strlen(text) + LINE_RESERVE + 1;
    line = padded(text, slot.length);
    free(text);
    result = append(recorder, line, slot.length, err);
    free(line);
    if (result < 0)
        return -1;
    recorder->last_arrival = slot.line.arrival;
    slot_keep(recorder, &slot);
    return 0;
}

static int change_line(struct recorder *recorder, const struct recorded_lease *facts,
                       struct slot *slot, struct error *err)
{
    char *text = record_line(facts, &slot->line, recorder->start, err);
    int result;

    if (!text)
        return -1;
    if (strlen(text) < slot->length) {
        result = write_slot(recorder, slot, text, err);
        free(text);
        return result;
    }
    free(text);
    /* The lease has grown (more VMs), so its line moves to the end. */
    if (write_slot(recorder, slot, "<!-- moved -->", err) < 0)
        return -1;
    slot_drop(recorder, slot);
    return add_line(recorder, facts, err);
}

int recorder_lease(struct recorder *recorder, const struct lease_record *lease,
                   const struct vm_record *const *vms, size_t n_vms, struct error *err)
{
    struct recorded_lease facts = {.lease = lease, .vms = vms, .n_vms = n_vms};
    struct slot *slot = slot_find(recorder, lease->id);

    return slot ? change_line(recorder, &facts, slot, err) : add_line(recorder, &facts, err);
}

/* --- opening --- */

/* Reads the lines of an existing record after its header; the footer is rewritten. */
static int load_lines(struct recorder *recorder, FILE *stream, struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    ssize_t length;

    while ((length = getline(&text, &size, stream)) > 0 && text[length - 1] == '\n' &&
           strncmp(text, "</", 2) != 0) {
        struct slot slot = {.offset = recorder->end, .length = (size_t)length};

        recorder->end += length;
        if (record_line_parse(text, &slot.line) < 0)
            continue;
        recorder->last_arrival = slot.line.arrival;
        if (!slot_find(recorder, slot.line.id))
            slot_keep(recorder, &slot);
    }
    free(text);
    if (ferror(stream))
        return failed(recorder, "read", err);
    return append(recorder, "", 0, err) < 0 ||
                   ftruncate(recorder->file, recorder->end + (off_t)sizeof RECORD_FOOTER - 1) < 0
               ? failed(recorder, "written", err)
               : 0;
}

/* 1: the stream starts like a record of this site, and is positioned after its header; 0: a record
 * of another site; -1: not a record. */
static int match_header(struct recorder *recorder, FILE *stream, const struct site *site,
                        struct error *err)
{
    char *found = NULL, *header;
    const char *name;
    size_t size = 0;
    int same = 1;

    if (getline(&found, &size, stream) < 0 || getline(&found, &size, stream) < 0 ||
        !(name = strstr(found, "name=\"" RECORD_NAME))) {
        free(found);
        return error_set(
            err, EINVAL,
            "%s: the file exists and is not a record of galernad; remove it or choose another name",
            recorder->path);
    }
    recorder->start = strtoll(name + sizeof "name=\"" RECORD_NAME - 1, NULL, 10);
    free(found);
    header = record_header(site, recorder->start, err);
    if (!header)
        return -1;
    size = strlen(header);
    found = memory_new(size, 1);
    rewind(stream);
    if (fread(found, 1, size, stream) != size || memcmp(found, header, size) != 0)
        same = 0;
    recorder->end = (off_t)size;
    free(found);
    free(header);
    return same;
}

/* Continues the existing record. 1: done; 0: a record of another site; -1: err. */
static int go_on(struct recorder *recorder, const struct site *site, struct error *err)
{
    int copy = dup(recorder->file), result;
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "r");

    if (!stream) {
        if (copy >= 0)
            close(copy);
        return failed(recorder, "read", err);
    }
    result = match_header(recorder, stream, site, err);
    if (result == 1 && load_lines(recorder, stream, err) < 0)
        result = -1;
    fclose(stream);
    return result;
}

static int put_aside(const struct recorder *recorder, struct error *err)
{
    size_t size = strlen(recorder->path) + 16;
    char *name = memory_new(size, 1);
    int result = -1;

    for (int i = 1; i < ASIDE_MAX && result < 0; i++) {
        snprintf(name, size, "%s.%d", recorder->path, i);
        result = link(recorder->path, name);
        if (result < 0 && errno != EEXIST)
            break;
    }
    free(name);
    crash_point("record linked");
    return result < 0 || unlink(recorder->path) < 0 ? failed(recorder, "put aside", err) : 0;
}

static int begin_record(struct recorder *recorder, const struct site *site, int64_t start,
                        struct error *err)
{
    char *header = record_header(site, start, err);
    int result;

    if (!header)
        return -1;
    recorder->start = start;
    recorder->end = 0;
    result = append(recorder, header, strlen(header), err);
    free(header);
    return result;
}

static int open_file(struct recorder *recorder, bool *empty, struct error *err)
{
    struct stat status;

    recorder->file = open(recorder->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (recorder->file < 0 || fstat(recorder->file, &status) < 0)
        return failed(recorder, "opened", err);
    if (!S_ISREG(status.st_mode))
        return error_set(err, EINVAL, "%s: the record must be an ordinary file", recorder->path);
    *empty = status.st_size == 0;
    return 0;
}

static int open_record(struct recorder *recorder, const struct site *site, int64_t start,
                       struct error *err)
{
    bool empty = false;
    int result;

    if (open_file(recorder, &empty, err) < 0)
        return -1;
    if (empty)
        return begin_record(recorder, site, start, err);
    result = go_on(recorder, site, err);
    if (result != 0)
        return result < 0 ? -1 : 0;
    if (put_aside(recorder, err) < 0)
        return -1;
    close(recorder->file);
    if (open_file(recorder, &empty, err) < 0)
        return -1;
    return begin_record(recorder, site, start, err);
}

struct recorder *recorder_open(const char *path, const struct site *site, int64_t start,
                               struct error *err)
{
    struct recorder *recorder = memory_new(1, sizeof *recorder);

    recorder->path = memory_text(path);
    recorder->file = -1;
    if (open_record(recorder, site, start, err) == 0)
        return recorder;
    recorder_close(recorder, NULL);
    return NULL;
}

int recorder_close(struct recorder *recorder, struct error *err)
{
    int result = 0;

    if (!recorder)
        return 0;
    if (recorder->file >= 0 && fsync(recorder->file) < 0)
        result = failed(recorder, "made durable", err);
    if (recorder->file >= 0)
        close(recorder->file);
    free(recorder->slots);
    free(recorder->path);
    free(recorder);
    return result;
}
