/* What the tests of plugin/ share. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void keep_line(void *context, enum policy_log_level level, const char *text)
{
    struct bench *bench = context;

    assert_true(bench->n_lines < LOG_LINES_MAX);
    bench->levels[bench->n_lines] = level;
    snprintf(bench->lines[bench->n_lines++], sizeof *bench->lines, "%s", text);
}

void bench_init(struct bench *bench)
{
    static const char *const directories[] = {MODULES, POLICIES};

    memset(bench, 0, sizeof *bench);
    policy_host_settings_init(&bench->settings);
    bench->settings.directories = directories;
    bench->settings.n_directories = 2;
    bench->settings.options = bench->options;
    bench->settings.log = keep_line;
    bench->settings.log_context = bench;
}

void bench_option(struct bench *bench, const char *module, const char *key, const char *value)
{
    assert_true(bench->settings.n_options < 8);
    bench->options[bench->settings.n_options++] = (struct policy_option){
        .module = module,
        .key = key,
        .value = value,
        .file = "site.conf",
        .line = (int)(10 + bench->settings.n_options),
    };
}

void bench_start(struct bench *bench)
{
    bench->host = policy_host_create(&bench->settings, &bench->err);
    if (!bench->host)
        fail_msg("policy_host_create: %s", bench->err.text);
    bench->hooks = policy_host_hooks(bench->host);
}

void bench_refused(struct bench *bench, int code, const char *part)
{
    assert_null(policy_host_create(&bench->settings, &bench->err));
    assert_has(bench->err.text, part);
    assert_int_equal(bench->err.code, code);
}

void bench_stop(struct bench *bench)
{
    policy_host_destroy(bench->host);
    bench->host = NULL;
}

size_t bench_logged(const struct bench *bench, const char *part)
{
    size_t n = 0;

    for (size_t i = 0; i < bench->n_lines; i++)
        n += strstr(bench->lines[i], part) != NULL;
    return n;
}

void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in '%s'", part, text);
}

struct lease test_lease(int64_t id, enum lease_kind kind)
{
    static const struct node_set one = {.count = 1, .amounts = {{100, 1024}}};

    return (struct lease){
        .request = {.id = id,
                    .kind = kind,
                    .start = INSTANT_NONE,
                    .deadline = INSTANT_NONE,
                    .duration = 3600,
                    .preemptible = true,
                    .terms = TERMS_SUSPENDABLE,
                    .user = -1,
                    .node_sets = &one,
                    .n_node_sets = 1},
        .n_vms = 1,
    };
}

void test_site(struct site *site, size_t n)
{
    const struct amounts capacity = {{400, 4096, 100000, 1000, 1000}};

    site_init(site);
    assert_int_equal(site_add_hosts(site, n, &capacity, NULL), 0);
}

void copy_file(const char *from, const char *to, unsigned mode)
{
    char buffer[65536];
    int in = open(from, O_RDONLY), out;
    ssize_t n;

    assert_true(in >= 0);
    assert_true(unlink(to) == 0 || errno == ENOENT);
    out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0700);
    assert_true(out >= 0);
    while ((n = read(in, buffer, sizeof buffer)) > 0)
        assert_int_equal(write(out, buffer, (size_t)n), n);
    assert_int_equal(n, 0);
    assert_int_equal(fchmod(out, mode), 0);
    assert_int_equal(close(out), 0);
    assert_int_equal(close(in), 0);
}
