/* A command line by its description: what is taken, what is refused with which words, help and
 * completion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/command_line.h"
#include "util/unqualified.h"

enum { OUTPUT_MAX = 8192, WORDS_MAX = 16 };

struct inner {
    const char *file;
    bool loud;
};

struct arguments {
    struct text_list names;
    int64_t count;
    double rate;
    int mode;
    char own[16];
    struct inner inner;
    bool row[2];
};

static int take_own(const struct command_option *option, void *value, const char *text,
                    struct error *err)
{
    if (strlen(text) > 8)
        return error_set(err, 1, "%s is too long", option->name);
    strcpy(value, text);
    return 0;
}

static void answer(FILE *stream)
{
    fputs("the answer\n", stream);
}

static void offer(FILE *stream)
{
    fputs("alpha\nbeta\n", stream);
}

/* Rows that another table makes. */
static bool row(size_t i, struct command_option *option)
{
    static const char *const names[] = {"first-term", "second-term"};

    if (i >= 2)
        return false;
    *option = (struct command_option){.name = names[i],
                                      .type = ARGUMENT_FLAG,
                                      .offset = offsetof(struct arguments, row) + i,
                                      .help = "A row"};
    return true;
}

static const struct command_option own[] = {
    {"name", .letter = 'n', .type = ARGUMENT_LIST, .argument = "NAME",
     .offset = offsetof(struct arguments, names), .help = "Name. May be repeated"},
    {"count", .type = ARGUMENT_INTEGER, .argument = "N",
     .offset = offsetof(struct arguments, count), .otherwise = "3", .least = 1, .most = 10,
     .help = "How many"},
    {"rate", .type = ARGUMENT_NUMBER, .argument = "R", .offset = offsetof(struct arguments, rate),
     .help = "How fast"},
    {"mode", .type = ARGUMENT_CHOICE, .argument = "MODE",
     .offset = offsetof(struct arguments, mode), .words = "slow|fast|fastest", .help = "Mode"},
    {"own", .type = ARGUMENT_OWN, .argument = "TEXT", .offset = offsetof(struct arguments, own),
     .otherwise = "usual", .take = take_own, .help = "Own"},
    {"answer", .type = ARGUMENT_ANSWER, .answer = answer, .help = "Answer and exit"},
};

static const struct command_option inner[] = {
    {"file", .letter = 'f', .type = ARGUMENT_TEXT, .argument = "FILE",
     .offset = offsetof(struct inner, file), .help = "A file"},
    {"loud", .letter = 'l', .type = ARGUMENT_FLAG, .offset = offsetof(struct inner, loud),
     .help = "Be loud"},
};

static const struct command_line line = {
    .name = "test run",
    .summary = "Test",
    .purpose = "Test what a description does.",
    .operands = "[WORD]...",
    .most = 2,
    .groups = {{.options = own, .n = sizeof own / sizeof *own, .row = row},
               {.title = "Inner options",
                .options = inner,
                .n = 2,
                .offset = offsetof(struct arguments, inner)}},
    .codes = {{EXIT_DONE, "Success"}, {EXIT_FAILED, "Failure"}, {EXIT_INTERRUPTED, "Interrupted"}},
    .offer = offer,
    .size = sizeof(struct arguments),
};

static struct arguments seen;
static char seen_names[100], out[OUTPUT_MAX], err[OUTPUT_MAX];
static int operands;

static int note(const struct call *call)
{
    seen = *(struct arguments *)call->arguments;
    seen_names[0] = '\0';
    for (size_t i = 0; i < seen.names.n; i++)
        strcat(strcat(seen_names, seen.names.items[i]), ";");
    operands = call->n;
    return EXIT_REFUSED;
}

static FILE *redirect(FILE *stream, int *saved)
{
    FILE *file = tmpfile();

    assert_non_null(file);
    fflush(stream);
    *saved = dup(fileno(stream));
    dup2(fileno(file), fileno(stream));
    return file;
}

static void restore(FILE *stream, int saved, FILE *file, char *text)
{
    fflush(stream);
    dup2(saved, fileno(stream));
    close(saved);
    rewind(file);
    text[fread(text, 1, OUTPUT_MAX - 1, file)] = '\0';
    fclose(file);
}

static int run_line(const struct command_line *asked, const char *words)
{
    char copy[256], *argv[WORDS_MAX + 1] = {unqualified("test")}, *rest = copy;
    int argc = 1, code, saved_out, saved_err;
    FILE *out_file, *err_file;

    snprintf(copy, sizeof copy, "%s", words);
    for (char *word; argc < WORDS_MAX && (word = strsep(&rest, " "));)
        if (*word)
            argv[argc++] = word;
    argv[argc] = NULL;
    out_file = redirect(stdout, &saved_out);
    err_file = redirect(stderr, &saved_err);
    code = command_line_run(asked, note, argc, argv);
    restore(stdout, saved_out, out_file, out);
    restore(stderr, saved_err, err_file, err);
    return code;
}

static int run(const char *words)
{
    return run_line(&line, words);
}

