/* Bytes of a store: what is opened says only what was written, what is refused can be repaired.
 *
 * The input begins with a digit. '0': the rest is the database. Else pairs of a place (three bytes)
 * and a change follow, applied to a sound database ('1') or to its log ('2').
 */
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/repair.h"
#include "daemon/store/store.h"

enum { FILES = 3, LEASES = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[FILES] = {"store.db", "store.db-wal", "store.seal"};

struct sample {
    uint8_t *bytes[FILES];
    size_t size[FILES];
};

static void path_in(const char *directory, const char *name, char path[512])
{
    snprintf(path, 512, "%s/%s", directory, name);
}

static void remove_all(const char *directory)
{
    DIR *folder = opendir(directory);
    const struct dirent *entry;
    char path[512];

    while (folder && (entry = readdir(folder))) {
        path_in(directory, entry->d_name, path);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    if (folder)
        closedir(folder);
    rmdir(directory);
}

static void read_file(const char *directory, int i, struct sample *sample)
{
    char path[512];
    FILE *file;

    path_in(directory, names[i], path);
    file = fopen(path, "r");
    sample->bytes[i] = malloc(1 << 20);
    if (!file || !sample->bytes[i])
        abort();
    sample->size[i] = fread(sample->bytes[i], 1, 1 << 20, file);
    fclose(file);
}

static void make_sample(struct sample *sample)
{
    char directory[] = "/tmp/galerna-fuzz-XXXXXX";
    struct store *store = mkdtemp(directory) ? store_open(directory, NULL) : NULL;

    if (!store)
        abort();
    for (int i = 0; i < LEASES; i++) {
        store_add_lease(store, i)->phase = i % 2 ? PHASE_ENDED : PHASE_WAITING;
        store_add_vm(store, i, i)->gone = i % 2;
        store_history(store, i, 1000 + i, "requested", "lease %d", i);
        store_set_fact(store, "rate", i % 2 ? "1" : "2");
        if (store_commit(store, NULL) < 0)
            abort();
        if (i == LEASES / 2) { /* the first half is in the database, the rest in the log */
            store_close(store);
            store = store_open(directory, NULL);
        }
    }
    for (int i = 0; i < FILES; i++)
        read_file(directory, i, sample);
    store_close(store);
    remove_all(directory);
}

static void write_file(const char *directory, const char *name, const uint8_t *bytes, size_t size)
{
    char path[512];
    FILE *file;

    path_in(directory, name, path);
    file = fopen(path, "w");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static void write_changed(const char *directory, const struct sample *sample, int i,
                          const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(sample->size[i]);

    if (!bytes)
        abort();
    memcpy(bytes, sample->bytes[i], sample->size[i]);
    for (; size >= 4; data += 4, size -= 4)
        bytes[((size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2]) % sample->size[i]] ^=
            data[3];
    write_file(directory, names[i], bytes, sample->size[i]);
    free(bytes);
}

static void visit_lease(void *context, const struct lease_record *lease)
{
    *(int64_t *)context += lease->id;
}

static void visit_event(void *context, const struct store_event *event)
{
    *(size_t *)context += strlen(event->event) + strlen(event->text);
}

/* 0: opened and read; else refused. */
static int read_all(const char *directory, struct error *err)
{
    const struct store_past past = {.limit = SIZE_MAX};
    struct store *store = store_open(directory, err);
    int64_t ids = 0;
    size_t length = 0;
    int result = 0;

    if (!store)
        return -1;
    if (store_each_past_lease(store, &past, visit_lease, &ids, err) < 0 ||
        store_each_event(store, STORE_NO_LEASE, 0, visit_event, &length, err) < 0)
        result = -1;
    store_close(store);
    return result;
}

static void count_line(void *context, const char *line)
{
    *(size_t *)context += strlen(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sample sample; /* the same for all inputs */
    char directory[] = "/tmp/galerna-fuzz-XXXXXX";
    struct error err = {0};
    size_t told = 0;

    if (!sample.bytes[0])
        make_sample(&sample);
    if (size == 0 || !mkdtemp(directory))
        return 0;
    umask(077);
    for (int i = 0; i < FILES; i++)
        write_changed(directory, &sample, i, data + 1, data[0] == '1' + i ? size - 1 : 0);
    if (data[0] == '0')
        write_file(directory, names[0], data + 1, size - 1);
    if (read_all(directory, &err) < 0 && err.code == EBADMSG) {
        if (store_repair(directory, count_line, &told, &err) < 0 || told == 0 ||
            read_all(directory, &err) < 0)
            abort();
    }
    remove_all(directory);
    return 0;
}
