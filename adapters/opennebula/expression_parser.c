/* Parses an expression into a program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/expression.h"
#include "util/memory.h"
#include "util/printable.h"

struct parser {
    struct lexer lexer;
    struct token token; /* the next token */
    struct expression *expression;
    size_t nesting, stack, terms;
    struct error *err;
};

static int advance(struct parser *parser)
{
    return lexer_next(&parser->lexer, &parser->token, parser->err);
}

static bool at_sign(const struct parser *parser, char sign)
{
    return parser->token.kind == TOKEN_SIGN && parser->token.sign == sign;
}

/* Reports "column 7: 'AND' is not expected here, WHAT is". */
static int unexpected(const struct parser *parser, const char *expected)
{
    const struct token *token = &parser->token;
    size_t column = (size_t)(token->start - parser->lexer.text) + 1;
    char shown[32];

    if (token->kind == TOKEN_END)
        return error_set(parser->err, EINVAL, "column %zu: unexpected end, expected %s", column,
                         expected);
    return error_set(parser->err, EINVAL, "column %zu: unexpected '%s', expected %s", column,
                     printable_part(shown, sizeof shown, token->start, token->length), expected);
}

static int too_much(const struct parser *parser, const char *what, int most)
{
    return error_set(parser->err, E2BIG, "column %zu: more than %d %s",
                     (size_t)(parser->token.start - parser->lexer.text) + 1, most, what);
}

static struct instruction *emit(struct parser *parser, enum expression_operation operation)
{
    struct expression *expression = parser->expression;
    struct instruction *added;

    MEMORY_GROW(expression->code, expression->allocated, expression->n + 1);
    added = &expression->code[expression->n++];
    *added = (struct instruction){.operation = operation};
    return added;
}

/* Adds a value to the stack; NULL: too many. */
static struct instruction *emit_operand(struct parser *parser, enum expression_operation operation)
{
    if (++parser->terms > EXPRESSION_TERMS_MAX) {
        too_much(parser, "comparisons or values", EXPRESSION_TERMS_MAX);
        return NULL;
    }
    if (++parser->stack > parser->expression->depth)
        parser->expression->depth = parser->stack;
    return emit(parser, operation);
}

/* Replaces two values by one. */
static void emit_binary(struct parser *parser, enum expression_operation operation)
{
    emit(parser, operation);
    parser->stack--;
}

static const char *keep_text(struct parser *parser, const char *text, size_t length)
{
    struct expression *expression = parser->expression;
    char *kept = expression->texts + expression->texts_length;

    memcpy(kept, text, length);
    kept[length] = '\0';
    expression->texts_length += length + 1;
    return kept;
}

static int open_parenthesis(struct parser *parser)
{
    if (++parser->nesting > EXPRESSION_DEPTH_MAX)
        return too_much(parser, "parentheses within each other", EXPRESSION_DEPTH_MAX);
    return advance(parser);
}

static int close_parenthesis(struct parser *parser, const char *expected)
{
    if (!at_sign(parser, ')'))
        return unexpected(parser, expected);
    parser->nesting--;
    return advance(parser);
}

/* --- Requirements --- */

static int read_test(struct parser *parser, struct comparison *comparison)
{
    static const char expected[] = "one of = != > < @>";

    if (at_sign(parser, '=')) {
        comparison->test = TEST_EQUAL;
    } else if (at_sign(parser, '>')) {
        comparison->test = TEST_GREATER;
    } else if (at_sign(parser, '<')) {
        comparison->test = TEST_LESS;
    } else if (at_sign(parser, '!') || at_sign(parser, '@')) {
        char second = at_sign(parser, '!') ? '=' : '>';

        comparison->test = second == '=' ? TEST_UNEQUAL : TEST_CONTAINS;
        if (advance(parser) < 0)
            return -1;
        if (!at_sign(parser, second))
            return unexpected(parser, second == '=' ? "the = of !=" : "the > of @>");
    } else {
        return unexpected(parser, expected);
    }
    return advance(parser);
}

