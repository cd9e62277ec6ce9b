/* A damaged store is refused, or what is read of it is what was written; never anything else. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/store/repair.h"
#include "daemon/store/rows.h"
#include "daemon/store/store.h"
#include "test/daemon/change_records.h"
#include "test/daemon/store_fixture.h"

enum { LEASES = 40, PAST = 1000, ROUNDS = 6, FLIPS = 250, REPAIRS = 25, CUTS = 48 };

static const char *const names[] = {"store.db", "store.db-wal", "store.seal"};

enum { FILES = sizeof names / sizeof *names };

/* The files as a killed galernad leaves them, and what can be read of them. */
struct sample {
    struct store_fixture *fixture;
    struct {
        char *bytes;
        size_t size;
    } files[FILES];
    char *contents;
};

/* --- what a store says ------------------------------------------------------------------------ */

static void print_record(FILE *file, const struct store_table *table, const void *record)
{
    fprintf(file, "%s", table->name);
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct store_column *column = &table->columns[i];
        const char *field = store_rows_field(column, record);
        char term[TERM_TEXT_MAX];

        switch (column->type) {
        case COLUMN_TEXT:
            fprintf(file, " '%s'", *(const char *const *)(const void *)field);
            break;
        case COLUMN_TERM:
            fprintf(file, " %s",
                    term_write(&lease_terms[column->count],
                               (const struct term_values *)(const void *)field, term));
            break;
        case COLUMN_BOOL:
            fprintf(file, " %d", *(const bool *)field);
            break;
        case COLUMN_INT64:
        case COLUMN_INSTANT:
            fprintf(file, " %lld", (long long)*(const int64_t *)(const void *)field);
            break;
        case COLUMN_INT64_LIST:
        case COLUMN_INT32_LIST:
            for (size_t j = 0; j < column->count; j++)
                fprintf(file, " %lld",
                        column->type == COLUMN_INT32_LIST
                            ? (long long)((const int32_t *)(const void *)field)[j]
                            : (long long)((const int64_t *)(const void *)field)[j]);
            break;
        default:
            fprintf(file, " %d", *(const int32_t *)(const void *)field);
        }
    }
    fputc('\n', file);
}

static void print_lease(void *file, const struct lease_record *lease)
{
    print_record(file, &store_lease_table, lease);
}

static void print_vm(void *file, const struct vm_record *vm)
{
    print_record(file, &store_vm_table, vm);
}

static void print_event(void *file, const struct store_event *event)
{
    fprintf(file, "event %lld %lld %s %s\n", (long long)event->lease, (long long)event->at,
            event->event, event->text);
}

/* NULL: something of it cannot be read, which err says. */
static char *read_contents(struct store *store, struct error *err)
{
    static const char *const facts[] = {"instance", "mode", "rate", "empty"};
    const struct store_past past = {.limit = SIZE_MAX};
    char *text = NULL;
    size_t size = 0, n, n_vms;
    FILE *file = open_memstream(&text, &size);
    const struct lease_record *const *leases = store_leases(store, &n);
    int result = 0;

    for (size_t i = 0; i < n; i++) {
        const struct vm_record *const *vms = store_vms_of(store, leases[i]->id, &n_vms);

        print_lease(file, leases[i]);
        for (size_t j = 0; j < n_vms; j++)
            print_vm(file, vms[j]);
    }
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (store_fact(store, facts[i]))
            fprintf(file, "fact %s %s\n", facts[i], store_fact(store, facts[i]));
    if (store_each_past_lease(store, &past, print_lease, file, err) < 0 ||
        store_each_event(store, STORE_NO_LEASE, 0, print_event, file, err) < 0)
        result = -1;
    for (int64_t id = 0; id < PAST + LEASES && result == 0; id = id == LEASES ? PAST : id + 1)
        if (store_each_past_vm(store, id, print_vm, file, err) < 0 ||
            store_each_event(store, id, 0, print_event, file, err) < 0)
            result = -1;
    fclose(file);
    if (result == 0)
        return text;
    free(text);
    return NULL;
}

/* --- files ------------------------------------------------------------------------------------ */

static void keep_file(struct sample *sample, int i)
{
    char path[128];
    struct stat status;
    FILE *file;

    store_path_in(sample->fixture, names[i], path);
    if (stat(path, &status) < 0)
        return;
    sample->files[i].size = (size_t)status.st_size;
    sample->files[i].bytes = malloc(sample->files[i].size + 1);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(sample->files[i].bytes, 1, sample->files[i].size, file),
                     sample->files[i].size);
    fclose(file);
}

static void put_file(const struct sample *sample, int i, size_t size)
{
    char path[128];
    FILE *file;

    store_path_in(sample->fixture, names[i], path);
    unlink(path);
    if (!sample->files[i].bytes)
        return;
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(sample->files[i].bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0600), 0);
}

