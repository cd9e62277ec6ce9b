/* Allocation that cannot fail, or ends the process. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/memory.h"

static void new_room_is_zeroed(void **state)
{
    unsigned char *room = memory_new(100, 3);

    for (int i = 0; i < 300; i++)
        assert_int_equal(room[i], 0);
    free(room);
    room = memory_new(0, 8);
    assert_non_null(room);
    free(room);
}

static void room_that_was_used_before_is_zeroed(void **state)
{
    for (size_t size = 1; size <= 2048; size *= 2) {
        unsigned char *room = memory_new(size, 1);

        memset(room, 0xff, size);
        free(room);
        room = memory_new(1, size);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(room[i], 0);
        free(room);
    }
}

static void arrays_grow_by_doubling_and_keep_what_is_in_them(void **state)
{
    size_t allocated = 0, last = 0;
    int grown = 0, *array = NULL;

    for (int i = 0; i < 1000; i++) {
        array = memory_grow(array, &allocated, (size_t)i + 1, sizeof *array);
        assert_true(allocated > (size_t)i);
        grown += allocated != last;
        last = allocated;
        array[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(array[i], i);
    assert_in_range(grown, 2, 12);
    array = memory_grow(array, &allocated, 100000, sizeof *array);
    assert_true(allocated >= 100000);
    assert_int_equal(array[999], 999);
    free(array);
}

static void copies_are_independent(void **state)
{
    char source[] = "lease", *copy = memory_copy(source, 3), *text = memory_text(source);

    source[0] = 'x';
    assert_memory_equal(copy, "lea", 3);
    assert_string_equal(text, "lease");
    free(copy);
    free(text);
    assert_null(memory_text(NULL));
    copy = memory_copy(source, 0);
    assert_non_null(copy);
    free(copy);
}

/* An allocation whose size does not fit into the address space ends the process with a message. */
static void without_memory_the_process_ends(void **state)
{
    char message[4000] = "";
    size_t allocated = 0;
    int ends[2], status;
    size_t length = 0;
    ssize_t got;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        free(memory_grow(NULL, &allocated, SIZE_MAX / 2, 16));
        _exit(0);
    }
    close(ends[1]);
    while ((got = read(ends[0], message + length, sizeof message - 1 - length)) > 0)
        length += (size_t)got;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    /* A sanitizer may speak first. */
    assert_true(strstr(message, "out of memory") || strstr(message, "Sanitizer"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_room_is_zeroed),
        cmocka_unit_test(room_that_was_used_before_is_zeroed),
        cmocka_unit_test(arrays_grow_by_doubling_and_keep_what_is_in_them),
        cmocka_unit_test(copies_are_independent),
        cmocka_unit_test(without_memory_the_process_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
