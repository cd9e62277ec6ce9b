/* Answers of real daemons, asked for again: data/script prepares the same world and names the
 * recordings in the order in which they were made. Bytes must be the same but for times, UUIDs,
 * digests, request numbers and what machines use. */
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <xmlrpc-c/base.h>

#include "sandbox/text.h"
#include "test/sandbox/fixture.h"
#include "util/memory.h"

enum {
    WORDS_MAX = 12,
    RECORDING_BEGIN = 1795197000, /* a time of day that the scripts name is soon after */
};

static char *read_file(const char *path, size_t *size)
{
    struct oned_text text = {0};
    FILE *file = fopen(path, "rb");
    char piece[4096];
    size_t read;

    if (!file)
        fail_msg("%s cannot be read", path);
    oned_text_put(&text, "");
    while ((read = fread(piece, 1, sizeof piece, file)) > 0)
        oned_text_add(&text, piece, read);
    fclose(file);
    *size = text.size;
    return text.bytes;
}

/* Replace all matches of a pattern; what its first group holds, if any, is kept in front. */
static char *replace(char *text, const char *pattern, const char *by)
{
    struct oned_text out = {0};
    const char *at = text;
    regmatch_t match[2];
    regex_t regex;

    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED), 0);
    oned_text_put(&out, "");
    while (regexec(&regex, at, 2, match, at == text ? 0 : REG_NOTBOL) == 0 && match[0].rm_eo > 0) {
        oned_text_add(&out, at, (size_t)match[0].rm_so);
        if (match[1].rm_so >= 0)
            oned_text_add(&out, at + match[1].rm_so, (size_t)(match[1].rm_eo - match[1].rm_so));
        oned_text_put(&out, by);
        at += match[0].rm_eo;
    }
    oned_text_put(&out, at);
    regfree(&regex);
    free(text);
    return out.bytes;
}

/* Take out an element <name><ID>id</ID>...</name>: what the stand-in has not. */
static void remove_object(char *text, const char *name, int id)
{
    char begin[64], end[64], *from, *to;

    snprintf(begin, sizeof begin, "<%s><ID>%d</ID>", name, id);
    snprintf(end, sizeof end, "</%s>", name);
    while ((from = strstr(text, begin)) && (to = strstr(from, end))) {
        to += strlen(end);
        memmove(from, to, strlen(to) + 1);
    }
}

static char *normalize(char *text)
{
    static const char *const rules[][2] = {
        {"&lt;", "<"},
        {"&gt;", ">"},
        {"&quot;", "\""},
        {"&amp;", "&"},
        {"[0-9a-f]{64}", "DIGEST"},
        {"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"},
        {"([^0-9])179[0-9]{7}", "TIME"},
        {"(localhost:)2[67]33", "PORT"},
        {"(<IMAGES>)<ID>0</ID>", ""},
        {"(<REQUEST_ID>)[0-9]+", "NUMBER"},
        {"(<(FREE|USED)_(CPU|MEMORY)><!.CDATA.)[0-9]+", "NUMBER"},
        {"(<NET(RX|TX)><!.CDATA.)[0-9]+", "NUMBER"},
        {"(<ERROR><!.CDATA.)[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9 ]{2} [0-9:]{8} [0-9]{4}", "DATE"},
    };
    static const int vms[] = {10}; /* disks and networks */

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        text = replace(text, rules[i][0], rules[i][1]);
    if (!strstr(text, "_POOL>"))
        return text;
    for (size_t i = 0; i < sizeof vms / sizeof *vms; i++)
        remove_object(text, "VM", vms[i]);
    return text;
}

static void explain(const char *name, const char *recorded, const char *answered)
{
    size_t at = 0;

    while (recorded[at] && recorded[at] == answered[at])
        at++;
    at = at > 60 ? at - 60 : 0;
    print_error("%s differs:\n  recorded ...%.200s\n  answered ...%.200s\n", name, recorded + at,
                answered + at);
}

static bool play(struct oned *oned, const char *folder, const char *name)
{
    char path[512], *request, *recorded, *answered;
    size_t size = 0;
    bool same;

    snprintf(path, sizeof path, "%s/%s.req.xml", folder, name);
    request = read_file(path, &size);
    answered = oned_call(oned, request, size, &size);
    answered = memory_grow(answered, &(size_t){size}, size + 1, 1);
    answered[size] = '\0';
    snprintf(path, sizeof path, "%s/%s.rpc.xml", folder, name);
    recorded = normalize(read_file(path, &size));
    answered = normalize(answered);
    same = !strcmp(recorded, answered);
    if (!same)
        explain(name, recorded, answered);
    free(request);
    free(recorded);
    free(answered);
    return same;
}

