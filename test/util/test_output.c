/* Numbers, escapes, and text set aside, as other programs read them back. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "util/decimal.h"
#include "util/json_writer.h"

static json_t *read_back(struct output *out, const char *path)
{
    struct error err = {0};
    json_error_t error;
    json_t *document;

    if (output_close(out, &err) < 0)
        fail_msg("%s", err.text);
    document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        fail_msg("%s", error.text);
    unlink(path);
    return document;
}

static void numbers_are_exact(void **state)
{
    static const int64_t integers[] = {0,     7,  10,  99,         100,       101,
                                       12345, -1, -10, -987654321, INT64_MAX, INT64_MIN};
    static const double reals[] = {0.5,
                                   0.1,
                                   1.0 / 3,
                                   -2.25,
                                   1e300,
                                   5e-324,
                                   123456.789,
                                   0.0,
                                   -0.75,
                                   1e15,
                                   9007199254740993.0,
                                   0.8640776699029126};
    struct output *out = output_create("numbers.json", NULL);
    struct json_writer json;
    json_t *document;

    json_writer_init(&json, out);
    json_begin_array(&json);
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        json_write_integer(&json, integers[i]);
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++)
        json_write_double(&json, reals[i]);
    json_write_double(&json, NAN);
    json_write_double(&json, INFINITY);
    json_end_array(&json);
    document = read_back(out, "numbers.json");
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        assert_true(json_integer_value(json_array_get(document, i)) == integers[i]);
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        size_t place = sizeof integers / sizeof integers[0] + i;

        assert_true(json_number_value(json_array_get(document, place)) == reals[i]);
    }
    assert_true(json_is_null(json_array_get(document, json_array_size(document) - 1)));
    assert_true(json_is_null(json_array_get(document, json_array_size(document) - 2)));
    json_decref(document);
}

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Fractions, quotients and any pattern of bits: all come back as they were. */
static void any_double_reads_back(void **state)
{
    uint64_t random = 88172645463325252u;

    for (int i = 0; i < 300000; i++) {
        char text[REAL_TEXT_MAX + 1], *end;
        uint64_t bits = draw(&random);
        double value;

        if (i % 3 == 0)
            value = (double)(bits >> 11) / 9007199254740992.0;
        else if (i % 3 == 1)
            value = (double)(bits % 1000003) / (double)(1 + draw(&random) % 86400);
        else
            memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        text[real_text(value, text)] = '\0';
        assert_true(strtod(text, &end) == value);
        assert_int_equal(*end, '\0');
    }
}

static void numbers_are_no_longer_than_needed(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.3, "0.3"},
        {1.0 / 3, "0.3333333333333333"},
        {0.00001, "0.00001"},
        {99999999999999.5, "99999999999999.5"},
        {-123456789.125, "-123456789.125"},
        {9007199254740991.0, "9007199254740991"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e300, "1.0000000000000001e+300"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[REAL_TEXT_MAX + 1];

        text[real_text(cases[i].value, text)] = '\0';
        assert_string_equal(text, cases[i].text);
    }
}

static void short_numbers_stay_short(void **state)
{
    struct output *out = output_create_spool("x");
    size_t n;

    output_double(out, 0.1);
    output_char(out, ' ');
    output_double(out, 12.0);
    output_char(out, ' ');
    output_double(out, -0.65);
    output_char(out, '\0');
    assert_string_equal(output_held(out, &n), "0.1 12 -0.65");
    output_destroy(out);
}