static void put_back(const struct sample *sample)
{
    char path[128];

    store_path_in(sample->fixture, "store.db-shm", path);
    unlink(path);
    for (int i = 0; i < FILES; i++)
        put_file(sample, i, sample->files[i].size);
}

static void fill(struct store *store)
{
    for (int i = 0; i < LEASES; i++) {
        struct lease_record *lease = store_add_lease(store, i);

        store_fill_lease(lease);
        lease->group_size = 2;
        store_add_vm(store, i, i)->host = i;
        store_add_vm(store, PAST + LEASES + i, i)->ran = true;
        store_history(store, i, 5000 + i, "requested", "lease %d", i);
        store_add_lease(store, PAST + i)->phase = PHASE_ENDED;
        store_add_vm(store, PAST + i, PAST + i)->gone = true;
    }
    store_must_commit(store);
}

static void go_on(struct store *store)
{
    for (int round = 0; round < ROUNDS; round++) {
        char rate[16];

        for (int i = round; i < LEASES; i += 3)
            lease_to_change(store, i)->priority = round;
        store_history(store, STORE_NO_LEASE, 6000 + round, "round", "%d", round);
        snprintf(rate, sizeof rate, "%d.5", round);
        store_set_fact(store, "rate", rate);
        store_set_fact(store, "mode", "simulated");
        store_must_commit(store);
    }
}

/* `log`: with all of the last commits in the log, else all of them in the database. */
static struct sample *take_sample(struct store_fixture *fixture, bool log)
{
    struct sample *sample = calloc(1, sizeof *sample);

    sample->fixture = fixture;
    sample->contents = read_contents(fixture->store, NULL);
    assert_non_null(sample->contents);
    if (!log)
        store_close(fixture->store);
    for (int i = 0; i < FILES; i++)
        keep_file(sample, i);
    if (log)
        store_close(fixture->store);
    fixture->store = NULL;
    return sample;
}

static struct sample *make_sample(struct store_fixture *fixture, bool log)
{
    fill(fixture->store);
    store_reopen(fixture);
    go_on(fixture->store);
    return take_sample(fixture, log);
}

static void free_sample(struct sample *sample)
{
    for (int i = 0; i < FILES; i++)
        free(sample->files[i].bytes);
    free(sample->contents);
    free(sample);
}

/* --- flips ------------------------------------------------------------------------------------ */

enum verdict { HARMLESS, REFUSED, UNNOTICED };

static void must_say(const struct error *err)
{
    if (err->code != EBADMSG || !strstr(err->text, "/store.") ||
        !strstr(err->text, "galernad --repair"))
        fail_msg("not said as damage (%d): %s", err->code, err->text);
}

static enum verdict judge(const struct sample *sample, struct error *err)
{
    struct store *store = store_open(sample->fixture->directory, err);
    enum verdict verdict = REFUSED;
    char *contents = store ? read_contents(store, err) : NULL;

    if (contents) {
        verdict = strcmp(contents, sample->contents) == 0 ? HARMLESS : UNNOTICED;
        store_add_lease(store, 7777777);
        if (verdict == HARMLESS && store_commit(store, err) < 0)
            verdict = REFUSED;
    }
    if (verdict == REFUSED)
        must_say(err);
    free(contents);
    store_close(store);
    return verdict;
}

static void flip(const struct sample *sample, int i, size_t at, int bit)
{
    sample->files[i].bytes[at] ^= (char)(1 << bit);
}

static enum verdict judge_flip(const struct sample *sample, int i, size_t at, int bit)
{
    struct error err = {0};
    enum verdict verdict;

    flip(sample, i, at, bit);
    put_back(sample);
    verdict = judge(sample, &err);
    flip(sample, i, at, bit);
    return verdict;
}

/* Every kind of place: the whole of the first bytes, the rest at random. */
static void judge_file(const struct sample *sample, int i, size_t n)
{
    size_t counts[3] = {0}, size = sample->files[i].size;

    for (size_t k = 0; k < n; k++) {
        size_t at = k < 100 && k < size ? k : (size_t)random() % size;
        int bit = (int)(random() % 8);
        enum verdict verdict = judge_flip(sample, i, at, bit);

        counts[verdict]++;
        if (verdict == UNNOTICED)
            print_message("%s: bit %d of byte %zu went unnoticed\n", names[i], bit, at);
    }
    print_message("%s, %zu bytes: %zu flips: %zu refused, %zu harmless, %zu unnoticed\n", names[i],
                  size, n, counts[REFUSED], counts[HARMLESS], counts[UNNOTICED]);
    assert_int_equal(counts[UNNOTICED], 0);
    assert_true(counts[REFUSED] > 0);
}