/* Words with '"' around them are texts, in which \n is a new line; others are numbers, or
 * true and false. */
static int split(char *line, char **words)
{
    int count = 0;

    for (char *at = line; *at;) {
        while (*at == ' ')
            *at++ = '\0';
        if (!*at)
            break;
        assert_true(count < WORDS_MAX);
        words[count++] = at;
        if (*at == '"') {
            for (at++; *at && *at != '"'; at++)
                if (at[0] == '\\' && at[1] == 'n') {
                    at[0] = '\n';
                    memmove(at + 1, at + 2, strlen(at + 2) + 1);
                } else if (at[0] == '\\' && at[1] == '"') {
                    memmove(at, at + 1, strlen(at));
                }
            if (*at)
                *at++ = '\0';
        }
        while (*at && *at != ' ')
            at++;
    }
    return count;
}

static void add_argument(xmlrpc_env *env, xmlrpc_value *arguments, const char *word)
{
    xmlrpc_value *value;

    if (*word == '"')
        value = xmlrpc_string_new(env, word + 1);
    else if (!strcmp(word, "true") || !strcmp(word, "false"))
        value = xmlrpc_bool_new(env, *word == 't');
    else
        value = xmlrpc_int_new(env, atoi(word));
    xmlrpc_array_append_item(env, arguments, value);
    xmlrpc_DECREF(value);
}

static void send_line(struct oned *oned, char **words, int count)
{
    xmlrpc_mem_block *request;
    xmlrpc_value *arguments;
    xmlrpc_env env;
    size_t size;
    char *answer;

    xmlrpc_env_init(&env);
    arguments = xmlrpc_array_new(&env);
    for (int i = 2; i < count; i++)
        add_argument(&env, arguments, words[i]);
    request = XMLRPC_MEMBLOCK_NEW(char, &env, 0);
    xmlrpc_serialize_call(&env, request, words[1], arguments);
    assert_false(env.fault_occurred);
    answer = oned_call(oned, XMLRPC_MEMBLOCK_CONTENTS(char, request),
                       XMLRPC_MEMBLOCK_SIZE(char, request), &size);
    if (!memmem(answer, size, "<boolean>1", 10))
        fail_msg("%s: %.*s", words[1], (int)size, answer);
    free(answer);
    XMLRPC_MEMBLOCK_FREE(char, request);
    xmlrpc_DECREF(arguments);
    xmlrpc_env_clean(&env);
}

static bool is_for(const char *word, enum oned_version version)
{
    return strcmp(word, version == ONED_6_10 ? "only-7.4" : "only-6.10") != 0;
}

/* Returns whether the recording, if the line is one, passes. */
static bool run_line(struct oned *oned, char *line, const char *folder, enum oned_version version,
                     int *played)
{
    char *words[WORDS_MAX + 1] = {0};
    int count = *line == '#' ? 0 : split(line, words), first = 0;

    if (count == 0)
        return true;
    if (!strncmp(words[0], "only-", 5)) {
        if (!is_for(words[0], version))
            return true;
        first = 1;
    }
    if (!strcmp(words[first], "send")) {
        send_line(oned, words + first, count - first);
        return true;
    }
    if (!strcmp(words[first], "wait")) {
        fixture_pass(oned, first + 1 < count ? atoi(words[first + 1]) : 1);
        return true;
    }
    assert_string_equal(words[first], "play");
    ++*played;
    return play(oned, folder, words[first + 1]);
}

static void play_all(enum oned_version version, const char *folder)
{
    struct oned_options options = fixture_options(version, 0);
    struct oned *oned;
    int played = 0, different = 0;
    size_t size = 0;
    char *script = read_file(ONED_TEST_DATA "/script", &size), *rest = script, *line;

    options.clock_offset = RECORDING_BEGIN - time(NULL);
    oned = oned_create(&options, NULL);
    assert_non_null(oned);
    while ((line = strsep(&rest, "\n")))
        if (!run_line(oned, line, folder, version, &played))
            different++;
    free(script);
    oned_destroy(oned);
    assert_true(played > 80);
    if (different > 0)
        fail_msg("%d of %d recordings differ", different, played);
}

static void recordings_of_6_10(void **state)
{
    play_all(ONED_6_10, ONED_TEST_DATA "/6.10");
}

static void recordings_of_7_4(void **state)
{
    play_all(ONED_7_4, ONED_TEST_DATA "/7.4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_of_6_10),
        cmocka_unit_test(recordings_of_7_4),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
