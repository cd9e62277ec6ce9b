/* Modules that learn are told what the book's history says, and after a restart what it remembers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/instant.h"
#include "daemon/lessons.h"
#include "plugin/policy_host.h"
#include "test/daemon/book_fixture.h"

struct stage {
    struct policy_host *modules;
    struct lessons *lessons;
    char log[4096];
};

/* "event 1 at 100 lease 7 ..."; what else is logged does not matter. */
static void keep(void *context, enum policy_log_level level, const char *text)
{
    struct stage *stage = context;
    const char *event = strstr(text, "event ");
    size_t length = strlen(stage->log);

    (void)level;
    if (event)
        snprintf(stage->log + length, sizeof stage->log - length, "%s\n", event);
}

static void open_stage(struct stage *stage, struct book *book)
{
    static const char *const directories[] = {MODULES};
    struct policy_host_settings settings;
    struct error err;

    *stage = (struct stage){0};
    policy_host_settings_init(&settings);
    settings.admission = "witness";
    settings.directories = directories;
    settings.n_directories = 1;
    settings.log = keep;
    settings.log_context = stage;
    stage->modules = policy_host_create(&settings, &err);
    assert_non_null(stage->modules);
    stage->lessons = lessons_create(book, stage->modules);
}

static void close_stage(struct stage *stage)
{
    lessons_destroy(stage->lessons);
    policy_host_destroy(stage->modules);
}

static void expect_told(struct stage *stage, const char *wanted)
{
    assert_string_equal(stage->log, wanted);
    stage->log[0] = '\0';
}

static struct book_lease *new_lease(struct book *book, int64_t id)
{
    struct book_lease *lease = book_add_lease(book, id);
    struct book_vm *vm = book_add_vm(book, (int32_t)id, id);

    assert_non_null(lease);
    lease->submit = id;
    lease->accepted = true;
    vm->cpu = 100;
    vm->memory = 512;
    return lease;
}

static void what_happens_is_told(void **state)
{
    struct book *book = ((struct book_fixture *)*state)->book;
    struct stage stage;
    struct book_lease *lease;

    open_stage(&stage, book);
    lessons_recall(stage.lessons);
    expect_told(&stage, "");
    lease = new_lease(book, 7);
    book_history(book, 7, 10, "requested", "best-effort");
    expect_told(&stage, "");
    book_history(book, 7, 11, "accepted", "waits for room");
    expect_told(&stage, "event 0 at 11 lease 7 other -1 accepted 1\n");
    book_history(book, 7, 12, "starting", "on a host");
    book_history(book, 7, 15, "running", "since its VMs run");
    expect_told(&stage, "event 1 at 15 lease 7 other -1 accepted 0\n");
    lease->preempted_for = 9;
    book_history(book, 7, 20, "preempted", "for lease 9");
    expect_told(&stage, "event 2 at 20 lease 7 other 9 accepted 0\n");
    book_history(book, 7, 30, "running", "since its VMs run");
    expect_told(&stage, "event 3 at 30 lease 7 other -1 accepted 0\n");
    book_history(book, 7, 40, "ended", "its time is over");
    expect_told(&stage, "event 4 at 40 lease 7 other -1 accepted 0\n");
    /* Plain VMs have no line for it. */
    new_lease(book, 8)->plain = true;
    book_tell(book, 8, 50, "accepted");
    expect_told(&stage, "event 0 at 50 lease 8 other -1 accepted 1\n");
    new_lease(book, 9)->accepted = false;
    book_history(book, 9, 60, "refused", "no room");
    expect_told(&stage, "event 0 at 60 lease 9 other -1 accepted 0\n"
                        "event 4 at 60 lease 9 other -1 accepted 0\n");
    book_history(book, 9, 70, "ended", "its VMs were deleted");
    expect_told(&stage, "");
    close_stage(&stage);
}

static void the_past_is_told_again(void **state)
{
    struct book_fixture *fixture = *state;
    struct stage stage;
    struct book_lease *lease = new_lease(fixture->book, 7);

    book_history(fixture->book, 7, 10, "accepted", "waits for room");
    book_history(fixture->book, 7, 15, "running", "since its VMs run");
    lease->phase = PHASE_RUNNING;
    lease->since = 15;
    book_mark_lease(fixture->book, lease);
    /* Over, and out of memory. */
    lease = new_lease(fixture->book, 5);
    lease->phase = PHASE_ENDED;
    book_vm(fixture->book, 5)->gone = true;
    book_history(fixture->book, 5, 16, "accepted", "waits for room");
    book_history(fixture->book, 5, 18, "running", "since its VMs run");
    book_history(fixture->book, 5, 19, "ended", "its time is over");
    /* Nothing is left of its beginning. */
    lease = new_lease(fixture->book, 3);
    lease->phase = PHASE_RUNNING;
    lease->since = 4;
    book_must_commit(fixture->book);
    book_reopen(fixture);
    assert_null(book_lease(fixture->book, 5));

    open_stage(&stage, fixture->book);
    book_history(fixture->book, 7, 20, "late", "too early to be told");
    expect_told(&stage, "");
    lessons_recall(stage.lessons);
    expect_told(&stage, "event 0 at 3 lease 3 other -1 accepted 1\n"
                        "event 1 at 4 lease 3 other -1 accepted 0\n"
                        "event 0 at 7 lease 7 other -1 accepted 1\n"
                        "event 1 at 15 lease 7 other -1 accepted 0\n"
                        "event 0 at 16 lease 5 other -1 accepted 1\n"
                        "event 1 at 18 lease 5 other -1 accepted 0\n"
                        "event 4 at 19 lease 5 other -1 accepted 0\n");
    book_history(fixture->book, 7, 21, "running", "since its VMs run");
    expect_told(&stage, "event 3 at 21 lease 7 other -1 accepted 0\n");
    close_stage(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_happens_is_told, book_set_up, book_tear_down),
        cmocka_unit_test_setup_teardown(the_past_is_told_again, book_set_up, book_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
