/* Promises as text: what is written is read again, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/live/promise.h"
#include "util/instant.h"

enum { ZONE = 3, VM = 12, BITS = 8, BYTES_LOW = 32, BYTES_HIGH = 127 };

static const struct promise_key key = {"0123456789abcdef0123456789abcde"};

static struct promise a_promise(void)
{
    struct promise promise = {.zone = ZONE,
                              .vm = VM,
                              .lease = 10,
                              .number = 7,
                              .suspended = true,
                              .sequence = 4,
                              .ran_for = 1234,
                              .terms = {.kind = LEASE_DEADLINE,
                                        .late = true,
                                        .relative = RELATIVE_DEADLINE,
                                        .submit = 1795273200,
                                        .start = INSTANT_NONE,
                                        .earliest = 1795273300,
                                        .deadline = 1795290000,
                                        .duration = SPAN_UNLIMITED,
                                        .group_size = 5}};

    term_values_init(&promise.terms.term_values);
    promise.terms.preemptible = true;
    promise.terms.terms = TERMS_SUSPENDABLE;
    promise.terms.priority = -2500;
    promise.terms.group = "a:b;c,d=%\"\\\xc3\xa9";
    return promise;
}

static enum promise_verdict read_it(const char *text, struct promise *promise)
{
    return promise_read(text, &key, ZONE, VM, promise);
}

static void what_is_written_is_read_again(void **state)
{
    struct promise promise = a_promise(), again;
    char text[PROMISE_TEXT_MAX], second[PROMISE_TEXT_MAX];

    promise_write(&promise, &key, text);
    assert_null(strpbrk(text, "\"\\\n]<&"));
    assert_int_equal(read_it(text, &again), PROMISE_VALID);
    assert_int_equal(again.lease, 10);
    assert_int_equal(again.number, 7);
    assert_true(again.suspended && again.terms.late && !again.terms.plain);
    assert_int_equal(again.sequence, 4);
    assert_int_equal(again.ran_for, 1234);
    assert_int_equal(again.terms.kind, LEASE_DEADLINE);
    assert_int_equal(again.terms.relative, RELATIVE_DEADLINE);
    assert_int_equal(again.terms.submit, 1795273200);
    assert_int_equal(again.terms.start, INSTANT_NONE);
    assert_int_equal(again.terms.earliest, 1795273300);
    assert_int_equal(again.terms.deadline, 1795290000);
    assert_int_equal(again.terms.duration, SPAN_UNLIMITED);
    assert_int_equal(again.terms.group_size, 5);
    assert_int_equal(again.terms.priority, -2500);
    assert_int_equal(again.terms.terms, TERMS_SUSPENDABLE);
    assert_string_equal(again.terms.group, promise.terms.group);
    assert_int_equal(promise_digest(&again), promise_digest(&promise));
    promise_write(&again, &key, second);
    assert_string_equal(text, second);
}

static void the_end_of_a_promise_is_signed_as_well(void **state)
{
    const struct promise promise = {.zone = ZONE, .vm = VM, .number = 8, .over = true};
    char text[PROMISE_TEXT_MAX];
    struct promise again;

    promise_write(&promise, &key, text);
    assert_int_equal(read_it(text, &again), PROMISE_VALID);
    assert_true(again.over);
    assert_int_equal(again.number, 8);
    assert_int_equal(promise_digest(&again), 0);
    assert_int_equal(promise_read(text, &key, ZONE, VM + 1, &again), PROMISE_COPIED);
}

static void the_longest_promise_fits(void **state)
{
    struct promise promise = a_promise(), again;
    char text[PROMISE_TEXT_MAX], group[STORE_GROUP_MAX] = "";

    promise.zone = promise.vm = promise.sequence = INT32_MAX;
    promise.lease = promise.number = promise.ran_for = INT64_MAX;
    promise.terms.submit = promise.terms.earliest = promise.terms.deadline = INT64_MIN;
    promise.terms.relative = promise.terms.group_size = UINT32_MAX;
    promise.terms.origin = ORIGIN_EXTERNAL;
    promise.terms.group = memset(group, ';', sizeof group - 1);
    promise_write(&promise, &key, text);
    assert_true(strlen(text) < PROMISE_TEXT_MAX - 1);
    assert_int_equal(promise_read(text, &key, INT32_MAX, INT32_MAX, &again), PROMISE_VALID);
    assert_string_equal(again.terms.group, promise.terms.group);
}

static void every_flipped_bit_is_found(void **state)
{
    struct promise promise = a_promise(), again;
    char text[PROMISE_TEXT_MAX];

    promise_write(&promise, &key, text);
    for (size_t i = 0; text[i]; i++)
        for (int bit = 0; bit < BITS; bit++) {
            text[i] = (char)(text[i] ^ (1 << bit));
            if (read_it(text, &again) == PROMISE_VALID)
                fail_msg("valid with bit %d of byte %zu flipped: %s", bit, i, text);
            text[i] = (char)(text[i] ^ (1 << bit));
        }
    assert_int_equal(read_it(text, &again), PROMISE_VALID);
}

static void every_cut_and_every_byte_more_is_found(void **state)
{
    struct promise promise = a_promise(), again;
    char text[PROMISE_TEXT_MAX], longer[PROMISE_TEXT_MAX + 1];
    size_t length;

    promise_write(&promise, &key, text);
    length = strlen(text);
    for (size_t i = 0; i <= length; i++)
        for (int byte = BYTES_LOW; byte < BYTES_HIGH; byte++) {
            memcpy(longer, text, i);
            longer[i] = (char)byte;
            memcpy(longer + i + 1, text + i, length + 1 - i);
            assert_int_not_equal(read_it(longer, &again), PROMISE_VALID);
        }
    for (size_t i = length; i-- > 0;) {
        text[i] = '\0';
        assert_int_equal(read_it(text, &again), i ? PROMISE_NOT_SIGNED : PROMISE_NONE);
    }
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(read_it(longer, &again), PROMISE_NOT_SIGNED);
    assert_int_equal(read_it(NULL, &again), PROMISE_NONE);
}

static void other_keys_vms_and_zones_are_found(void **state)
{
    struct promise promise = a_promise(), again;
    struct promise_key other = key;
    char text[PROMISE_TEXT_MAX];

    other.bytes[PROMISE_KEY_SIZE - 1]++;
    promise_write(&promise, &key, text);
    assert_int_equal(promise_read(text, &other, ZONE, VM, &again), PROMISE_NOT_SIGNED);
    assert_int_equal(promise_read(text, &key, ZONE, VM + 1, &again), PROMISE_COPIED);
    assert_int_equal(promise_read(text, &key, ZONE + 1, VM, &again), PROMISE_COPIED);
}

static void digests_differ_with_the_content_only(void **state)
{
    struct promise promise = a_promise();
    int64_t before = promise_digest(&promise);

    promise.number++;
    promise.terms.accumulated++; /* no part of a promise */
    assert_int_equal(promise_digest(&promise), before);
    promise.ran_for++;
    assert_int_not_equal(promise_digest(&promise), before);
    promise.ran_for--;
    promise.terms.priority++;
    assert_int_not_equal(promise_digest(&promise), before);
    promise.terms.priority--;
    promise.terms.group = "x:b;c,d=%\"\\\xc3\xa9";
    assert_int_not_equal(promise_digest(&promise), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(the_end_of_a_promise_is_signed_as_well),
        cmocka_unit_test(the_longest_promise_fits),
        cmocka_unit_test(every_flipped_bit_is_found),
        cmocka_unit_test(every_cut_and_every_byte_more_is_found),
        cmocka_unit_test(other_keys_vms_and_zones_are_found),
        cmocka_unit_test(digests_differ_with_the_content_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
