/* expression.h: parsed requirements and ranks; internal to this folder.
 *
 * The language is OpenNebula's (src/parsers of its source; see doc/differences-from-opennebula.md
 * for Galerna's differences):
 *
 *   requirement: [term {("&" | "|") term}]            one precedence, left to right
 *   term:        "!" term | "(" requirement ")" | name test
 *   test:        ("=" | "!=" | ">" | "<" | "@>") number | ("=" | "!=" | "@>") text
 *   rank:        [sum]   with + - * / and parentheses, usual precedence, "-" before a factor
 *   name, text:  a letter and letters, digits, "_"; or anything between two " or two '
 *   number:      -?digits or -?digits.digits
 *
 * A text is a pattern like those of fnmatch() in the C library. A parsed expression is a program
 * for a stack machine, with operands first.
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
    EXPRESSION_PATTERNS_MAX = 64, /* texts with wildcards, which are costly */
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
    const char *text;        /* "": neither equal nor unequal to any value */
    struct pattern *pattern; /* of a text with wildcards, or NULL */
    size_t from, to;         /* its bytes in the expression's text */
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
    size_t comparison; /* COMPARE: its index */
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
    bool negative_numbers; /* "-5" is a number, as in requirements; otherwise "-" and 5 */
};

/* Reads the token at lexer->at. -1: an unexpected character (err: its column), or an unterminated
 * text. */
int lexer_next(struct lexer *lexer, struct token *token, struct error *err);

/* --- expression_pattern.c --- */
bool pattern_has_wildcards(const char *text);
struct pattern *pattern_create(const char *text);
void pattern_destroy(struct pattern *pattern);
/* Takes at most time proportional to (length of text)^2 for any pattern. */
bool pattern_matches(const struct pattern *pattern, const char *text);

/* --- expression_parts.c --- */

/* One of the parts of a requirement joined by & outside of parentheses, which must all be true. */
struct expression_part {
    size_t first, n; /* instructions */
    size_t from, to; /* bytes of its comparisons in the text */
    bool negated;    /* preceded by ! */
    bool changes;    /* has figures that change continually */
};

/* Splits an expression into parts, in reverse order of the text; parts from the most-th on are one.
 * O(instructions x parts). */
size_t expression_parts(const struct expression *expression, struct expression_part *parts,
                        size_t most);

/* --- expression_value.c: values of attributes as OpenNebula reads them --- */

/* The whole number, or number, at the beginning of a text, after optional blanks. */
bool value_integer(const char *text, int64_t *integer);
bool value_number(const char *text, double *number);

/* The name for looking up an attribute: the last part of paths such as "TEMPLATE/RACK" or
 * "/HOST/TEMPLATE/RACK". */
const char *value_name(const char *name);

/* The ids of a host's VMs; = is true if one of them is equal. */
#define ATTRIBUTE_VMS "CURRENT_VMS"

/* Compare one number or text. The test must not be CONTAINS (callers use EQUAL for each value). */
bool compare_integers(enum comparison_test test, int64_t value, int64_t literal);
bool compare_numbers(enum comparison_test test, double value, double literal);
bool compare_texts(const struct comparison *comparison, const char *value);

/* The id in a comparison of CURRENT_VMS; false: none. */
bool comparison_vm(const struct comparison *comparison, int64_t *id);

/* The result of a comparison of CURRENT_VMS on a host with, or without, that VM. */
bool comparison_of_vms(const struct comparison *comparison, bool present);
