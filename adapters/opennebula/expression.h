/* expression.h: a parsed requirement or rank, as this folder's own files see it.
 *
 * The language is OpenNebula's (src/parsers of its source; doc/differences-from-opennebula.md has
 * where Galerna departs from it):
 *
 *   requirement: [term {("&" | "|") term}]            one precedence, left to right
 *   term:        "!" term | "(" requirement ")" | name test
 *   test:        ("=" | "!=" | ">" | "<" | "@>") number | ("=" | "!=" | "@>") text
 *   rank:        [sum]   with + - * / and parentheses, usual precedence, "-" in front of a factor
 *   name, text:  a letter and letters, digits, "_"; or anything between two " or two '
 *   number:      -?digits or -?digits.digits
 *
 * A text is a pattern as fnmatch() of the C library has it. A parsed expression is a program for a
 * stack machine: operands first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapters/opennebula/eligibility.h"

enum {
    EXPRESSION_TEXT_MAX = 64 << 10,
    EXPRESSION_DEPTH_MAX = 100,
    EXPRESSION_TERMS_MAX = 2048,  /* comparisons, attributes and numbers */
    EXPRESSION_PATTERNS_MAX = 64, /* texts with wildcards: the costly ones */
};

enum comparison_test {
    TEST_EQUAL,
    TEST_UNEQUAL,
    TEST_GREATER,
    TEST_LESS,
    TEST_CONTAINS, /* @>: one of the attribute's values is equal */
};

enum literal_kind { LITERAL_INTEGER, LITERAL_NUMBER, LITERAL_TEXT };

struct comparison {
    const char *name;
    enum comparison_test test;
    enum literal_kind kind;
    int64_t integer;
    double number;
    const char *text;        /* "": equal to nothing and unequal to nothing */
    struct pattern *pattern; /* of a text with wildcards; or NULL */
    size_t from, to;         /* where it stands: bytes of the expression's text */
};

enum expression_operation {
    OPERATION_COMPARE,
    OPERATION_NOT,
    OPERATION_AND,
    OPERATION_OR,
    OPERATION_NUMBER,
    OPERATION_ATTRIBUTE,
    OPERATION_ADD,
    OPERATION_SUBTRACT,
    OPERATION_MULTIPLY,
    OPERATION_DIVIDE,
    OPERATION_NEGATE,
};

struct instruction {
    enum expression_operation operation;
    size_t comparison; /* COMPARE: its place */
    double number;     /* NUMBER */
    const char *name;  /* ATTRIBUTE */
};

struct expression {
    bool is_rank;
    struct instruction *code; /* n 0: empty */
    size_t n, allocated;
    struct comparison *comparisons;
    size_t n_comparisons, comparisons_allocated;
    char *texts; /* names and texts, each with a NUL */
    size_t texts_length, n_patterns;
    size_t depth; /* of the stack */
};

/* --- expression_lexer.c --- */
enum token_kind { TOKEN_END, TOKEN_SIGN, TOKEN_NAME, TOKEN_QUOTED, TOKEN_INTEGER, TOKEN_NUMBER };

struct token {
    enum token_kind kind;
    char sign;         /* SIGN */
    const char *start; /* in the text */
    size_t length;
    const char *text; /* NAME, QUOTED: the content, `text_length` bytes */
    size_t text_length;
    int64_t integer;
    double number; /* of an INTEGER too */
};

struct lexer {
    const char *text, *at;
    bool negative_numbers; /* "-5" is a number, as in requirements; else "-" and 5 */
};

/* Read the token at lexer->at. -1: a character that begins none (err: its column), or a text that
 * does not end. */
int lexer_next(struct lexer *lexer, struct token *token, struct error *err);

/* --- expression_pattern.c --- */
bool pattern_has_wildcards(const char *text);
struct pattern *pattern_create(const char *text);
void pattern_destroy(struct pattern *pattern);
/* Time at most proportional to (length of text)^2, whatever the pattern. */
bool pattern_matches(const struct pattern *pattern, const char *text);

/* --- expression_parts.c --- */

/* One of the parts of a requirement that & joins outside of parentheses: all must hold. */
struct expression_part {
    size_t first, n; /* instructions */
    size_t from, to; /* its comparisons in the text */
    bool negated;    /* a ! stands before them */
    bool changes;    /* it names figures that change all the time */
};

/* Into parts, the last of the text first; from the most-th on they are one. O(instructions x
 * parts). */
size_t expression_parts(const struct expression *expression, struct expression_part *parts,
                        size_t most);

/* --- expression_value.c: values of attributes as OpenNebula reads them --- */

/* The whole number, or number, that text begins with (blanks before it are passed over). */
bool value_integer(const char *text, int64_t *integer);
bool value_number(const char *text, double *number);

/* The name under which an attribute is found: paths such as "TEMPLATE/RACK" or
 * "/HOST/TEMPLATE/RACK" are known by their last part. */
const char *value_name(const char *name);

/* "CURRENT_VMS": the ids of a host's VMs; = asks whether one of them is equal. */
#define ATTRIBUTE_VMS "CURRENT_VMS"

/* Compare one number or text. The test is not CONTAINS (which is EQUAL for one of several). */
bool compare_integers(enum comparison_test test, int64_t value, int64_t literal);
bool compare_numbers(enum comparison_test test, double value, double literal);
bool compare_texts(const struct comparison *comparison, const char *value);

/* The id that a comparison of CURRENT_VMS names; false: it names none. */
bool comparison_vm(const struct comparison *comparison, int64_t *id);

/* The result of a comparison of CURRENT_VMS on a host with, or without, that VM. */
bool comparison_of_vms(const struct comparison *comparison, bool present);
