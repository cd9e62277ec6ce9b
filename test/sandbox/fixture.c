/* A stand-in daemon for tests, called in-process. */
#include "test/sandbox/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xmlrpc-c/base.h>

#include "test/sandbox/options.h"

struct oned_options fixture_options(enum oned_version version, int hosts)
{
    struct oned_options options;

    oned_options_init(&options);
    options.version = version;
    options.hosts = hosts;
    options.clock_rate = 0;
    options.seed = 42;
    return options;
}

struct oned *fixture_create(enum oned_version version, int hosts)
{
    struct oned_options options = fixture_options(version, hosts);
    struct error err = {0};
    struct oned *oned = oned_create(&options, &err);

    if (!oned)
        fail_msg("%s", err.text);
    return oned;
}

static void take_string(xmlrpc_env *env, xmlrpc_value *value, struct answer *answer)
{
    const char *text = NULL;
    char *owned;

    xmlrpc_read_string(env, value, &text);
    assert_false(env->fault_occurred);
    snprintf(answer->text, sizeof answer->text, "%s", text);
    memcpy(&owned, &text, sizeof owned);
    free(owned);
}

static int64_t take_number(xmlrpc_env *env, xmlrpc_value *array, unsigned index)
{
    xmlrpc_value *item;
    xmlrpc_int64 wide = 0;
    int number = 0;

    xmlrpc_array_read_item(env, array, index, &item);
    assert_false(env->fault_occurred);
    if (xmlrpc_value_type(item) == XMLRPC_TYPE_I8)
        xmlrpc_read_i8(env, item, &wide);
    else
        xmlrpc_read_int(env, item, &number);
    assert_false(env->fault_occurred);
    xmlrpc_DECREF(item);
    return wide ? wide : number;
}

/* An array of 3 or 5, as real daemons answer. */
static void take_array(xmlrpc_env *env, xmlrpc_value *array, struct answer *answer)
{
    xmlrpc_value *item;
    xmlrpc_bool ok;
    int size = xmlrpc_array_size(env, array);

    xmlrpc_array_read_item(env, array, 0, &item);
    xmlrpc_read_bool(env, item, &ok);
    xmlrpc_DECREF(item);
    answer->ok = ok != 0;
    assert_int_equal(size, ok ? 3 : 5);
    xmlrpc_array_read_item(env, array, 1, &item);
    if (xmlrpc_value_type(item) == XMLRPC_TYPE_STRING)
        take_string(env, item, answer);
    else
        answer->number = take_number(env, array, 1);
    xmlrpc_DECREF(item);
    answer->code = (int)take_number(env, array, 2);
    if (!ok)
        answer->object = take_number(env, array, 3);
}

static void parse_answer(const char *text, size_t size, struct answer *answer)
{
    const char *fault;
    xmlrpc_value *value;
    xmlrpc_env env;
    char *owned;
    int code;

    xmlrpc_env_init(&env);
    xmlrpc_parse_response2(&env, text, size, &value, &code, &fault);
    assert_false(env.fault_occurred);
    answer->fault = code;
    if (fault) {
        snprintf(answer->text, sizeof answer->text, "%s", fault);
        memcpy(&owned, &fault, sizeof owned);
        free(owned);
    } else {
        take_array(&env, value, answer);
        xmlrpc_DECREF(value);
    }
    xmlrpc_env_clean(&env);
}

static const struct answer *call(struct oned *oned, const char *method, const char *format,
                                 va_list args)
{
    static struct answer answer;
    const char *tail;
    xmlrpc_mem_block *request;
    xmlrpc_value *arguments;
    xmlrpc_env env;
    size_t size;
    char *text;

    xmlrpc_env_init(&env);
    xmlrpc_build_value_va(&env, format, args, &arguments, &tail);
    assert_false(env.fault_occurred);
    request = XMLRPC_MEMBLOCK_NEW(char, &env, 0);
    xmlrpc_serialize_call(&env, request, method, arguments);
    assert_false(env.fault_occurred);
    text = oned_call(oned, XMLRPC_MEMBLOCK_CONTENTS(char, request),
                     XMLRPC_MEMBLOCK_SIZE(char, request), &size);
    answer.number = answer.object = 0;
    answer.text[0] = '\0';
    answer.ok = false;
    parse_answer(text, size, &answer);
    free(text);
    XMLRPC_MEMBLOCK_FREE(char, request);
    xmlrpc_DECREF(arguments);
    xmlrpc_env_clean(&env);
    return &answer;
}

const struct answer *fixture_call(struct oned *oned, const char *method, const char *format, ...)
{
    const struct answer *answer;
    va_list args;

    va_start(args, format);
    answer = call(oned, method, format, args);
    va_end(args);
    return answer;
}

int64_t fixture_do(struct oned *oned, const char *method, const char *format, ...)
{
    const struct answer *answer;
    va_list args;

    va_start(args, format);
    answer = call(oned, method, format, args);
    va_end(args);
    if (!answer->ok)
        fail_msg("%s: %s", method, answer->text);
    return answer->number;
}

void fixture_pass(struct oned *oned, int seconds)
{
    fixture_do(oned, "sandbox.clock", "(sdi)", ADMIN, -1.0, (xmlrpc_int32)seconds);
}

int fixture_vm(struct oned *oned, double cpu, int memory)
{
    char template[120];

    snprintf(template, sizeof template, "CPU=%g\nMEMORY=%d", cpu, memory);
    return (int)fixture_do(oned, "one.vm.allocate", "(ssb)", ADMIN, template, (xmlrpc_bool)0);
}

int fixture_running(struct oned *oned, int host)
{
    int vm = fixture_vm(oned, 1, 1024);

    fixture_do(oned, "one.vm.deploy", "(siibis)", ADMIN, vm, host, (xmlrpc_bool)1, -1, "");
    fixture_pass(oned, 1);
    fixture_assert_state(oned, vm, 3, 3);
    return vm;
}

static const char *find_element(const char *document, const char *element)
{
    char tag[64];
    const char *found;

    snprintf(tag, sizeof tag, "<%s>", element);
    found = strstr(document, tag);
    return found ? found + strlen(tag) : NULL;
}

int64_t fixture_first(const char *document, const char *element)
{
    const char *found = find_element(document, element);

    if (!found) {
        fail_msg("no %s in %.200s", element, document);
        return -1;
    }
    if (!strncmp(found, "<![CDATA[", 9))
        found += 9;
    return strtoll(found, NULL, 10);
}

int64_t fixture_last(const char *document, const char *element)
{
    const char *found = NULL;

    for (const char *next = document; (next = find_element(next, element));)
        found = next;
    if (!found) {
        fail_msg("no %s in %.200s", element, document);
        return -1;
    }
    return strtoll(found, NULL, 10);
}

void fixture_assert_state(struct oned *oned, int vm, int state, int lcm)
{
    const struct answer *answer = fixture_call(oned, "one.vm.info", "(si)", ADMIN, vm);

    assert_true(answer->ok);
    assert_int_equal(fixture_first(answer->text, "STATE"), state);
    assert_int_equal(fixture_first(answer->text, "LCM_STATE"), lcm);
}
