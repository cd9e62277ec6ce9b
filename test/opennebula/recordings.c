/* Recorded answers of OpenNebula 6.10 and 7.4. */
#include "test/opennebula/recordings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "adapters/opennebula/rpc_answer.h"
#include "util/memory.h"

enum { FILE_MAX = 1 << 20 };

const char *const recorded_versions[2] = {"6.10", "7.4"};

char *recording(const char *version, const char *name, size_t *length)
{
    char path[512];
    FILE *file;
    char *text;

    snprintf(path, sizeof path, "%s/%s/%s", RECORDINGS, version, name);
    file = fopen(path, "rb");
    if (!file)
        fail_msg("%s: cannot be opened", path);
    text = memory_new(FILE_MAX + 1, 1);
    *length = fread(text, 1, FILE_MAX, file);
    assert_true(*length > 0 && *length < FILE_MAX);
    fclose(file);
    return text;
}

char *recorded_document(const char *version, const char *name, size_t *length)
{
    struct rpc_reply answer;
    char file[256], *body, *document;

    snprintf(file, sizeof file, "%s.rpc.xml", name);
    body = recording(version, file, length);
    rpc_answer_decode(&answer, body, *length);
    free(body);
    assert_int_equal(answer.outcome, RPC_DONE);
    assert_non_null(answer.text);
    /* A copy of its exact length: a reader that goes beyond the end is caught. */
    document = memory_copy(answer.text, answer.length);
    *length = answer.length;
    rpc_answer_finish(&answer);
    return document;
}
