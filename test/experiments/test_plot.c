/* Plots of experiments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libxml/parser.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/plot.h"
#include "experiments/statistics.h"

static const struct plot_labels labels = {
    .title = "A < B", .x = "Load (%)", .y = "Wait (s)", .from_zero = true};

/* The picture as text; checked to be XML. */
static const char *drawn(const struct plot *plot, struct output **out)
{
    const char *text;
    size_t n;
    xmlDoc *document;

    *out = output_create_spool("/tmp");
    assert_non_null(*out);
    plot_draw(plot, *out);
    text = output_held(*out, &n);
    assert_non_null(text);
    document = xmlReadMemory(text, (int)n, "plot.svg", NULL, XML_PARSE_NONET);
    assert_non_null(document);
    assert_string_equal((const char *)xmlDocGetRootElement(document)->name, "svg");
    xmlFreeDoc(document);
    output_char(*out, '\0');
    return output_held(*out, &n);
}

static void test_labels_and_legend(void **state)
{
    struct plot *plot = plot_create(&labels);
    struct output *out;
    const char *text;

    plot_series(plot, "first & best", PLOT_LINE, -1);
    plot_add_xy(plot, 10, 5);
    plot_add_xy(plot, 20, 15);
    plot_level(plot, 12, "the paper");
    text = drawn(plot, &out);
    assert_non_null(strstr(text, ">A &lt; B<"));
    assert_non_null(strstr(text, ">Load (%)<"));
    assert_non_null(strstr(text, ">Wait (s)<"));
    assert_non_null(strstr(text, ">first &amp; best<"));
    assert_non_null(strstr(text, ">the paper<"));
    assert_non_null(strstr(text, "<polyline"));
    output_destroy(out);
    plot_destroy(plot);
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;

    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

static void test_intervals_only_where_there_are_any(void **state)
{
    struct plot *plot = plot_create(&labels);
    struct output *out;

    plot_series(plot, "means", PLOT_POINTS, -1);
    plot_add_xy(plot, 1, 4);
    assert_int_equal(count(drawn(plot, &out), "m-4 0h8"), 0);
    output_destroy(out);
    plot_add(plot, &(struct plot_point){2, 4, 3, 5});
    assert_int_equal(count(drawn(plot, &out), "m-4 0h8"), 1);
    output_destroy(out);
    plot_destroy(plot);
}

/* The path of an interval is "Mx lowVhigh...". */
static void interval_ends(const char *text, double *low, double *high)
{
    const char *path = strstr(text, "m-4 0h8");
    double x;

    assert_non_null(path);
    while (strncmp(path, "d=\"", 3) != 0)
        path--;
    assert_int_equal(sscanf(path, "d=\"M%lf %lfV%lf", &x, low, high), 3);
}

static void test_shares_stay_between_0_and_100(void **state)
{
    struct plot *plot = plot_create(
        &(struct plot_labels){.title = "t", .x = "x", .y = "Late (%)", .percent = true});
    double low, high;
    struct output *out;
    const char *text;

    plot_series(plot, "share", PLOT_LINE, -1);
    plot_add(plot, &(struct plot_point){1, 60, -40, 160});
    text = drawn(plot, &out);
    assert_non_null(strstr(text, ">100<"));
    assert_null(strstr(text, ">120<"));
    interval_ends(text, &low, &high);
    assert_true(low > high); /* SVG counts downwards; the frame is 40 ... 350 */
    assert_float_equal(low, 350, 0.01);
    assert_float_equal(high, 40, 0.01);
    output_destroy(out);
    /* A value that is no share: nothing is cut. */
    plot_add_xy(plot, 2, 150);
    text = drawn(plot, &out);
    interval_ends(text, &low, &high);
    assert_non_null(strstr(text, ">-50<"));
    output_destroy(out);
    plot_destroy(plot);
}

static void test_lines_with_intervals_stand_side_by_side(void **state)
{
    struct plot *plot = plot_create(&labels);
    struct output *out;
    const char *text;
    double first, second;

    for (int i = 0; i < 2; i++) {
        plot_series(plot, i ? "two" : "one", PLOT_LINE, -1);
        plot_add(plot, &(struct plot_point){1, 4, 3, 5});
    }
    text = drawn(plot, &out);
    text = strstr(text, "<circle cx=\"");
    assert_non_null(text);
    first = strtod(text + 12, NULL);
    text = strstr(text + 1, "<circle cx=\"");
    assert_non_null(text);
    second = strtod(text + 12, NULL);
    assert_true(second - first >= 4 && second - first <= 12);
    output_destroy(out);
    plot_destroy(plot);
}

static void test_bars_over_names(void **state)
{
    struct plot *plot = plot_create(
        &(struct plot_labels){.title = "t", .x = "x", .y = "y", .from_zero = true, .names = "a|b"});
    struct output *out;
    const char *text;

    for (int i = 0; i < 2; i++) {
        plot_series(plot, i ? "two" : "one", PLOT_BARS, -1);
        plot_add_xy(plot, 0, 3);
        plot_add_xy(plot, 1, 4 + i);
    }
    text = drawn(plot, &out);
    assert_non_null(strstr(text, ">a<"));
    assert_non_null(strstr(text, ">b<"));
    /* Background, frame, four bars, two in the legend. */
    assert_int_equal(count(text, "<rect"), 8);
    output_destroy(out);
    plot_destroy(plot);
}

static void test_nothing_to_draw(void **state)
{
    struct plot *plot = plot_create(&labels);
    struct output *out;

    assert_null(strstr(drawn(plot, &out), "nan"));
    output_destroy(out);
    plot_series(plot, "not finite", PLOT_LINE, -1);
    plot_add_xy(plot, 1, NAN);
    plot_add_xy(plot, INFINITY, 1);
    assert_null(strstr(drawn(plot, &out), "<circle"));
    output_destroy(out);
    plot_destroy(plot);
}

static void test_steps_are_round(void **state)
{
    double first;

    assert_float_equal(plot_step(0, 100, 5, &first), 20, 1e-9);
    assert_float_equal(first, 0, 1e-9);
    assert_float_equal(plot_step(0.983, 1.103, 7, &first), 0.02, 1e-9);
    assert_float_equal(first, 0.98, 1e-9);
    assert_true(plot_step(5, 5, 5, &first) > 0);
}

static void test_estimates(void **state)
{
    const double values[] = {1, 2, 3, 4, 5};
    struct mean_estimate estimate = estimate_of(values, 5);

    assert_float_equal(estimate.mean, 3, 1e-12);
    assert_float_equal(estimate.half, 2.776 * sqrt(2.5) / sqrt(5), 1e-9);
    assert_float_equal(estimate_of(values, 1).half, 0, 0);
    assert_float_equal(student_quantile(1), 12.706, 1e-9);
    assert_float_equal(student_quantile(60), 2.000, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_and_legend),
        cmocka_unit_test(test_intervals_only_where_there_are_any),
        cmocka_unit_test(test_shares_stay_between_0_and_100),
        cmocka_unit_test(test_lines_with_intervals_stand_side_by_side),
        cmocka_unit_test(test_bars_over_names),
        cmocka_unit_test(test_nothing_to_draw),
        cmocka_unit_test(test_steps_are_round),
        cmocka_unit_test(test_estimates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