static void flips_in_the_database(void **state)
{
    struct sample *sample = make_sample(*state, false);

    judge_file(sample, 0, FLIPS);
    free_sample(sample);
}

static void flips_in_the_log(void **state)
{
    struct sample *sample = make_sample(*state, true);

    judge_file(sample, 1, FLIPS);
    free_sample(sample);
}

/* --- what is lost as a whole ------------------------------------------------------------------ */

static void assert_damaged(const struct sample *sample, const char *part)
{
    struct error err = {0};

    if (judge(sample, &err) != REFUSED || !strstr(err.text, part))
        fail_msg("expected '%s', got: %s", part, err.text);
}

static void unlink_file(const struct sample *sample, int i)
{
    char path[128];

    store_path_in(sample->fixture, names[i], path);
    assert_int_equal(unlink(path), 0);
}

static void a_cut_log_is_missed(void **state)
{
    struct sample *sample = make_sample(*state, true);

    for (size_t size = 32; size < sample->files[1].size; size += sample->files[1].size / 23) {
        put_back(sample);
        put_file(sample, 1, size);
        assert_damaged(sample, size < 40000 ? "store." : "): its log, store.db-wal");
    }
    put_back(sample);
    unlink_file(sample, 1);
    assert_damaged(sample, "store.db");
    put_back(sample); /* what was refused was not changed */
    assert_int_equal(judge(sample, NULL), HARMLESS);
    free_sample(sample);
}

static void a_lost_file_is_missed(void **state)
{
    struct sample *sample = make_sample(*state, false);

    put_back(sample);
    unlink_file(sample, 0);
    assert_damaged(sample, "missing or older than its file store.seal");
    put_back(sample);
    unlink_file(sample, 2);
    assert_damaged(sample, "store.seal is missing");
    assert_damaged(sample, "store.seal is missing"); /* also the next time */
    for (size_t i = 0; i < sample->files[2].size; i++) {
        struct error err = {0};

        flip(sample, 2, i, (int)(i % 8));
        put_back(sample);
        assert_int_equal(judge(sample, &err), REFUSED);
        flip(sample, 2, i, (int)(i % 8));
    }
    free_sample(sample);
}

/* --- repair ----------------------------------------------------------------------------------- */

struct told {
    char text[8192];
    size_t length;
};

static void note_line(void *context, const char *line)
{
    struct told *told = context;

    if (told->length + strlen(line) + 2 < sizeof told->text)
        told->length += (size_t)sprintf(told->text + told->length, "%s\n", line);
}

static void remove_kept(const struct sample *sample)
{
    static const char *const kept[] = {"store.db.damaged-1", "store.db.damaged-1-wal"};
    char path[128];

    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        store_path_in(sample->fixture, kept[i], path);
        unlink(path);
    }
}

/* A store whose name is lost gets another one. */
static bool is_new_name(const char *line, const char *told)
{
    return strncmp(line, "fact instance ", 14) == 0 &&
           (strstr(told, "table fact: ") || strstr(told, "nothing in store.db can be read"));
}

/* Every line of `part` stands in `whole`; the number of lines of `whole` that do not in `part`. */
static size_t lines_missing(char *part, const char *whole, const char *told)
{
    size_t missing = 0;

    for (const char *at = whole; (at = strchr(at, '\n')); at++)
        missing++;
    for (char *line = strtok(part, "\n"); line; line = strtok(NULL, "\n"))
        if (strstr(whole, line))
            missing--;
        else if (!is_new_name(line, told))
            fail_msg("was never written: %s", line);
    return missing;
}

static void repair_and_compare(const struct sample *sample, bool log)
{
    struct told told = {0};
    struct error err = {0};
    struct store *store;
    char *contents;

    if (store_repair(sample->fixture->directory, note_line, &told, &err) < 0)
        fail_msg("not repaired: %s", err.text);
    store = store_must_open(sample->fixture->directory);
    contents = read_contents(store, &err);
    assert_non_null(contents);
    if (!strstr(told.text, "is kept as"))
        fail_msg("it is not said where the damaged store is: %s", told.text);
    if (log ? !strstr(told.text, "commits are lost")
            : lines_missing(contents, sample->contents, told.text) > 0 &&
                  !strstr(told.text, "lost"))
        fail_msg("not said that something is lost: %s", told.text);
    store_add_lease(store, 8888888);
    store_must_commit(store);
    store_close(store);
    free(contents);
    remove_kept(sample);
}

static void repair_flips(const struct sample *sample, int i, size_t n)
{
    for (size_t k = 0, at = 0; k < n; at = at < 100 ? at + 7 : (size_t)random()) {
        at %= sample->files[i].size;
        if (judge_flip(sample, i, at, 3) != REFUSED)
            continue;
        k++;
        flip(sample, i, at, 3);
        put_back(sample);
        flip(sample, i, at, 3);
        repair_and_compare(sample, i == 1);
    }
}

