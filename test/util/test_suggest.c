/* "Did you mean" helps when something is near and keeps silent when nothing is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/suggest.h"

static const char *const options[] = {
    "backfilling", "suspension", "suspend-rate", "resume-rate", "migration", "cpu", NULL};

static const char *best_for(const char *word)
{
    struct suggestion suggestion;

    suggestion_init(&suggestion, word);
    for (int i = 0; options[i]; i++)
        suggestion_offer(&suggestion, options[i]);
    return suggestion.best ? suggestion.best : "";
}

static void slips_are_recognized(void **state)
{
    assert_string_equal(best_for("backfiling"), "backfilling");   /* left out */
    assert_string_equal(best_for("backfillling"), "backfilling"); /* too many */
    assert_string_equal(best_for("migratoin"), "migration");      /* swapped */
    assert_string_equal(best_for("nigration"), "migration");      /* another */
    assert_string_equal(best_for("Suspend-Rate"), "suspend-rate");
    assert_string_equal(best_for("cup"), "cpu");
}

static void the_nearest_wins(void **state)
{
    assert_string_equal(best_for("resme-rate"), "resume-rate");
    assert_string_equal(best_for("suspensio"), "suspension");
}

static void a_part_suggests_the_whole(void **state)
{
    assert_string_equal(best_for("SUSPEND"), "suspend-rate");
    assert_string_equal(best_for("rate"), "suspend-rate"); /* the first one */
    assert_string_equal(best_for("spend"), "");
}

static void nothing_is_suggested_when_nothing_is_near(void **state)
{
    assert_string_equal(best_for("wakeup-interval"), "");
    assert_string_equal(best_for("xyz"), "");
    assert_string_equal(best_for(""), "");
    assert_string_equal(best_for("backfillingbackfillingbackfillingbackfillingbackfilling"), "");
}

static void the_text_asks_or_is_empty(void **state)
{
    struct suggestion suggestion;

    suggestion_init(&suggestion, "cup");
    assert_string_equal(suggestion_text(&suggestion), "");
    suggestion_offer(&suggestion, "cpu");
    assert_string_equal(suggestion_text(&suggestion), ", did you mean 'cpu'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips_are_recognized),
        cmocka_unit_test(the_nearest_wins),
        cmocka_unit_test(a_part_suggests_the_whole),
        cmocka_unit_test(nothing_is_suggested_when_nothing_is_near),
        cmocka_unit_test(the_text_asks_or_is_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
