/* What a sweep file describes, and what is wrong with one that is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sweep/grid.h"
#include "sweep/sweep.h"
#include "test/sweep/folder.h"

static struct sweep *read_text(const char *text)
{
    struct error err = {0};
    struct sweep *sweep;

    write_file("a.sweep", text);
    sweep = sweep_read("a.sweep", &err);
    if (!sweep)
        fail_msg("%s", err.text);
    return sweep;
}

static const char *setting(const struct sweep *sweep, size_t cell, const char *key)
{
    const struct grid_cell *found = grid_cell(sweep, cell);

    for (size_t i = found->n_settings; i-- > 0;)
        if (!strcmp(found->settings[i].key, key))
            return found->settings[i].value;
    return NULL;
}

/* Every value with every other, the seed fastest, then the axes from the last to the first. */
static void makes_all_combinations(void **state)
{
    struct sweep *sweep = read_text("[sweep]\nseeds: 7 10-11\n"
                                    "[trace a]\nfile: a.lwf\n"
                                    "[policies]\npreemption: mov mlip\n"
                                    "[trace b]\nstreams: poisson,jobs=1 poisson,jobs=2\n"
                                    "[options]\nscheduling.suspend-rate: 16\n");
    const struct grid_cell *last;

    assert_int_equal(sweep_cells(sweep), 2 * 2 * 1 * 3);
    assert_int_equal(sweep_axes(sweep), 4);
    assert_string_equal(sweep_axis(sweep, 0), "trace");
    assert_string_equal(sweep_axis(sweep, 1), "preemption");
    assert_string_equal(sweep_axis(sweep, 2), "scheduling.suspend-rate");
    assert_string_equal(sweep_axis(sweep, 3), "seed");
    assert_string_equal(sweep_name(sweep, 1), "trace=a preemption=mov seed=7");
    assert_string_equal(sweep_name(sweep, 2), "trace=a preemption=mov seed=10");
    assert_string_equal(sweep_name(sweep, 4), "trace=a preemption=mlip seed=7");
    assert_string_equal(sweep_name(sweep, 12), "trace=b preemption=mlip seed=11");

    last = grid_cell(sweep, 12);
    assert_null(last->trace);
    assert_int_equal(last->n_streams, 2);
    assert_string_equal(last->streams[1], "poisson,jobs=2");
    assert_int_equal(last->workload_seed, 11);
    assert_string_equal(setting(sweep, 12, "seed"), "11");
    assert_string_equal(setting(sweep, 12, "suspend-rate"), "16");
    assert_string_equal(setting(sweep, 12, "policy-preemption"), "mlip");
    assert_string_equal(grid_cell(sweep, 1)->trace, "a.lwf");
    assert_string_equal(sweep_default_results(sweep), "a.db");
    sweep_destroy(sweep);
}

static void fills_in_parameters(void **state)
{
    struct sweep *sweep = read_text("[trace a]\nstreams: poisson,time={time},jobs={jobs}\n"
                                    "[parameters]\ntime: 1h 2h\njobs: 5\n"
                                    "[set]\nscheduling.suspend-rate: {jobs}0\n");

    assert_int_equal(sweep_cells(sweep), 2);
    assert_string_equal(grid_cell(sweep, 1)->streams[0], "poisson,time=1h,jobs=5");
    assert_string_equal(grid_cell(sweep, 2)->streams[0], "poisson,time=2h,jobs=5");
    assert_string_equal(setting(sweep, 2, "suspend-rate"), "50");
    assert_string_equal(sweep_name(sweep, 2), "time=2h");
    sweep_destroy(sweep);
}

/* A label of an axis stands for several settings, whose values may have blanks. */
static void axes_have_settings(void **state)
{
    struct sweep *sweep =
        read_text("[trace a]\nfile: a.lwf\n"
                  "[axis size]\n"
                  "small: simulation.resources=4 CPU:100 Memory:10 scheduling.suspend-rate=8\n"
                  "large: policy.mov.alpha=0.5\n  simulation.resources=9,cpu=100\n");

    assert_int_equal(sweep_cells(sweep), 2);
    assert_string_equal(setting(sweep, 1, "resources"), "4 CPU:100 Memory:10");
    assert_string_equal(setting(sweep, 1, "suspend-rate"), "8");
    assert_string_equal(setting(sweep, 2, "resources"), "9,cpu=100");
    assert_string_equal(setting(sweep, 2, "alpha"), "0.5");
    assert_string_equal(grid_cell(sweep, 2)->settings[0].section, "policy.mov");
    sweep_destroy(sweep);
}