static int unexpected_literal(const struct parser *parser, const struct comparison *comparison)
{
    bool orders = comparison->test == TEST_GREATER || comparison->test == TEST_LESS;

    if (orders && at_sign(parser, '='))
        return unexpected(parser, "a number (there is no >= or <=; for whole numbers, "
                                  "NUM > 4 is the same as NUM >= 5)");
    if (comparison->test == TEST_EQUAL && at_sign(parser, '='))
        return unexpected(parser, "a number or a string (equality is a single =)");
    return unexpected(parser, orders ? "a number (> and < compare numbers, without quotes)"
                                     : "a number or a string");
}

static int read_literal(struct parser *parser, struct comparison *comparison)
{
    const struct token *token = &parser->token;
    bool orders = comparison->test == TEST_GREATER || comparison->test == TEST_LESS;

    comparison->integer = token->integer;
    comparison->number = token->number;
    comparison->to = (size_t)(token->start - parser->lexer.text) + token->length;
    if (token->kind == TOKEN_INTEGER) {
        comparison->kind = LITERAL_INTEGER;
    } else if (token->kind == TOKEN_NUMBER) {
        comparison->kind = LITERAL_NUMBER;
    } else if ((token->kind == TOKEN_NAME || token->kind == TOKEN_QUOTED) && !orders) {
        comparison->kind = LITERAL_TEXT;
        comparison->text = keep_text(parser, token->text, token->text_length);
        if (pattern_has_wildcards(comparison->text)) {
            if (++parser->expression->n_patterns > EXPRESSION_PATTERNS_MAX)
                return too_much(parser, "strings with wildcards", EXPRESSION_PATTERNS_MAX);
            comparison->pattern = pattern_create(comparison->text);
        }
    } else {
        return unexpected_literal(parser, comparison);
    }
    return advance(parser);
}

static int parse_comparison(struct parser *parser)
{
    struct expression *expression = parser->expression;
    struct instruction *instruction;
    struct comparison *comparison;

    if (parser->token.kind != TOKEN_NAME && parser->token.kind != TOKEN_QUOTED)
        return unexpected(parser, "the name of an attribute, ! or (");
    if (parser->token.text_length == 0)
        return unexpected(parser, "the name of an attribute");
    instruction = emit_operand(parser, OPERATION_COMPARE);
    if (!instruction)
        return -1;
    instruction->comparison = expression->n_comparisons;
    MEMORY_GROW(expression->comparisons, expression->comparisons_allocated,
                expression->n_comparisons + 1);
    comparison = &expression->comparisons[expression->n_comparisons++];
    *comparison = (struct comparison){
        .name = value_name(keep_text(parser, parser->token.text, parser->token.text_length)),
        .from = (size_t)(parser->token.start - parser->lexer.text)};
    if (advance(parser) < 0 || read_test(parser, comparison) < 0)
        return -1;
    return read_literal(parser, comparison);
}

static int parse_requirement(struct parser *parser);

static int parse_term(struct parser *parser)
{
    bool negated = false;
    int result;

    while (at_sign(parser, '!')) {
        negated = !negated;
        if (advance(parser) < 0)
            return -1;
    }
    if (!at_sign(parser, '('))
        result = parse_comparison(parser);
    else if (open_parenthesis(parser) < 0 || parse_requirement(parser) < 0)
        return -1;
    else
        result = close_parenthesis(parser, "& or | or )");
    if (result == 0 && negated)
        emit(parser, OPERATION_NOT);
    return result;
}

static int parse_requirement(struct parser *parser)
{
    if (parse_term(parser) < 0)
        return -1;
    while (at_sign(parser, '&') || at_sign(parser, '|')) {
        enum expression_operation operation = at_sign(parser, '&') ? OPERATION_AND : OPERATION_OR;
        char sign = parser->token.sign;

        if (advance(parser) < 0)
            return -1;
        if (at_sign(parser, sign))
            return unexpected(parser, "the name of an attribute, ! or ( (it is a single & or |)");
        if (parse_term(parser) < 0)
            return -1;
        emit_binary(parser, operation);
    }
    return 0;
}

/* --- Ranks --- */

static int parse_sum(struct parser *parser);

