/* Decodes the answer of a call. */
#include "adapters/opennebula/rpc_answer.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/xml_bytes.h"
#include "adapters/opennebula/xml_read.h"
#include "util/memory.h"
#include "util/words.h"

enum {
    DEPTH_MAX = 32,
    LARGE = 16 * 1024, /* least size of a text for decode_large() */
    ITEMS = 3,         /* of the array: success, value or text, code; more follow */
    /* xmlrpc-c's fault codes, sent by oned: the XML-RPC standard has none. */
    FAULT_INTERNAL = -500,
    FAULT_NETWORK = -504,
    FAULT_TIMEOUT = -505,
    FAULT_LAST = -510,
};

enum kind { KIND_ABSENT, KIND_NUMBER, KIND_TEXT, KIND_OTHER };

struct scalar {
    enum kind kind;
    int64_t number;
    char *text;
    size_t length;
};

/* The state of reading an answer. */
struct body {
    const char *path[DEPTH_MAX]; /* element names; constants of this file, NULL for others */
    size_t depth;

    char *text; /* of the innermost value or name */
    size_t length, allocated;
    enum kind kind; /* of the innermost value, if known */
    bool typed;     /* the value's own element has ended: blanks may follow */

    struct scalar items[ITEMS];
    size_t n_items;
    bool is_array, is_fault;
    bool code_follows, text_follows; /* the last member name */
    struct scalar fault_code, fault_text;
};

static const char method_response[] = "methodResponse", params[] = "params", param[] = "param",
                  value[] = "value", array[] = "array", data[] = "data", fault[] = "fault",
                  structure[] = "struct", member[] = "member", name_of_member[] = "name";

static const char *const array_path[] = {method_response, params, param, value, array, data, value};
static const char *const fault_path[] = {method_response, fault, value, structure, member, value};
static const char *const name_path[] = {method_response, fault,  value,
                                        structure,       member, name_of_member};

static const char *known(const char *name)
{
    static const char *const names[] = {method_response, params,        param, value,
                                        array,           data,          fault, structure,
                                        member,          name_of_member};

    int found = words_find(names, sizeof names / sizeof *names, name);

    return found < 0 ? NULL : names[found];
}

static enum kind kind_of(const char *name)
{
    static const char *const numbers[] = {"int", "i4", "i8", "boolean"};

    if (WORDS_HAVE(numbers, name))
        return KIND_NUMBER;
    return strcmp(name, "string") == 0 ? KIND_TEXT : KIND_OTHER;
}

#define AT(body, expected)                                                                         \
    ((body)->depth == sizeof(expected) / sizeof *(expected) &&                                     \
     memcmp((body)->path, expected, sizeof(expected)) == 0)

static bool on_start(void *context, const char *name)
{
    struct body *body = context;
    const char *element = known(name);

    if (body->depth == DEPTH_MAX)
        return false;
    /* Content directly in a value is text, unless typed otherwise. */
    body->kind = element == value ? KIND_TEXT : kind_of(name);
    body->typed = false;
    body->path[body->depth++] = element;
    body->length = 0;
    return true;
}

static void on_text(void *context, const char *text, size_t length)
{
    struct body *body = context;

    if (body->typed)
        return;
    if (body->length + length >= body->allocated)
        body->text = memory_grow(body->text, &body->allocated, body->length + length + 1, 1);
    memcpy(body->text + body->length, text, length);
    body->length += length;
}

static bool parse_number(const char *text, int64_t *number)
{
    char *end;
    long long parsed = strtoll(text, &end, 10);

    *number = parsed;
    return end != text && end[strspn(end, " \t\r\n")] == '\0';
}

/* Moves the text to the scalar, because it may have megabytes. */
static void take(struct body *body, struct scalar *scalar)
{
    free(scalar->text);
    *scalar = (struct scalar){.kind = body->kind, .text = body->text, .length = body->length};
    body->text = NULL;
    body->allocated = 0;
    if (scalar->kind == KIND_NUMBER && !parse_number(scalar->text, &scalar->number))
        scalar->kind = KIND_OTHER;
}

static void end_value(struct body *body)
{
    struct scalar ignored = {0};

    if (AT(body, array_path)) {
        body->is_array = true;
        take(body, body->n_items < ITEMS ? &body->items[body->n_items] : &ignored);
        body->n_items++;
    } else if (AT(body, fault_path)) {
        body->is_fault = true;
        take(body, body->code_follows   ? &body->fault_code
                   : body->text_follows ? &body->fault_text
                                        : &ignored);
    }
    free(ignored.text);
}

static void on_end(void *context)
{
    struct body *body = context;
    const char *element = body->path[body->depth - 1];

    body->text = memory_grow(body->text, &body->allocated, body->length + 1, 1);
    body->text[body->length] = '\0';
    if (AT(body, name_path)) {
        body->code_follows = strcmp(body->text, "faultCode") == 0;
        body->text_follows = strcmp(body->text, "faultString") == 0;
    } else if (element == value) {
        end_value(body);
        body->length = 0;
    }
    body->depth--;
    body->typed = body->depth > 0 && body->path[body->depth - 1] == value;
    if (body->typed && element)
        body->kind = KIND_OTHER; /* an array or a structure */
}

static void body_finish(struct body *body)
{
    for (size_t i = 0; i < ITEMS; i++)
        free(body->items[i].text);
    free(body->fault_code.text);
    free(body->fault_text.text);
    free(body->text);
}

