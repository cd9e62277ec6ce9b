/* Random requirements and ranks: the parser and both evaluators against one that is slow and
 * obvious, and knows the expression as a tree before it is a text. */
#include <fnmatch.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/host_columns.h"
#include "util/memory.h"

enum { HOSTS = 70, VALUES = 8, ROUNDS = 4000, DEPTH = 4 };

static const char *const names[] = {"A", "B", "C_1", "Dd", "CURRENT_VMS", "MISSING"};
static const char *const texts[] = {"r1", "r2", "10", "-3", "2.5", "", " 7", "9 GB", "a*", "[x]"};
static const char *const patterns[] = {"r1", "r?", "*", "[r1]*", "10", "-3", "a\\*", "nothing", ""};

static unsigned seed = 20240229;

static size_t pick(size_t n)
{
    return (size_t)rand_r(&seed) % n;
}

/* --- The slow evaluator's view --- */

enum kind { COMPARISON, NOT, AND, OR };

struct tree {
    enum kind kind;
    struct tree *left, *right;
    const char *name;
    int test, literal_kind;
    int integer;
    double number;
    const char *text;
};

static bool is_number(const char *text)
{
    text += strspn(text, " ");
    return strchr("0123456789", text[*text == '-']) && text[*text == '-'];
}

static bool compare(const struct tree *tree, const char *value)
{
    double a = atof(value), b = tree->number;

    if (tree->literal_kind == LITERAL_TEXT) {
        if (!*tree->text)
            return false;
        return (fnmatch(tree->text, value, 0) == 0) == (tree->test != TEST_UNEQUAL);
    }
    if (tree->literal_kind == LITERAL_INTEGER) {
        a = trunc(a);
        b = tree->integer;
    }
    switch (tree->test) {
    case TEST_GREATER:
        return a > b;
    case TEST_LESS:
        return a < b;
    case TEST_UNEQUAL:
        return a != b;
    default:
        return a == b;
    }
}

static bool has_vm(const struct tree *tree, const struct attributes *host)
{
    bool names_one = tree->literal_kind == LITERAL_INTEGER ||
                     (tree->literal_kind == LITERAL_TEXT && is_number(tree->text));
    int id = tree->literal_kind == LITERAL_INTEGER ? tree->integer : 0;

    if (tree->literal_kind == LITERAL_TEXT)
        id = atoi(tree->text);
    for (size_t i = 0; i < host->n; i++)
        if (names_one && !strcmp(host->items[i].name, "CURRENT_VMS") &&
            is_number(host->items[i].value) && atoi(host->items[i].value) == id)
            return true;
    return false;
}

static bool slow(const struct tree *tree, const struct attributes *host)
{
    if (tree->kind == NOT)
        return !slow(tree->left, host);
    if (tree->kind == AND)
        return slow(tree->left, host) && slow(tree->right, host);
    if (tree->kind == OR)
        return slow(tree->left, host) || slow(tree->right, host);
    if (!strcmp(tree->name, "CURRENT_VMS")) {
        if (tree->test == TEST_GREATER)
            return false;
        return has_vm(tree, host) == (tree->test == TEST_EQUAL || tree->test == TEST_CONTAINS);
    }
    for (size_t i = 0; i < host->n; i++) {
        if (strcmp(host->items[i].name, tree->name))
            continue;
        if (tree->literal_kind != LITERAL_TEXT && !is_number(host->items[i].value))
            continue;
        if (tree->test != TEST_CONTAINS)
            return compare(tree, host->items[i].value);
        if (compare(tree, host->items[i].value))
            return true;
    }
    return false;
}

/* --- Making trees, and texts of them --- */

static struct tree *make_comparison(void)
{
    struct tree *tree = memory_new(1, sizeof *tree);

