/* Requirements and ranks: what they mean for one host, and which texts are refused. */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/expression.h"
#include "util/memory.h"

#define VALUE(name, value)                                                                         \
    {                                                                                              \
        name, value                                                                                \
    }

static struct attribute values[] = {
    VALUE("RACK", "r1"),
    VALUE("NUM", "5"),
    VALUE("LIST", "web,db,cache"),
    VALUE("SSD", "yes"),
    VALUE("TAG", "a"),
    VALUE("TAG", "b"),
    VALUE("FL", "1.5"),
    VALUE("EMPTY", ""),
    VALUE("W", "-2"),
    VALUE("Z", "0"),
    VALUE("UNITS", "10 GB"),
    VALUE("MIXED", "none"),
    VALUE("MIXED", "7"),
    VALUE("CURRENT_VMS", "3"),
    VALUE("CURRENT_VMS", "14"),
    VALUE("FREE_MEMORY", "67108864"),
    VALUE("VECTOR/PART", "x"),
    VALUE("HUGE", "99999999999999999999"),
};
static const struct attributes host = {values, sizeof values / sizeof *values, 0};

static bool allows(const char *text)
{
    struct error err = {0};
    struct expression *expression = expression_parse_requirement(text, &err);
    bool result;

    if (!expression)
        fail_msg("%s: %s", text, err.text);
    result = expression_allows(expression, &host);
    expression_destroy(expression);
    return result;
}

static int64_t rank(const char *text)
{
    struct error err = {0};
    struct expression *expression = expression_parse_rank(text, &err);
    int64_t result;

    if (!expression)
        fail_msg("%s: %s", text, err.text);
    result = expression_rank(expression, &host);
    expression_destroy(expression);
    return result;
}

static void comparisons_are_those_of_opennebula(void **state)
{
    static const char *const yes[] = {"",
                                      "  \t\n",
                                      "RACK=\"r1\"",
                                      "RACK = r1",
                                      "RACK='r1'",
                                      "NUM>4",
                                      "NUM<6",
                                      "NUM=5",
                                      "NUM!=7",
                                      "NUM>-1",
                                      "FL>1.25",
                                      "FL=1.5",
                                      "FL!=2.5",
                                      "FL=1",
                                      "W<-1",
                                      "W=-2",
                                      "UNITS=10",
                                      "UNITS>9",
                                      "LIST=\"web*\"",
                                      "LIST=\"*d?,*\"",
                                      "RACK=\"r[0-9]\"",
                                      "RACK=\"[!s]1\"",
                                      "RACK!=\"r2\"",
                                      "TAG=\"a\"",
                                      "TAG @> \"a\"",
                                      "TAG @> \"b\"",
                                      "TAG@ >\"?\"",
                                      "NUM @> 5",
                                      "FL @> 1.5",
                                      "MIXED=7",
                                      "MIXED=\"none\"",
                                      "TAG ! = \"b\"",
                                      "CURRENT_VMS=3",
                                      "CURRENT_VMS=14",
                                      "CURRENT_VMS=\"14\"",
                                      "CURRENT_VMS!=4",
                                      "CURRENT_VMS @> 14",
                                      "CURRENT_VMS<4",
                                      "\"VECTOR/PART\"=x",
                                      "\"TEMPLATE/RACK\"=r1",
                                      "\"/HOST/TEMPLATE/RACK\"=r1",
                                      "HUGE>1",
                                      "RACK=\"r\\1\"",
                                      "FREE_MEMORY>67108863"};
    static const char *const no[] = {"RACK=\"r2\"",
                                     "RACK=\"R1\"",
                                     "rack=\"r1\"",
                                     "NUM>5",
                                     "NUM<5",
                                     "NUM=7",
                                     "NUM!=5",
                                     "FL>1",
                                     "LIST=\"web\"",
                                     "LIST @> \"web\"",
                                     "TAG=\"b\"",
                                     "TAG @> \"c\"",
                                     "SITE=\"paris\"",
                                     "SITE!=\"paris\"",
                                     "SITE!=1",
                                     "SITE>0",
                                     "SITE<0",
                                     "RACK=\"\"",
                                     "RACK!=\"\"",
                                     "EMPTY=\"\"",
                                     "EMPTY=0",
                                     "RACK=1",
                                     "RACK!=1",
                                     "CURRENT_VMS=4",
                                     "CURRENT_VMS!=14",
                                     "CURRENT_VMS>1",
                                     "CURRENT_VMS=\"x\"",
                                     "TAG @> \"\"",
                                     "FL @> 1.25",
                                     "FL=\"1.50\""};

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!allows(yes[i]))
            fail_msg("%s should be allowed", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (allows(no[i]))
            fail_msg("%s should not be allowed", no[i]);
}

