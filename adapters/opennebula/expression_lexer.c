/* Splits an expression into tokens. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/expression.h"
#include "util/printable.h"

/* Unlike isdigit() and isalpha(), independent of the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static size_t column_of(const struct lexer *lexer, const char *at)
{
    return (size_t)(at - lexer->text) + 1;
}

static int read_quoted(struct lexer *lexer, struct token *token, struct error *err)
{
    const char quote = *lexer->at, *end = strchr(lexer->at + 1, quote);

    if (!end)
        return error_set(err, EINVAL, "column %zu: the string that starts here has no closing %s",
                         column_of(lexer, lexer->at), quote == '"' ? "double quote" : "quote");
    token->kind = TOKEN_QUOTED;
    token->text = lexer->at + 1;
    token->text_length = (size_t)(end - token->text);
    lexer->at = end + 1;
    return 0;
}

static void read_name(struct lexer *lexer, struct token *token)
{
    const char *at = lexer->at;

    while (is_letter(*at) || is_digit(*at) || *at == '_')
        at++;
    token->kind = TOKEN_NAME;
    token->text = lexer->at;
    token->text_length = (size_t)(at - lexer->at);
    lexer->at = at;
}

static void read_number(struct lexer *lexer, struct token *token)
{
    const char *at = lexer->at + (*lexer->at == '-');
    char *end;

    while (is_digit(*at))
        at++;
    token->kind = TOKEN_INTEGER;
    if (*at == '.' && is_digit(at[1])) {
        token->kind = TOKEN_NUMBER;
        while (is_digit(*++at))
            ;
    }
    token->integer = strtoll(lexer->at, &end, 10); /* saturates */
    token->number = strtod(lexer->at, &end);
    lexer->at = at;
}

int lexer_next(struct lexer *lexer, struct token *token, struct error *err)
{
    char shown[8];
    int result = 0;

    while (*lexer->at && strchr(" \t\r\n", *lexer->at))
        lexer->at++;
    *token = (struct token){.start = lexer->at};
    if (*lexer->at == '\0') {
        token->kind = TOKEN_END;
    } else if (*lexer->at == '"' || *lexer->at == '\'') {
        result = read_quoted(lexer, token, err);
    } else if (is_letter(*lexer->at)) {
        read_name(lexer, token);
    } else if (is_digit(*lexer->at) ||
               (lexer->negative_numbers && *lexer->at == '-' && is_digit(lexer->at[1]))) {
        read_number(lexer, token);
    } else if (strchr("@!&|=><()*+/^-", *lexer->at)) {
        token->kind = TOKEN_SIGN;
        token->sign = *lexer->at++;
    } else {
        result = error_set(err, EINVAL, "column %zu: unexpected character '%s'",
                           column_of(lexer, lexer->at),
                           printable_part(shown, sizeof shown, lexer->at, 1));
    }
    token->length = (size_t)(lexer->at - token->start);
    return result;
}