static void any_text_is_valid(void **state)
{
    static const char *const texts[] = {
        "plain", "", "quote \" backslash \\ slash /", "\b\f\n\r\t\x01\x1f\x7f", "Käse 漢字 🙂",
    };
    struct output *out = output_create("texts.json", NULL);
    struct json_writer json;
    json_t *document;

    json_writer_init(&json, out);
    json_begin_object(&json);
    json_write_key(&json, "texts \"of\" all kinds");
    json_begin_array(&json);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        json_write_string(&json, texts[i]);
    json_write_string(&json, "cut \xe6\xbc, overlong \xc0\xaf, surrogate \xed\xa0\x80, bare \xff");
    json_write_string(&json, NULL);
    json_end_array(&json);
    json_write_key_integer(&json, -12);
    json_write_bool(&json, true);
    json_end_object(&json);
    document = read_back(out, "texts.json");
    const json_t *list = json_object_get(document, "texts \"of\" all kinds");

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_string_equal(json_string_value(json_array_get(list, i)), texts[i]);
    assert_non_null(strstr(json_string_value(json_array_get(list, 5)), "bare \xef\xbf\xbd"));
    assert_null(strchr(json_string_value(json_array_get(list, 5)), '\xc0'));
    assert_true(json_is_null(json_array_get(list, 6)));
    assert_true(json_is_true(json_object_get(document, "-12")));
    json_decref(document);
}

/* Pieces of many lengths, read back in another order, over the border between file and memory. */
static void text_set_aside_comes_back(void **state)
{
    enum { PIECES = 30000 };
    static int64_t offsets[PIECES + 1];
    struct output *spool = output_create_spool("spool.txt");
    struct output *out = output_create("spool.txt", NULL);
    struct error err = {0};
    FILE *file;

    for (int i = 0; i < PIECES; i++) {
        offsets[i] = output_position(spool);
        for (int k = 0; k <= i % 97; k++)
            output_format(spool, "%d;", i);
        output_char(spool, '\n');
    }
    offsets[PIECES] = output_position(spool);
    assert_true(offsets[PIECES] > 3 * (1 << 21));
    for (int i = PIECES; i-- > 0;)
        output_copy(out, spool, offsets[i], offsets[i + 1] - offsets[i]);
    output_copy(out, spool, 0, offsets[PIECES]);
    /* In order but for a few, as leases finish. */
    for (int i = 0; i < PIECES; i++) {
        int wanted = i % 5 ? i : i * 7919 % PIECES;

        output_copy(out, spool, offsets[wanted], offsets[wanted + 1] - offsets[wanted]);
    }
    assert_int_equal(output_close(spool, &err), 0);
    assert_int_equal(output_close(out, &err), 0);

    file = fopen("spool.txt", "r");
    assert_non_null(file);
    for (int turn = 0; turn < 3 * PIECES; turn++) {
        int i = turn % PIECES, got;
        int wanted = turn < PIECES                ? PIECES - 1 - i
                     : turn < 2 * PIECES || i % 5 ? i
                                                  : i * 7919 % PIECES;

        for (int k = 0; k <= wanted % 97; k++) {
            assert_int_equal(fscanf(file, "%d;", &got), 1);
            assert_int_equal(got, wanted);
        }
    }
    assert_int_equal(fscanf(file, " %*c"), EOF);
    fclose(file);
    unlink("spool.txt");
}

static void failures_are_told_once_at_the_end(void **state)
{
    struct output *out = output_create("/dev/full", NULL);
    struct error err = {0};

    assert_non_null(out);
    for (int i = 0; i < 100000; i++)
        output_integer(out, i);
    assert_int_equal(output_check(out, &err), -1);
    assert_int_equal(err.code, ENOSPC);
    err = (struct error){0};
    assert_int_equal(output_close(out, &err), -1);
    assert_int_equal(err.code, ENOSPC);
    assert_non_null(strstr(err.text, "/dev/full"));
    assert_null(output_create(".", &err));
    assert_int_equal(err.code, EISDIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(any_double_reads_back),
        cmocka_unit_test(numbers_are_no_longer_than_needed),
        cmocka_unit_test(short_numbers_stay_short),
        cmocka_unit_test(any_text_is_valid),
        cmocka_unit_test(text_set_aside_comes_back),
        cmocka_unit_test(failures_are_told_once_at_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