static void general_section(void **state)
{
    struct sweep *sweep = read_text("[sweep]\nresults: out/r.db\nkeep: leases hosts\n"
                                    "configuration: x.conf y/z.conf\ntraces: t/one.lwf two.swf\n");

    assert_int_equal(sweep_cells(sweep), 4);
    assert_string_equal(sweep_default_results(sweep), "out/r.db");
    assert_int_equal(sweep->keep, SWEEP_KEEP_LEASES | SWEEP_KEEP_HOSTS);
    assert_string_equal(sweep_name(sweep, 3), "configuration=z trace=one");
    assert_string_equal(grid_cell(sweep, 3)->configuration, "y/z.conf");
    sweep_destroy(sweep);
}

/* Files are looked for where the sweep file is. */
static void paths_are_relative_to_the_file(void **state)
{
    struct error err = {0};
    struct sweep *sweep;
    struct prepared prepared;

    assert_int_equal(system("mkdir -p deep/down"), 0);
    write_file("deep/a.sweep",
               "[sweep]\nconfiguration: down/c.conf\n[trace t]\nfile: down/t.lwf\n");
    write_file("deep/down/c.conf", "[galerna]\n[scheduling]\nsuspend-rate: 77\n");
    write_file("deep/down/t.lwf", "<x/>");
    sweep = sweep_read("deep/a.sweep", &err);
    assert_non_null(sweep);
    assert_string_equal(sweep_default_results(sweep), "a.db");
    if (prepared_init(&prepared, sweep, 1, 0, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(prepared.configuration->tracefile, "deep/down/t.lwf");
    assert_true(prepared.configuration->settings.suspend_rate == 77);
    prepared_finish(&prepared);
    sweep_destroy(sweep);
}

static void fails_with(const char *text, const char *expected)
{
    struct error err = {0};
    struct sweep *sweep;

    write_file("a.sweep", text);
    sweep = sweep_read("a.sweep", &err);
    if (sweep && sweep_check(sweep, &err) == 0)
        fail_msg("no error in:\n%s", text);
    if (!strstr(err.text, expected))
        fail_msg("'%s' does not contain '%s'", err.text, expected);
    sweep_destroy(sweep);
}

static void says_what_is_wrong_and_where(void **state)
{
    static const char made[] = "[trace t]\nstreams: poisson,jobs=1\n"
                               "[set]\nsimulation.resources: 4,cpu=100,memory=1024\n";
    static const char *const cases[][2] = {
        {"[polices]\npreemption: mov\n", "a.sweep:5: unknown section [polices], did you mean"},
        {"[elsewhere]\nx: y\n", "expected sweep, trace NAME, set"},
        {"[sweep]\nseed: 1\n", "a.sweep:6: unknown option 'seed' in section [sweep], did you mean"},
        {"[sweep]\nseeds: 1-x\n", "a.sweep:6: seeds: '1-x'"},
        {"[sweep]\nseeds: 5-1\n", "a.sweep:6: seeds: '5-1': the first is above the last"},
        {"[sweep]\nseeds: 1-10001\n", "a.sweep:6: seeds: '1-10001': at most 10000 are allowed"},
        {"[parameters]\nload: 1 2\n", "a.sweep:6: no value of the file contains {load}"},
        {"[sweep]\nseeds: 1 1\n", "a.sweep:6: '1' is already on the axis seed (line 6)"},
        {"[sweep]\nseeds:\n", "a.sweep:6: 'seeds' has no value"},
        {"[sweep]\nkeep: leses\n", "a.sweep:6: keep: unknown table 'leses'"},
        {"[policies]\nadmision: pacp\n", "a.sweep:6: unknown kind of policy 'admision'"},
        {"[policies]\nadmission: pacp pacp\n",
         "a.sweep:6: 'pacp' is already on the axis admission"},
        {"[options]\nsuspend-rate: 1 2\n", "a.sweep:6: 'suspend-rate': expected section.option"},
        {"[options]\nscheduling.suspend-rat: 1 2\n", "a.sweep:6: unknown option 'suspend-rat'"},
        {"[options]\nscheduling.suspend-rate: fast\n", "a.sweep:6: scheduling.suspend-rate"},
        {"[set]\nscheduling.suspend-rate: fast\n", "a.sweep:6: scheduling.suspend-rate"},
        {"[set]\nno-where.x: 1\n", "a.sweep:6: unknown section [no-where]"},
        {"[axis x]\nlow: 5\n", "a.sweep:6: '5': expected section.option=value"},
        {"[axis x]\n", "a.sweep:5: the axis has no values"},
        {"[axis cell]\nlow: a.b=1\n",
         "a.sweep:5: 'cell' is a column of the results and cannot be the name of an axis"},
        {"[axis Makespan]\nlow: a.b=1\n",
         "'Makespan' is a column of the results and cannot be the name of an axis"},
        {"[axis x]\nlow: a.b=1\nlow: a.b=2\n", "a.sweep:7: 'low' is already set in line 6"},
        {"[trace u]\n", "a.sweep:5: section [trace u]: set file or streams"},
        {"[trace u]\nfil: x\n", "a.sweep:6: unknown option 'fil' in section [trace u]"},
        {"[trace u]\nfile: none.lwf\n", "none.lwf: cannot be read: No such file"},
        {"[trace u]\nfile: -\n", "a.sweep:5: a sweep cannot read its trace from standard input"},
        {"[trace u]\nstreams: poison\n", "a.sweep:5: stream 'poison': "},
        {"[trace u]\nstreams: poisson,jobs={job}\n[parameters]\njobs: 1\n",
         "a.sweep:5: {job} is not a parameter, did you mean 'jobs'"},
        {"[slurm]\narray: 1-5\n", "a.sweep:6: galerna sweep sets sbatch's --array itself"},
        {"[sweep]\nconfiguration: none.conf\n", "none.conf: cannot open"},
        {"[sweep]\nseeds: 1-400\n[axis a]\nx: galerna.seed=1\ny: galerna.seed=2\n"
         "[options]\nscheduling.suspend-rate: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n"
         "scheduling.resume-rate: 1 2 3 4 5 6 7 8 9 10\n",
         "the grid has 144000 cells, at most 100000"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];

        snprintf(text, sizeof text, "%s%s", strstr(cases[i][0], "[set]") ? "" : made, cases[i][0]);
        if (strstr(cases[i][0], "[set]"))
            snprintf(text, sizeof text, "[trace t]\nstreams: poisson,jobs=1\n\n\n%s", cases[i][0]);
        fails_with(text, cases[i][1]);
    }
    fails_with("[sweep]\nseeds: 1\n", "no trace; set file");
    fails_with("[sweep\n", "a.sweep:1: the section's name has no closing");
}

static void refuses_live_and_multiple_configurations(void **state)
{
    write_file("live.conf", "[galerna]\n[general]\nmode: opennebula\n");
    write_file("many.conf", "[multi]\ntracefiles: a.lwf\n[p:scheduling]\nsuspend-rate: 1\n");
    fails_with("[sweep]\nconfiguration: live.conf\n[trace t]\nstreams: poisson,jobs=1\n",
               "general.mode is opennebula");
    fails_with("[sweep]\nconfiguration: many.conf\n[trace t]\nstreams: poisson,jobs=1\n",
               "has a section [multi]");
}

/* A digest follows what a result depends on, and nothing else. */
static void digests_follow_contents(void **state)
{
    static const char text[] = "[trace t]\nfile: t.lwf\n[options]\nscheduling.suspend-rate: 1 2\n";
    struct error err = {0};
    struct sweep *sweep = read_text(text);
    uint64_t first, second;

    write_file("t.lwf", "one");
    assert_int_equal(sweep_check(sweep, &err), 0);
    first = grid_cell(sweep, 1)->digest;
    second = grid_cell(sweep, 2)->digest;
    assert_true(first != second);
    sweep_destroy(sweep);

    /* A comment, and where the line stands. */
    sweep = read_text("# nothing\n\n[trace t]\nfile: t.lwf\n"
                      "[options]\nscheduling.suspend-rate: 2 1\n");
    assert_int_equal(sweep_check(sweep, &err), 0);
    assert_true(grid_cell(sweep, 1)->digest == second);
    assert_true(grid_cell(sweep, 2)->digest == first);
    sweep_destroy(sweep);

    write_file("t.lwf", "two");
    sweep = read_text(text);
    assert_int_equal(sweep_check(sweep, &err), 0);
    assert_true(grid_cell(sweep, 1)->digest != first);
    sweep_destroy(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_all_combinations),
        cmocka_unit_test(fills_in_parameters),
        cmocka_unit_test(axes_have_settings),
        cmocka_unit_test(general_section),
        cmocka_unit_test(paths_are_relative_to_the_file),
        cmocka_unit_test(says_what_is_wrong_and_where),
        cmocka_unit_test(refuses_live_and_multiple_configurations),
        cmocka_unit_test(digests_follow_contents),
    };

    return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