    tree->name = names[pick(6)];
    tree->literal_kind = (int)pick(3);
    tree->test = (int)pick(5);
    tree->integer = (int)pick(16) - 4;
    tree->number = (double)pick(16) / 4;
    tree->text = patterns[pick(9)];
    if (tree->literal_kind == LITERAL_TEXT &&
        (tree->test == TEST_GREATER || tree->test == TEST_LESS))
        tree->test = TEST_EQUAL;
    return tree;
}

static struct tree *make_tree(int depth)
{
    struct tree *tree;

    if (depth == 0 || pick(4) == 0)
        return make_comparison();
    tree = memory_new(1, sizeof *tree);
    tree->kind = (enum kind)(NOT + pick(3));
    tree->left = make_tree(depth - 1);
    if (tree->kind != NOT)
        tree->right = make_tree(depth - 1);
    return tree;
}

static void destroy_tree(struct tree *tree)
{
    if (tree) {
        destroy_tree(tree->left);
        destroy_tree(tree->right);
    }
    free(tree);
}

static void print_tree(FILE *out, const struct tree *tree);

/* In parentheses where the text would mean something else without, and sometimes where not. */
static void print_operand(FILE *out, const struct tree *tree, bool needed)
{
    bool parentheses = needed || pick(4) == 0;

    fputs(parentheses ? "( " : "", out);
    print_tree(out, tree);
    fputs(parentheses ? ")" : "", out);
}

static void print_tree(FILE *out, const struct tree *tree)
{
    static const char *const tests[] = {"=", "!=", ">", "<", "@>"};
    const char *blank = pick(2) ? " " : "";

    switch (tree->kind) {
    case COMPARISON:
        fprintf(out, "%s%s%s%s", tree->name, blank, tests[tree->test], blank);
        if (tree->literal_kind == LITERAL_INTEGER)
            fprintf(out, "%d", tree->integer);
        else if (tree->literal_kind == LITERAL_NUMBER)
            fprintf(out, "%.2f", tree->number);
        else
            fprintf(out, pick(2) ? "\"%s\"" : "'%s'", tree->text);
        break;
    case NOT:
        fputs("!", out);
        print_operand(out, tree->left, tree->left->kind == AND || tree->left->kind == OR);
        break;
    default:
        print_operand(out, tree->left, false);
        fputs(tree->kind == AND ? " & " : "|", out);
        print_operand(out, tree->right, tree->right->kind == AND || tree->right->kind == OR);
        break;
    }
}

/* --- Hosts --- */

static struct host_pool make_hosts(size_t n)
{
    struct host_pool pool = {.items = memory_new(n, sizeof(struct host)), .n = n};

    for (size_t i = 0; i < n; i++) {
        struct attributes *attributes = &pool.items[i].attributes;

        pool.items[i].id = (int32_t)i;
        attributes->items = memory_new(VALUES, sizeof *attributes->items);
        attributes->n = pick(VALUES);
        for (size_t k = 0; k < attributes->n; k++)
            attributes->items[k] = (struct attribute){names[pick(5)], texts[pick(10)]};
    }
    return pool;
}

static void destroy_hosts(struct host_pool *pool)
{
    for (size_t i = 0; i < pool->n; i++)
        free(pool->items[i].attributes.items);
    free(pool->items);
}

static void check_requirement(const struct host_pool *hosts, struct host_columns *columns)
{
    struct tree *tree = make_tree(DEPTH);
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    struct error err = {0};
    struct expression *requirement;
    uint64_t bitmap[(HOSTS + 63) / 64];

    print_tree(out, tree);
    fclose(out);
    requirement = expression_parse_requirement(text, &err);
    if (!requirement)
        fail_msg("%s: %s", text, err.text);
    host_columns_allow(columns, requirement, bitmap);
    for (size_t i = 0; i < hosts->n; i++) {
        bool expected = slow(tree, &hosts->items[i].attributes);

        if (expression_allows(requirement, &hosts->items[i].attributes) != expected ||
            bitmap_has(bitmap, i) != expected)
            fail_msg("%s: host %zu should be %d", text, i, expected);
    }
    for (size_t i = hosts->n; i < 64 * host_columns_words(columns); i++)
        assert_false(bitmap_has(bitmap, i));
    expression_destroy(requirement);
    destroy_tree(tree);
    free(text);
}