static void values_go_where_rows_say(void **state)
{
    assert_int_equal(run(""), EXIT_REFUSED);
    assert_int_equal(seen.count, 3);
    assert_string_equal(seen.own, "usual");
    assert_int_equal(run("--name a -nb --count=10 --rate 0.5 --mode fast -f x.c word --second-term "
                         "--own new -l"),
                     EXIT_REFUSED);
    assert_string_equal(seen_names, "a;b;");
    assert_int_equal(seen.count, 10);
    assert_true(seen.rate > 0.49 && seen.rate < 0.51);
    assert_int_equal(seen.mode, 1);
    assert_string_equal(seen.own, "new");
    assert_true(seen.inner.loud && seen.row[1] && !seen.row[0]);
    assert_int_equal(operands, 1);
    assert_int_equal(run("--file \xff"), EXIT_REFUSED); /* files may have any name */
    assert_int_equal(run("--cou 4 -- --name"), EXIT_REFUSED);
    assert_int_equal(seen.count, 4);
    assert_int_equal(operands, 1);
}

static void the_text_of_the_operands_tells_their_number(void **state)
{
    static const struct {
        const char *text;
        int least, most; /* of up to three words */
    } cases[] = {
        {NULL, 0, 0},        {"FILE", 1, 1},    {"[FILE]", 0, 1},         {"FILE...", 1, 3},
        {"[FILE]...", 0, 3}, {"[A [B]]", 0, 2}, {"FILE [NAME]...", 1, 3}, {"NAME|all", 1, 1}};
    static const char *const words[] = {"", "a", "a b", "a b c"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int n = 0; n <= 3; n++)
            assert_int_equal(run_line(&(struct command_line){.name = "test",
                                                             .summary = "Test",
                                                             .purpose = "Test operands.",
                                                             .operands = cases[i].text,
                                                             .size = sizeof seen},
                                      words[n]),
                             n < cases[i].least || n > cases[i].most ? EXIT_USAGE : EXIT_REFUSED);
}

static void what_is_wrong_is_said(void **state)
{
    static const struct {
        const char *words, *part;
    } cases[] = {
        {"--nmae x", "test run: unknown option '--nmae', did you mean '--name'?\n"},
        {"-z", "unknown option '-z'"},
        {"--count", "option '--count' needs a value: N"},
        {"-f", "option '--file' needs a value: FILE"},
        {"--loud=1", "option '--loud' takes no value"},
        {"--count 11", "--count 11: expected a whole number from 1 to 10"},
        {"--count 1x", "--count 1x: expected a whole number"},
        {"--rate nan", "--rate nan: expected a number"},
        {"--mode quick", "--mode quick: expected slow, fast or fastest"},
        {"--own 123456789", "--own 123456789: own is too long"},
        {"one two three", "unexpected argument 'three'"},
        {"--first-term=1", "option '--first-term' takes no value"},
        {"--n x --na y --o", "option '--own' needs a value: TEXT"},
        {"--f x", "'--f' is ambiguous: --first-term, --file"},
        {"--name \xff", "--name ?: is not valid UTF-8"},
        {"--own=\xc3\xa9\xc3", "--own \xc3\xa9?: is not valid UTF-8"},
        {"a \xff", "'?' is not valid UTF-8"},
        {"--file=", "--file : expected a name"},
        {"--count \x1b[1m", "--count ?[1m: expected a whole number"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = run(cases[i].words);

        if (code != EXIT_USAGE || !strstr(err, cases[i].part) ||
            !strstr(err, "Try 'test run --help'."))
            fail_msg("%s: exit code %d, %s", cases[i].words, code, err);
        assert_string_equal(out, "");
    }
}

static void help_has_every_row(void **state)
{
    struct command_option option;

    assert_int_equal(run("--help"), EXIT_DONE);
    assert_ptr_equal(strstr(out, "usage: test run [OPTION]... [WORD]...\n\nTest what"), out);
    for (size_t i = 0; command_line_option(&line, i, &option, NULL, NULL); i++) {
        char name[40];

        snprintf(name, sizeof name, "--%s", option.name);
        if (!strstr(out, name))
            fail_msg("no %s in %s", name, out);
    }
    assert_non_null(strstr(out, "How many (default: 3)"));
    assert_non_null(strstr(out, "\nInner options:\n  -f, --file FILE"));
    assert_non_null(strstr(out, "  1   Failure\n  64  The command line is wrong\n  130 Interr"));
    for (const char *at = out; *at; at += strcspn(at, "\n") + 1)
        assert_true(strcspn(at, "\n") < 80);
    assert_int_equal(run("--answer"), EXIT_DONE);
    assert_string_equal(out, "the answer\n");
}

static void complete(const char *words, const char *offered)
{
    char copy[256], *list[WORDS_MAX], *rest = copy, *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    int n = 0;

    snprintf(copy, sizeof copy, "%s", words);
    for (char *word; n < WORDS_MAX && (word = strsep(&rest, " "));)
        list[n++] = word;
    command_line_complete(&line, list, n, stream);
    fclose(stream);
    assert_string_equal(text, offered);
    free(text);
}

static void the_rest_of_a_word_is_offered(void **state)
{
    complete("--na", "--name\n");
    complete("--s", "--second-term\n");
    complete("--mode f", "fast\nfastest\n");
    complete("--file ", ":files\n");
    complete("-f x", ":files\n");
    complete("b", "beta\n");
    complete("--loud al", "alpha\n");
}

static void texts_are_wrapped(void **state)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    command_line_wrap("one\n  kept   as it is\n\nnext paragraph", 0, 0, stream);
    fclose(stream);
    assert_string_equal(text, "one\n  kept   as it is\n\nnext paragraph\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_go_where_rows_say),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(the_text_of_the_operands_tells_their_number),
        cmocka_unit_test(help_has_every_row),
        cmocka_unit_test(the_rest_of_a_word_is_offered),
        cmocka_unit_test(texts_are_wrapped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
