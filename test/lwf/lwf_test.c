/* What the tests of traces share. */
#include "lwf_test.h"

#include <errno.h>
#include <unistd.h>

#include "lwf/source.h"

static const char name[] = "test.lwf";

static struct trace *open_quietly(const void *bytes, size_t size, const struct lwf_options *options,
                                  struct error *err)
{
    struct source *source = source_open_memory(name, bytes, size);

    assert_non_null(source);
    return lwf_open_source(source, options, err);
}

struct trace *open_bytes(const void *bytes, size_t size, const struct lwf_options *options)
{
    struct error err = {0};
    struct trace *trace = open_quietly(bytes, size, options, &err);

    if (!trace)
        fail_msg("%s", err.text);
    return trace;
}

struct trace *open_text(const char *text, const struct lwf_options *options)
{
    return open_bytes(text, strlen(text), options);
}

struct lease_request next_request(struct trace *trace)
{
    struct error err = {0};
    struct lease_request request;
    int more = trace_next(trace, &request, &err);

    if (more < 0)
        fail_msg("%s", err.text);
    assert_int_equal(more, 1);
    return request;
}

void expect_end(struct trace *trace)
{
    struct error err = {0};
    struct lease_request request;
    int more = trace_next(trace, &request, &err);

    if (more < 0)
        fail_msg("%s", err.text);
    assert_int_equal(more, 0);
    /* The end stays the end. */
    assert_int_equal(trace_next(trace, &request, &err), 0);
}

static void read_until_error(const void *bytes, size_t size, const struct lwf_options *options,
                             struct error *err)
{
    struct trace *trace = open_quietly(bytes, size, options, err);
    struct lease_request request;
    int more = trace ? 1 : -1;

    while (more > 0)
        more = trace_next(trace, &request, err);
    assert_int_equal(more, -1);
    assert_int_equal(err->code, EINVAL);
    trace_destroy(trace);
}

void expect_error(const char *text, const char *error, const struct lwf_options *options)
{
    struct error err = {0};
    char expected[ERROR_TEXT_MAX];

    read_until_error(text, strlen(text), options, &err);
    snprintf(expected, sizeof expected, "%s:%s", name, error);
    assert_string_equal(err.text, expected);
}

void expect_error_in_bytes(const void *bytes, size_t size, const char *error)
{
    struct error err = {0};

    read_until_error(bytes, size, NULL, &err);
    if (!strstr(err.text, error))
        fail_msg("\"%s\" is not in \"%s\"", error, err.text);
    assert_memory_equal(err.text, name, strlen(name));
}

void expect_same_request(const struct lease_request *left, const struct lease_request *right)
{
    assert_int_equal(left->id, right->id);
    assert_int_equal(left->kind, right->kind);
    assert_int_equal(left->submit, right->submit);
    assert_int_equal(left->start, right->start);
    assert_int_equal(left->deadline, right->deadline);
    assert_int_equal(left->duration, right->duration);
    assert_int_equal(left->duration_known, right->duration_known);
    assert_int_equal(left->preemptible, right->preemptible);
    assert_int_equal(left->terms, right->terms);
    assert_int_equal(left->origin, right->origin);
    assert_int_equal(left->priority, right->priority);
    assert_int_equal(left->user, right->user);
    assert_int_equal(left->n_node_sets, right->n_node_sets);
    for (size_t i = 0; i < left->n_node_sets; i++) {
        assert_int_equal(left->node_sets[i].count, right->node_sets[i].count);
        assert_memory_equal(&left->node_sets[i].amounts, &right->node_sets[i].amounts,
                            sizeof(struct amounts));
    }
    assert_int_equal(left->image != NULL, right->image != NULL);
    if (left->image) {
        assert_string_equal(left->image, right->image);
        assert_int_equal(left->image_size, right->image_size);
    }
}

void expect_same(struct trace *left, struct trace *right)
{
    struct error err = {0};
    struct lease_request a, b;
    int more;

    while ((more = trace_next(left, &a, &err)) > 0) {
        b = next_request(right);
        expect_same_request(&a, &b);
    }
    assert_int_equal(more, 0);
    expect_end(right);
    trace_destroy(left);
    trace_destroy(right);
}

struct lease_request simple_request(int64_t id, int64_t submit, int64_t duration)
{
    static const struct node_set set = {.count = 1, .amounts = {{100, 512}}};

    return (struct lease_request){
        .id = id,
        .kind = LEASE_BEST_EFFORT,
        .submit = submit,
        .start = INSTANT_NONE,
        .deadline = INSTANT_NONE,
        .duration_original = duration,
        .duration = duration,
        .duration_known = SPAN_NONE,
        .preemptible = true,
        .terms = TERMS_SUSPENDABLE,
        .user = -1,
        .node_sets = &set,
        .n_node_sets = 1,
    };
}

char *write_temporary(const char *content)
{
    const char *folder = getenv("TMPDIR");
    char *path;
    int descriptor;

    assert_true(asprintf(&path, "%s/galerna-lwf-XXXXXX", folder ? folder : P_tmpdir) > 0);
    descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, content, strlen(content)), strlen(content));
    close(descriptor);
    return path;
}

void remove_file(char *path)
{
    unlink(path);
    free(path);
}