__attribute__((format(printf, 3, 4))) static void
say(struct rpc_reply *answer, enum rpc_outcome outcome, const char *format, ...)
{
    va_list arguments;

    answer->outcome = outcome;
    memory_free(answer->message);
    va_start(arguments, format);
    answer->message = memory_vformat(format, arguments);
    va_end(arguments);
}

/* Faults that the server raises before it runs the method. */
static bool is_before_call(int64_t code)
{
    return code >= FAULT_LAST && code < FAULT_INTERNAL && code != FAULT_NETWORK &&
           code != FAULT_TIMEOUT;
}

static void judge_fault(struct rpc_reply *answer, const struct body *body)
{
    int64_t code = body->fault_code.kind == KIND_NUMBER ? body->fault_code.number : 0;
    bool nothing_done = is_before_call(code);

    say(answer, nothing_done ? RPC_FAULT : RPC_UNKNOWN, "fault %lld: %s", (long long)code,
        body->fault_text.text ? body->fault_text.text : "");
    answer->code = nothing_done ? code : 0;
}

static void judge_array(struct rpc_reply *answer, struct body *body)
{
    struct scalar *given = &body->items[1];
    const struct scalar *code = &body->items[2];

    if (body->items[0].number == 0) {
        say(answer, RPC_REFUSED, "%s",
            given->kind == KIND_TEXT && *given->text ? given->text : "refused without a reason");
        answer->code = code->kind == KIND_NUMBER ? code->number : 0;
        return;
    }
    answer->outcome = RPC_DONE;
    if (given->kind == KIND_NUMBER) {
        answer->number = given->number;
    } else if (given->kind == KIND_TEXT) {
        answer->text = given->text;
        answer->length = given->length;
        given->text = NULL;
    } else {
        say(answer, RPC_UNKNOWN,
            "the call succeeded, but its value is neither a string nor a number");
    }
}

static void judge(struct rpc_reply *answer, struct body *body)
{
    if (body->is_fault)
        judge_fault(answer, body);
    else if (!body->is_array || body->items[0].kind != KIND_NUMBER)
        say(answer, RPC_UNKNOWN, "unexpected answer: expected an array that starts with a boolean");
    else
        judge_array(answer, body);
}

/* false: not XML, possibly because of bytes that can be replaced. */
static bool decode(struct rpc_reply *answer, const char *bytes, size_t length)
{
    static const struct xml_visitor visitor = {on_start, on_end, on_text};
    char problem[XML_PROBLEM_MAX];
    struct body body = {0};
    enum xml_result result = xml_read(&visitor, &body, bytes, length, problem);

    if (result == XML_READ_BROKEN)
        say(answer, RPC_UNKNOWN, "the answer is not XML-RPC: %s", problem);
    else if (result == XML_READ_STOPPED)
        say(answer, RPC_UNKNOWN, "the answer is not XML-RPC: more than %d nested elements",
            DEPTH_MAX);
    else
        judge(answer, &body);
    body_finish(&body);
    return result != XML_READ_BROKEN;
}

/* The first large text between <string> and </string>; NULL: none. */
static const char *large_text(const char *bytes, size_t length, size_t *n)
{
    static const char begin[] = "<string>", end[] = "</string>";
    const char *last = bytes + length, *text = bytes, *close;

    while ((text = memmem(text, (size_t)(last - text), begin, sizeof begin - 1))) {
        text += sizeof begin - 1;
        close = memchr(text, '<', (size_t)(last - text));
        if (!close)
            return NULL;
        *n = (size_t)(close - text);
        if (*n >= LARGE && (size_t)(last - close) >= sizeof end - 1 &&
            memcmp(close, end, sizeof end - 1) == 0)
            return text;
        text = close;
    }
    return NULL;
}

/* Documents are megabytes of escaped markup, which a parser would decode reference by reference:
 * the parser gets the answer without that text. False: the whole answer needs the parser. */
static bool decode_large(struct rpc_reply *answer, const char *bytes, size_t length)
{
    size_t n = 0, decoded;
    const char *text = length > LARGE ? large_text(bytes, length, &n) : NULL;
    char *whole = text ? xml_text_decoded(text, n, &decoded) : NULL;
    size_t before, after;
    char *rest;

    if (!whole)
        return false;
    before = (size_t)(text - bytes);
    after = length - before - n;
    rest = memory_new(before + after, 1);
    memcpy(rest, bytes, before);
    memcpy(rest + before, text + n, after);
    decode(answer, rest, before + after);
    free(rest);
    if (answer->outcome == RPC_DONE && answer->text && answer->length == 0) {
        memory_free(answer->text);
        answer->text = whole;
        answer->length = decoded;
        return true;
    }
    free(whole);
    rpc_answer_finish(answer);
    return false;
}

void rpc_answer_decode(struct rpc_reply *answer, const char *body, size_t length)
{
    char *mended;

    *answer = (struct rpc_reply){.outcome = RPC_UNKNOWN};
    if (length > INT_MAX) {
        say(answer, RPC_UNKNOWN, "the answer is too large: %zu bytes", length);
        return;
    }
    if (decode_large(answer, body, length) || decode(answer, body, length))
        return;
    mended = xml_bytes_mended(body, length);
    if (mended) {
        rpc_answer_finish(answer);
        decode(answer, mended, length);
        free(mended);
    }
}

void rpc_answer_finish(struct rpc_reply *answer)
{
    memory_free(answer->text);
    memory_free(answer->message);
    *answer = (struct rpc_reply){.outcome = RPC_UNKNOWN};
}