static void a_repaired_store_has_what_was_sound(void **state)
{
    struct sample *sample = make_sample(*state, false);

    repair_flips(sample, 0, REPAIRS);
    repair_flips(sample, 2, 2);
    free_sample(sample);
}

static void a_repaired_log_says_what_is_lost(void **state)
{
    struct sample *sample = make_sample(*state, true);

    repair_flips(sample, 1, REPAIRS);
    free_sample(sample);
}

static void repair_with(const struct sample *sample, struct told *told)
{
    struct error err = {0};

    memset(told, 0, sizeof *told);
    if (store_repair(sample->fixture->directory, note_line, told, &err) < 0)
        fail_msg("not repaired: %s", err.text);
}

static void each_lost_thing_is_named(void **state)
{
    struct sample *sample = make_sample(*state, false);
    struct store_fixture *fixture = *state;
    struct told told;
    size_t n;

    put_back(sample);
    repair_with(sample, &told);
    assert_string_equal(told.text, ""); /* it is sound */
    store_break_row(fixture, "UPDATE lease SET user = 'eve' WHERE id = 3");
    store_break_row(fixture, "UPDATE vm SET host = 77 WHERE id = 1045");
    store_break_row(fixture, "DELETE FROM event WHERE number IN (2, 3)");
    store_break_row(fixture, "UPDATE fact SET value = 'x' WHERE name = 'instance'");
    repair_with(sample, &told);
    assert_non_null(strstr(told.text, "table lease: row 3 is lost"));
    assert_non_null(strstr(told.text, "table vm: row 1045 is lost"));
    assert_non_null(strstr(told.text, "table fact: row instance is lost"));
    assert_non_null(strstr(told.text, "table event: rows are lost (2 of 46)"));
    assert_non_null(strstr(told.text, "VM 3 is left out: its lease 3 is lost"));
    assert_non_null(strstr(told.text, "VM 1043 is left out: its lease 3 is lost"));
    assert_non_null(strstr(told.text, "lease 5 is left out: a VM of lease 5 is lost"));
    fixture->store = store_must_open(fixture->directory);
    assert_null(store_lease(fixture->store, 3));
    assert_null(store_lease(fixture->store, 5));
    assert_null(store_vm(fixture->store, 1043));
    assert_string_equal(store_lease(fixture->store, 4)->user, "anna");
    store_vms_of(fixture->store, 4, &n);
    assert_int_equal(n, 2);
    free_sample(sample);
}

/* Nothing is left of the first page, or of anything. */
static void a_store_without_a_beginning_is_repaired(void **state)
{
    struct sample *sample = make_sample(*state, false);
    struct told told;

    memset(sample->files[0].bytes, 0xa5, 4096);
    put_back(sample);
    assert_damaged(sample, "store.db is damaged");
    repair_and_compare(sample, false);
    put_back(sample);
    repair_with(sample, &told);
    assert_non_null(strstr(told.text, "the first page of store.db was damaged"));
    assert_null(strstr(told.text, "lost"));
    remove_kept(sample);
    memset(sample->files[0].bytes, 0xa5, sample->files[0].size);
    put_back(sample);
    repair_with(sample, &told);
    assert_non_null(strstr(told.text, "lost"));
    free_sample(sample);
}

/* The log ends anywhere, with most of what creates the store in it: a repaired store is one that is
 * accepted and can be written, and there is nothing left to repair. */
static void a_log_cut_during_creation_is_repaired(void **state)
{
    struct store_fixture *fixture = *state;
    struct sample *sample;
    struct told told;

    store_add_lease(fixture->store, 1);
    store_must_commit(fixture->store);
    sample = take_sample(fixture, true);
    for (size_t i = 0; i < CUTS; i++) {
        struct store *store;

        put_back(sample);
        put_file(sample, 1, sample->files[1].size * i / CUTS);
        repair_with(sample, &told);
        assert_non_null(strstr(told.text, "is kept as"));
        store = store_must_open(fixture->directory);
        store_add_lease(store, 8888888);
        store_must_commit(store);
        store_close(store);
        repair_with(sample, &told);
        assert_string_equal(told.text, "");
        remove_kept(sample);
    }
    free_sample(sample);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, store_set_up, store_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(flips_in_the_database),
        TEST(flips_in_the_log),
        TEST(a_cut_log_is_missed),
        TEST(a_lost_file_is_missed),
        TEST(a_repaired_store_has_what_was_sound),
        TEST(a_repaired_log_says_what_is_lost),
        TEST(each_lost_thing_is_named),
        TEST(a_store_without_a_beginning_is_repaired),
        TEST(a_log_cut_during_creation_is_repaired),
    };
#undef TEST

    srandom(20261122);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