static void requirements_mean_what_they_say(void **state)
{
    for (int round = 0; round < ROUNDS / 50; round++) {
        struct host_pool hosts = make_hosts(pick(HOSTS + 1));
        struct host_columns *columns = host_columns_create(&hosts, NULL);

        for (int i = 0; i < 50; i++)
            check_requirement(&hosts, columns);
        host_columns_destroy(columns);
        destroy_hosts(&hosts);
    }
}

/* --- Ranks: sums of products, so that the expected value follows from how they are made --- */

static double first_number(const struct attributes *host, const char *name)
{
    double vms = 0;

    for (size_t i = 0; i < host->n; i++) {
        if (strcmp(host->items[i].name, name) || !is_number(host->items[i].value))
            continue;
        if (strcmp(name, "CURRENT_VMS"))
            return atof(host->items[i].value);
        vms++;
    }
    return vms;
}

static double print_factor(FILE *out, const struct attributes *host)
{
    double number = (double)pick(20) / 4;
    const char *name = names[pick(6)];

    if (pick(2)) {
        fprintf(out, "%.2f", number);
        return number;
    }
    fprintf(out, "%s%s", pick(2) ? "-" : "", name);
    return first_number(host, name);
}

static double print_product(FILE *out, const struct attributes *host)
{
    double product = 1;

    for (size_t i = 0, n = 1 + pick(3); i < n; i++) {
        unsigned before = seed;
        char *text;
        size_t length;
        FILE *factor = open_memstream(&text, &length);
        double value = print_factor(factor, host);
        bool divides = i > 0 && before % 3 == 0;

        fclose(factor);
        fprintf(out, "%s%s", i == 0 ? "" : divides ? " / " : "*", text);
        value = text[0] == '-' ? -value : value;
        product = i == 0 ? value : divides ? product / value : product * value;
        free(text);
    }
    return product;
}

static double print_sum(FILE *out, const struct attributes *host, int depth)
{
    double sum = 0;

    for (size_t i = 0, n = 1 + pick(3); i < n; i++) {
        bool minus = i > 0 && pick(2);
        double value;

        fputs(i == 0 ? "" : minus ? " - " : "+", out);
        if (depth && pick(3) == 0) {
            fputs("(", out);
            value = print_sum(out, host, depth - 1);
            fputs(")", out);
        } else {
            value = print_product(out, host);
        }
        sum = i == 0 ? value : minus ? sum - value : sum + value;
    }
    return sum;
}

static void ranks_mean_what_they_say(void **state)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct host_pool hosts = make_hosts(3);
        struct host_columns *columns = host_columns_create(&hosts, NULL);
        struct rank_step *steps;
        int64_t expected;
        char *text;
        size_t length, host = pick(3);
        FILE *out = open_memstream(&text, &length);
        struct error err = {0};
        struct expression *rank;

        expected = rank_of_number(print_sum(out, &hosts.items[host].attributes, 2));
        fclose(out);
        rank = expression_parse_rank(text, &err);
        if (!rank)
            fail_msg("%s: %s", text, err.text);
        steps = memory_new(rank->n, sizeof *steps);
        host_columns_rank(columns, rank, steps);
        if (host_rank_of(&(struct host_rank){.steps = steps, .n = rank->n, .depth = rank->depth},
                         (uint32_t)host) != expected ||
            expression_rank(rank, &hosts.items[host].attributes) != expected)
            fail_msg("%s: not %lld", text, (long long)expected);
        free(steps);
        expression_destroy(rank);
        free(text);
        host_columns_destroy(columns);
        destroy_hosts(&hosts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requirements_mean_what_they_say),
        cmocka_unit_test(ranks_mean_what_they_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
