/* The files with the findings of an experiment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiments/findings.h"

static const struct findings_head head = {
    .name = "some", .title = "Some & more", .paper = "A. Author", .summary = "What is it?"};

static char *read_file(const char *folder, const char *name)
{
    static char text[65536];
    char path[200];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    return text;
}

static struct findings *some_findings(void)
{
    struct findings *findings = findings_create();
    struct plot *plot = plot_create(&(struct plot_labels){.title = "P", .x = "x", .y = "y"});

    findings_option(findings, "seeds", "3", "5", "how many");
    findings_claim(findings, &(struct finding_claim){"one", "It is < 2", "1.5", VERDICT_AGREES, ""},
                   "%.1f", 1.6);
    findings_claim(findings,
                   &(struct finding_claim){"two", "It rises", "yes", VERDICT_DIFFERS, "noise"},
                   "no");
    findings_table(findings, "table", "A table", "a,b", 10);
    findings_cells(findings, "%d", 1);
    findings_cells(findings, "x, \"y\"");
    plot_series(plot, "s", PLOT_LINE, -1);
    plot_add_xy(plot, 1, 1);
    findings_plot(findings, "picture", plot);
    findings_remark(findings, "Remark %d.", 7);
    return findings;
}

static void check_summary(const char *text)
{
    json_t *root = json_loads(text, 0, NULL), *claims, *claim;

    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "schema")), "galerna-experiment");
    assert_true(json_is_true(json_object_get(root, "complete")));
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(root, "options"), "seeds")), "3");
    claims = json_object_get(root, "claims");
    assert_int_equal(json_array_size(claims), 2);
    claim = json_array_get(claims, 1);
    assert_string_equal(json_string_value(json_object_get(claim, "paper")), "yes");
    assert_string_equal(json_string_value(json_object_get(claim, "ours")), "no");
    assert_string_equal(json_string_value(json_object_get(claim, "verdict")), "differs");
    assert_string_equal(json_string_value(json_object_get(claim, "reason")), "noise");
    json_decref(root);
}

static void test_files(void **state)
{
    char folder[] = "/tmp/galerna-findings-XXXXXX";
    struct findings *findings = some_findings();
    struct error err;
    const char *page;

    assert_non_null(mkdtemp(folder));
    assert_int_equal(findings_write(findings, &head, folder, &err), 0);
    assert_int_equal(findings_count(findings, VERDICT_AGREES), 1);
    assert_int_equal(findings_count(findings, VERDICT_SAME_SHAPE), 0);
    findings_destroy(findings);
    check_summary(read_file(folder, "summary.json"));
    assert_string_equal(read_file(folder, "table.csv"), "a,b\n1,\"x, \"\"y\"\"\"\n");
    assert_non_null(strstr(read_file(folder, "picture.svg"), "<svg"));
    page = read_file(folder, "index.html");
    assert_non_null(strstr(page, "Some &amp; more"));
    assert_non_null(strstr(page, "<td>It is &lt; 2</td><td>1.5</td><td>1.6</td>"));
    assert_non_null(strstr(page, "class=\"differs\">differs<"));
    assert_non_null(strstr(page, "Remark 7."));
    assert_non_null(strstr(page, "<svg"));
    assert_non_null(strstr(page, "<meta name=\"viewport\" content=\"width=device-width"));
    rmdir(folder);
}

static void test_folder_is_missing(void **state)
{
    struct findings *findings = some_findings();
    struct error err;

    assert_int_equal(findings_write(findings, &head, "/nowhere/at/all", &err), -1);
    assert_non_null(strstr(err.text, "/nowhere/at/all"));
    findings_destroy(findings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_folder_is_missing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