static void and_and_or_are_read_from_left_to_right(void **state)
{
    assert_true(allows("NUM=5 | NUM=6"));
    assert_false(allows("NUM=5 | NUM=6 & NUM=7")); /* (5 or 6) and 7 */
    assert_true(allows("NUM=7 & NUM=6 | NUM=5"));
    assert_true(allows("NUM=5 | (NUM=6 & NUM=7)"));
    assert_false(allows("!NUM=5 & RACK=r1"));
    assert_true(allows("!NUM=6 & RACK=r1"));
    assert_true(allows("!NUM=5 | RACK=r1"));
    assert_false(allows("!(NUM=5 | RACK=r1)"));
    assert_true(allows("!!NUM=5"));
    assert_false(allows("RACK=r1 & !!!NUM=5"));
    assert_true(allows("!(SITE=\"paris\")"));
    assert_true(allows("((((NUM=5))))"));
}

static void ranks_are_calculated_in_64_bits(void **state)
{
    static const struct {
        const char *text;
        int64_t rank;
    } cases[] = {
        {"", 0},
        {"7", 7},
        {"NUM", 5},
        {"-NUM", -5},
        {"W*W", 4},
        {"2+3*NUM", 17},
        {"(2+3)*NUM", 25},
        {"-W*2+1", 5},
        {"2--W", 0},
        {"2 - -NUM", 7},
        {"NUM-1", 4},
        {"NUM-1-1", 3},
        {"NUM/2", 2},
        {"W/4", 0},
        {"-7/2", -3},
        {"10/4", 2},
        {"1/3*9", 3},
        {"FL*2", 3},
        {"FL*100", 150},
        {"0.4", 0},
        {"SITE", 0},
        {"SITE+NUM", 5},
        {"RACK", 0},
        {"\"NUM\"", 5},
        {"MIXED", 7},
        {"UNITS", 10},
        {"CURRENT_VMS", 2},
        {"2*-NUM", -10},
        {"2/-NUM*10", -4},
        {"FREE_MEMORY*1000", 67108864000},
        {"FREE_MEMORY*FREE_MEMORY", 67108864LL * 67108864},
        {"5/0", RANK_LOWEST},
        {"-5/Z", RANK_LOWEST},
        {"NUM/Z", RANK_LOWEST},
        {"0/Z", RANK_LOWEST},
        {"5/0-5/0", RANK_LOWEST},
        {"HUGE*HUGE*HUGE", RANK_MOST},
        {"-HUGE*HUGE", RANK_LOWEST},
        {"99999999999999999999999999", RANK_MOST},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (rank(cases[i].text) != cases[i].rank)
            fail_msg("%s is %lld, not %lld", cases[i].text, (long long)rank(cases[i].text),
                     (long long)cases[i].rank);
}

static void wrong_texts_get_their_column(void **state)
{
    static const struct {
        const char *text, *part;
        bool is_rank;
    } cases[] = {
        {"RACK=", "column 6: unexpected end, expected a number or a string", false},
        {"RACK=\"r1\" &", "column 12: unexpected end, expected the name of an attribute", false},
        {"(RACK=\"r1\"", "column 11: unexpected end, expected & or | or )", false},
        {"RACK>>1", "column 6: unexpected '>', expected a number", false},
        {"NUM>=5", "there is no >= or <=", false},
        {"NUM>\"5\"", "without quotes", false},
        {"RACK==\"r1\"", "equality is a single =", false},
        {"RACK=\"r1\" AND NUM=5", "column 11: unexpected 'AND', expected & or | or the end", false},
        {"RACK=\"r1\" && NUM=5", "single & or |", false},
        {"NUM", "column 4: unexpected end, expected one of", false},
        {"NUM 5", "column 5: unexpected '5', expected one of", false},
        {"5=NUM", "column 1: unexpected '5', expected the name", false},
        {"NOT RACK=\"r1\"", "column 5: unexpected 'RACK'", false},
        {"!", "column 2: unexpected end", false},
        {"()", "column 2: unexpected ')'", false},
        {"RACK=\"r1\")", "column 10: unexpected ')', expected & or | or the end", false},
        {"ID=1 # comment", "column 6: unexpected character '#'", false},
        {"RACK=\"r1", "column 6: the string that starts here has no closing double quote", false},
        {"RACK=r\001", "character '?'", false},
        {"\"\"=5", "column 1", false},
        {"NUM>1.", "column 6: unexpected character '.'", false},
        {"NUM=- 1", "column 5: unexpected '-'", false},
        {"RACK @ \"r1\"", "the > of @>", false},
        {"RACK ! r1", "the = of !=", false},
        {"W+", "column 3: unexpected end, expected a number", true},
        {"W ^ 2", "column 3: unexpected '^', expected one of + - * /", true},
        {"ID % 2", "character '%'", true},
        {"(W", "unexpected end, expected one of + - * / )", true},
        {"W 2", "column 3: unexpected '2'", true},
        {"W=2", "column 2: unexpected '='", true},
        {"\"\"", "column 1", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = {0};
        struct expression *expression = cases[i].is_rank
                                            ? expression_parse_rank(cases[i].text, &err)
                                            : expression_parse_requirement(cases[i].text, &err);

        if (expression || !strstr(err.text, cases[i].part))
            fail_msg("%s: '%s'", cases[i].text, err.text);
    }
}

/* `n` times a text, and a last one. */
static char *repeat(const char *text, size_t n, const char *last)
{
    size_t length = strlen(text);
    char *result = memory_new(length * n + strlen(last) + 1, 1);

    for (size_t i = 0; i < n; i++)
        memcpy(result + i * length, text, length);
    memcpy(result + n * length, last, strlen(last) + 1);
    return result;
}

static void assert_refused(char *text, const char *part)
{
    struct error err = {0};

    assert_null(expression_parse_requirement(text, &err));
    if (!strstr(err.text, part))
        fail_msg("'%s' does not say '%s'", err.text, part);
    free(text);
}

static void assert_accepted(char *text)
{
    struct error err = {0};
    struct expression *expression = expression_parse_requirement(text, &err);

    if (!expression)
        fail_msg("%s", err.text);
    expression_allows(expression, &host);
    expression_destroy(expression);
    free(text);
}

static void hostile_texts_are_bounded(void **state)
{
    struct error err = {0};
    struct expression *expression;
    char *text;

    assert_refused(repeat("(", 60000, "A=1"), "parentheses");
    assert_refused(repeat("A=1&", 5000, "A=1"), "more than 2048");
    assert_refused(repeat("A=\"*\"|", 100, "A=1"), "wildcards");
    assert_refused(repeat(" ", 70000, ""), "longer than 65536");
    assert_refused(repeat("A", 65536, ""), "unexpected end");
    assert_accepted(repeat("!", 65000, "A=1"));
    assert_accepted(repeat("A=1&", 2047, "A=1"));
    text = repeat("-", 65000, "NUM");
    expression = expression_parse_rank(text, &err);
    assert_non_null(expression);
    assert_int_equal(expression_rank(expression, &host), 5);
    expression_destroy(expression);
    free(text);
    text = repeat("(", 101, "1");
    assert_null(expression_parse_rank(text, &err));
    free(text);
}

static void patterns_are_those_of_the_library(void **state)
{
    static const char alphabet[] = "ab*?[]!^-\\:z0";
    unsigned seed = 4711;

    for (int round = 0; round < 200000; round++) {
        char pattern[12] = "", text[10] = "";
        struct pattern *prepared;
        bool matches;

        for (int i = 0; i < (int)(sizeof pattern - 1); i++)
            pattern[i] = rand_r(&seed) % 6 ? alphabet[(size_t)rand_r(&seed) % 13] : '\0';
        for (int i = 0; i < (int)(sizeof text - 1); i++)
            text[i] = rand_r(&seed) % 6 ? alphabet[(size_t)rand_r(&seed) % 13] : '\0';
        prepared = pattern_create(pattern);
        matches = pattern_matches(prepared, text);
        pattern_destroy(prepared);
        if (matches != (fnmatch(pattern, text, 0) == 0))
            fail_msg("pattern '%s', text '%s': %d", pattern, text, matches);
    }
}

static void costly_patterns_cost_little(void **state)
{
    char *pattern = repeat("*a", 30000, "*b"), *text = repeat("a", 60000, ""),
         *brackets = repeat("[", 65000, "");
    struct pattern *prepared = pattern_create(pattern), *open = pattern_create(brackets);

    (void)state; /* the test's time limit would tell */
    assert_false(pattern_matches(prepared, text));
    assert_false(pattern_matches(open, text));
    pattern_destroy(prepared);
    pattern_destroy(open);
    free(pattern);
    free(brackets);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_are_those_of_opennebula),
        cmocka_unit_test(and_and_or_are_read_from_left_to_right),
        cmocka_unit_test(ranks_are_calculated_in_64_bits),
        cmocka_unit_test(wrong_texts_get_their_column),
        cmocka_unit_test(hostile_texts_are_bounded),
        cmocka_unit_test(patterns_are_those_of_the_library),
        cmocka_unit_test(costly_patterns_cost_little),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
