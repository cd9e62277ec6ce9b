/* Numbers agree with their verbs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/count_text.h"

static void expect(size_t n, size_t all, const char *predicate, const char *sentence)
{
    char text[64];

    count_text(text, sizeof text, n, all, predicate);
    assert_string_equal(text, sentence);
}

static void verbs_agree(void **state)
{
    expect(2, 3, "are full", "2 are full");
    expect(1, 3, "are full", "1 is full");
    expect(1, 3, "do not fit", "1 does not fit");
    expect(1, 3, "have no room", "1 has no room");
    expect(1, 1, "do not fit", "it does not fit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(verbs_agree)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
