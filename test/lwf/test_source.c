/* Files, pipes and memory as sources of traces. */
#include "lwf_test.h"

#include <errno.h>
#include <unistd.h>

#include "lwf/lines.h"
#include "lwf/source.h"

static void test_file_can_be_peeked_and_read_again(void **state)
{
    char *path = write_temporary("hello world");
    struct error err = {0};
    struct source *source = source_open(path, &err), *again;
    const char *bytes;
    char buffer[32];

    assert_non_null(source);
    assert_int_equal(source_peek(source, &bytes, &err), 11);
    assert_memory_equal(bytes, "hello", 5);
    assert_int_equal(source_read(source, buffer, 5, &err), 5);
    assert_int_equal(source_read(source, buffer, sizeof buffer, &err), 6);
    assert_memory_equal(buffer, " world", 6);
    assert_int_equal(source_read(source, buffer, sizeof buffer, &err), 0);
    assert_true(source_progress(source) == 1);
    again = source_again(source, &err);
    assert_non_null(again);
    assert_int_equal(source_read(again, buffer, sizeof buffer, &err), 11);
    assert_int_equal(source_rewind(source, &err), 0);
    assert_int_equal(source_read(source, buffer, sizeof buffer, &err), 11);
    source_close(again);
    source_close(source);
    remove_file(path);
}

static void test_what_cannot_be_opened(void **state)
{
    struct error err = {0};

    assert_null(source_open("/nonexistent/trace.lwf", &err));
    assert_int_equal(err.code, ENOENT);
    assert_string_equal(err.text,
                        "/nonexistent/trace.lwf: cannot be read: No such file or directory");
    assert_null(source_open("/", &err));
    assert_int_equal(err.code, EISDIR);
}

static void test_pipe_cannot_be_read_twice(void **state)
{
    struct error err = {0};
    struct source *source;
    char name[32];
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    source = source_open(name, &err);
    assert_non_null(source);
    assert_false(source_can_rewind(source));
    assert_int_equal(source_rewind(source, &err), -1);
    assert_int_equal(err.code, ESPIPE);
    assert_null(source_again(source, &err));
    assert_int_equal(err.code, ESPIPE);
    source_close(source);
    close(ends[0]);
    close(ends[1]);
}

static struct lines lines_of(const char *bytes, size_t size)
{
    struct lines lines;

    lines_init(&lines, source_open_memory("lines", bytes, size));
    return lines;
}

static void close_lines(struct lines *lines)
{
    source_close(lines->source);
    lines_finish(lines);
}

static void test_lines(void **state)
{
    struct lines lines = lines_of("one\n\nthree", 10);
    static const char *const expected[] = {"one", "", "three"};
    struct error err = {0};
    const char *line, *end;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(lines_next(&lines, &line, &end, &err), 1);
        assert_int_equal(lines.number, i + 1);
        assert_int_equal(end - line, strlen(expected[i]));
        assert_memory_equal(line, expected[i], strlen(expected[i]));
        assert_int_equal(*end, '\n');
    }
    assert_int_equal(lines_next(&lines, &line, &end, &err), 0);
    close_lines(&lines);
}

static void test_line_over_the_limit(void **state)
{
    size_t size = 3 * LINE_MAX_BYTES;
    char *bytes = malloc(size);
    struct error err = {0};
    const char *line, *end;
    struct lines lines;

    memset(bytes, 'x', size);
    bytes[LINE_MAX_BYTES - 1] = '\n';
    lines = lines_of(bytes, size);
    assert_int_equal(lines_next(&lines, &line, &end, &err), 1);
    assert_int_equal(end - line, LINE_MAX_BYTES - 1);
    assert_int_equal(lines_next(&lines, &line, &end, &err), -1);
    assert_string_equal(err.text, "lines:2:65536: the line is longer than 65536 bytes; is this a "
                                  "text file?");
    assert_int_equal(lines_next(&lines, &line, &end, &err), 0);
    close_lines(&lines);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_can_be_peeked_and_read_again),
        cmocka_unit_test(test_what_cannot_be_opened),
        cmocka_unit_test(test_pipe_cannot_be_read_twice),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_line_over_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