static int parse_value(struct parser *parser)
{
    const struct token *token = &parser->token;
    struct instruction *instruction;

    if (token->kind == TOKEN_INTEGER || token->kind == TOKEN_NUMBER) {
        instruction = emit_operand(parser, OPERATION_NUMBER);
        if (!instruction)
            return -1;
        instruction->number = token->number;
    } else if ((token->kind == TOKEN_NAME || token->kind == TOKEN_QUOTED) && token->text_length) {
        instruction = emit_operand(parser, OPERATION_ATTRIBUTE);
        if (!instruction)
            return -1;
        instruction->name = value_name(keep_text(parser, token->text, token->text_length));
    } else {
        return unexpected(parser, "a number, the name of an attribute, - or (");
    }
    return advance(parser);
}

static int parse_factor(struct parser *parser)
{
    bool negated = false;
    int result;

    while (at_sign(parser, '-')) {
        negated = !negated;
        if (advance(parser) < 0)
            return -1;
    }
    if (!at_sign(parser, '('))
        result = parse_value(parser);
    else if (open_parenthesis(parser) < 0 || parse_sum(parser) < 0)
        return -1;
    else
        result = close_parenthesis(parser, "one of + - * / )");
    if (result == 0 && negated)
        emit(parser, OPERATION_NEGATE);
    return result;
}

static int parse_product(struct parser *parser)
{
    if (parse_factor(parser) < 0)
        return -1;
    while (at_sign(parser, '*') || at_sign(parser, '/')) {
        enum expression_operation operation =
            at_sign(parser, '*') ? OPERATION_MULTIPLY : OPERATION_DIVIDE;

        if (advance(parser) < 0 || parse_factor(parser) < 0)
            return -1;
        emit_binary(parser, operation);
    }
    return 0;
}

static int parse_sum(struct parser *parser)
{
    if (parse_product(parser) < 0)
        return -1;
    while (at_sign(parser, '+') || at_sign(parser, '-')) {
        enum expression_operation operation =
            at_sign(parser, '+') ? OPERATION_ADD : OPERATION_SUBTRACT;

        if (advance(parser) < 0 || parse_product(parser) < 0)
            return -1;
        emit_binary(parser, operation);
    }
    return 0;
}

/* --- Whole expressions --- */

static int parse_whole(struct parser *parser)
{
    bool is_rank = parser->expression->is_rank;

    if (advance(parser) < 0)
        return -1;
    if (parser->token.kind == TOKEN_END)
        return 0;
    if ((is_rank ? parse_sum(parser) : parse_requirement(parser)) < 0)
        return -1;
    if (parser->token.kind != TOKEN_END)
        return unexpected(parser, is_rank ? "one of + - * / or the end" : "& or | or the end");
    return 0;
}

static struct expression *parse(const char *text, bool is_rank, struct error *err)
{
    size_t length = strnlen(text, EXPRESSION_TEXT_MAX + 1);
    struct expression *expression;
    struct parser parser = {.lexer = {text, text, !is_rank}, .err = err};

    if (length > EXPRESSION_TEXT_MAX)
        return error_null(err, E2BIG, "it is longer than %d bytes", EXPRESSION_TEXT_MAX);
    expression = memory_new(1, sizeof *expression);
    expression->is_rank = is_rank;
    /* Each name or text is shorter than its notation, except for the NUL of an unquoted one, which
     * is followed by an operator, a blank or the end. */
    expression->texts = memory_new(length + 2, 1);
    parser.expression = expression;
    if (parse_whole(&parser) == 0)
        return expression;
    expression_destroy(expression);
    return NULL;
}

struct expression *expression_parse_requirement(const char *text, struct error *err)
{
    return parse(text, false, err);
}

struct expression *expression_parse_rank(const char *text, struct error *err)
{
    return parse(text, true, err);
}

void expression_destroy(struct expression *expression)
{
    if (!expression)
        return;
    for (size_t i = 0; i < expression->n_comparisons; i++)
        pattern_destroy(expression->comparisons[i].pattern);
    free(expression->comparisons);
    free(expression->code);
    free(expression->texts);
    free(expression);
}
