/* Every recording is read: calls that were refused as refused, every document without complaint. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/cloud/cloud.h"
#include "adapters/opennebula/pool.h"
#include "adapters/opennebula/rpc_answer.h"
#include "test/opennebula/recordings.h"

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* How many objects the document of this kind has; the test fails when it cannot be read. */
#define READ(kind, text, length)                                                                   \
    ({                                                                                             \
        struct kind##_pool pool;                                                                   \
        struct error err;                                                                          \
        size_t n;                                                                                  \
                                                                                                   \
        if (kind##_pool_parse(&pool, text, length, &err) < 0)                                      \
            fail_msg("%s", err.text);                                                              \
        if (pool.errors.n > 0)                                                                     \
            fail_msg("%s", pool.errors.first);                                                     \
        n = pool.n;                                                                                \
        kind##_pool_finish(&pool);                                                                 \
        n;                                                                                         \
    })

static size_t read_rules(const char *text, size_t length)
{
    struct error err;
    struct acl acl;
    size_t n;

    if (acl_parse(&acl, text, length, &err) < 0)
        fail_msg("%s", err.text);
    n = acl.n;
    acl_finish(&acl);
    return n;
}

static size_t read_raft(const char *text, size_t length)
{
    struct cloud_leadership leadership;
    struct error err;

    if (raft_status_parse(&leadership, text, length, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(leadership.leads);
    assert_string_equal(leadership.role, "solo");
    return 1;
}

/* How many times `begin` occurs: an element of the pool is counted by how it begins. */
static size_t count(const char *text, const char *begin)
{
    size_t n = 0;

    for (text = strstr(text, begin); text; text = strstr(text + 1, begin))
        n++;
    return n;
}

static bool check_document(const char *text, size_t length)
{
    if (begins(text, "<VM>") || begins(text, "<VM_POOL>"))
        assert_int_equal(READ(vm, text, length), count(text, "<VM><ID>"));
    else if (begins(text, "<HOST>") || begins(text, "<HOST_POOL>"))
        assert_int_equal(READ(host, text, length), count(text, "<HOST>"));
    else if (begins(text, "<DATASTORE>") || begins(text, "<DATASTORE_POOL>"))
        assert_int_equal(READ(datastore, text, length), count(text, "<BASE_PATH>"));
    else if (begins(text, "<CLUSTER>") || begins(text, "<CLUSTER_POOL>"))
        assert_int_equal(READ(cluster, text, length), count(text, "<CLUSTER><ID>"));
    else if (begins(text, "<USER>") || begins(text, "<USER_POOL>"))
        assert_int_equal(READ(user, text, length), count(text, "<USER>"));
    else if (begins(text, "<ACL_POOL>"))
        assert_int_equal(read_rules(text, length), count(text, "<ACL>"));
    else if (begins(text, "<RAFT>"))
        assert_int_equal(read_raft(text, length), 1);
    else
        return false;
    return true;
}

/* By their names these should have failed, but oned did as it was told; and the reverse. */
static enum rpc_outcome expected(const char *name)
{
    if (begins(name, "err.fault."))
        return RPC_FAULT;
    if (begins(name, "err.deploy.3args."))
        return RPC_DONE;
    if (begins(name, "err.") || strstr(name, ".noplan.") || strstr(name, "vmpool.info.search.") ||
        strstr(name, "vm.migrate.cold-save."))
        return RPC_REFUSED;
    return RPC_DONE;
}

static bool check_recording(const char *version, const char *name)
{
    struct rpc_reply answer;
    bool has_document = false;
    size_t length;
    char *body = recording(version, name, &length);

    rpc_answer_decode(&answer, body, length);
    if (answer.outcome != expected(name) && !strstr(name, "cluster.optimize"))
        fail_msg("%s/%s: outcome %d (%s)", version, name, (int)answer.outcome,
                 answer.message ? answer.message : "");
    if (answer.outcome == RPC_DONE && answer.text)
        has_document = check_document(answer.text, answer.length);
    if (answer.outcome == RPC_REFUSED)
        assert_true(answer.code >= RPC_CODE_AUTHENTICATION);
    rpc_answer_finish(&answer);
    free(body);
    return has_document;
}

static void all_recordings(void **state)
{
    const struct dirent *entry;
    size_t n_documents = 0;
    char path[512];
    DIR *folder;

    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", RECORDINGS, recorded_versions[i]);
        folder = opendir(path);
        assert_non_null(folder);
        while ((entry = readdir(folder)))
            if (strstr(entry->d_name, ".rpc.xml"))
                n_documents += check_recording(recorded_versions[i], entry->d_name);
        closedir(folder);
    }
    assert_true(n_documents > 100);
}

static void answers_of_commands(void **state)
{
    struct rpc_reply answer;
    size_t length;
    char *body;

    for (size_t i = 0; i < 2; i++) {
        body = recording(recorded_versions[i], "vm.deploy.ok.rpc.xml", &length);
        rpc_answer_decode(&answer, body, length);
        assert_int_equal(answer.outcome, RPC_DONE);
        assert_int_equal(answer.number, 13);
        assert_null(answer.text);
        rpc_answer_finish(&answer);
        free(body);
        body = recording(recorded_versions[i], "err.deploy.capacity-enforced.rpc.xml", &length);
        rpc_answer_decode(&answer, body, length);
        assert_int_equal(answer.outcome, RPC_REFUSED);
        assert_int_equal(answer.code, RPC_CODE_ACTION);
        assert_string_equal(answer.message, "[one.vm.deploy] virtual machine [11] does not fit in "
                                            "host [0]. Not enough CPU: 40000/1000");
        rpc_answer_finish(&answer);
        free(body);
    }
}

/* What arrives in pieces can be cut anywhere. */
static void cut_anywhere(void **state)
{
    struct rpc_reply answer;
    size_t length;
    char *body = recording("7.4", "vm.info.running.rpc.xml", &length), *part;

    for (size_t n = 0; n + 2 < length; n++) {
        part = malloc(n ? n : 1);
        memcpy(part, body, n);
        rpc_answer_decode(&answer, part, n);
        assert_int_equal(answer.outcome, RPC_UNKNOWN);
        assert_non_null(answer.message);
        rpc_answer_finish(&answer);
        free(part);
    }
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_recordings),
        cmocka_unit_test(answers_of_commands),
        cmocka_unit_test(cut_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
