/* Files that appear complete or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/new_file.h"
#include "util/output.h"

static char folder[] = "/tmp/galerna-new-file-XXXXXX";

/* Every test has an empty folder and works in it. */
static int enter(void **state)
{
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    unlink("a");
    unlink("link");
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

static size_t count_files(void)
{
    DIR *here = opendir(".");
    size_t n = 0;

    while (readdir(here))
        n++;
    closedir(here);
    return n - 2;
}

static void has(const char *path, const char *content)
{
    char text[100];
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, text, sizeof text - 1);

    close(fd);
    assert_true(n >= 0);
    text[n] = '\0';
    assert_string_equal(text, content);
}

static struct new_file *begin(const char *content)
{
    struct new_file *file = new_file_create("a", 0640, NULL);

    assert_non_null(file);
    assert_int_equal(write(new_file_descriptor(file), content, strlen(content)), strlen(content));
    return file;
}

static void it_appears_when_it_is_complete(void **state)
{
    struct new_file *file = begin("new");
    struct stat status;

    assert_int_equal(access("a", F_OK), -1);
    assert_int_equal(new_file_commit(file, NULL), 0);
    has("a", "new");
    assert_int_equal(stat("a", &status), 0);
    assert_int_equal(status.st_mode & 0777 & ~0640, 0);
    assert_int_equal(count_files(), 1);
}

static void it_takes_the_place_of_an_old_one_with_its_mode(void **state)
{
    struct new_file *file;
    struct stat status;

    assert_int_equal(new_file_commit(begin("old"), NULL), 0);
    assert_int_equal(chmod("a", 0604), 0);
    assert_int_equal(symlink("a", "link"), 0);
    file = new_file_create("link", 0666, NULL);
    assert_non_null(file);
    has("a", "old");
    assert_int_equal(new_file_commit(file, NULL), 0);
    has("a", "");
    assert_int_equal(stat("a", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0604);
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
}

static void what_is_dropped_leaves_nothing(void **state)
{
    assert_int_equal(new_file_commit(begin("old"), NULL), 0);
    new_file_destroy(begin("new"));
    new_file_destroy(NULL);
    has("a", "old");
    assert_int_equal(count_files(), 1);
}

/* As many bytes as it takes to leave the buffer. */
static void write_much(struct output *out)
{
    for (int i = 0; i < 100000; i++)
        output_integer(out, i);
}

static void a_full_disk_leaves_nothing(void **state)
{
    struct rlimit before, small;
    struct error err = {0};
    struct output *out;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 1000, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    out = output_create("a", &err);
    assert_non_null(out);
    write_much(out);
    assert_int_equal(output_close(out, &err), -1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(err.code, EFBIG);
    assert_non_null(strstr(err.text, "a: cannot be written"));
    assert_int_equal(count_files(), 0);
}

static void a_signal_leaves_nothing(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGKILL};

    for (size_t i = 0; i < 3; i++) {
        int status;

        if (fork() == 0) {
            write_much(output_create("a", NULL));
            signal(signals[i], SIG_DFL);
            raise(signals[i]);
        }
        assert_true(wait(&status) > 0);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        assert_int_equal(count_files(), 0);
    }
}

static void devices_are_written_in_place(void **state)
{
    struct error err = {0};
    struct output *out = output_create("/dev/full", &err);
    struct stat status;

    assert_non_null(out);
    write_much(out);
    assert_int_equal(output_close(out, &err), -1);
    assert_int_equal(err.code, ENOSPC);
    assert_int_equal(stat("/dev/full", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

static void what_cannot_be_written_says_so_at_once(void **state)
{
    struct error err = {0};

    assert_null(new_file_create("none/a", 0666, &err));
    assert_int_equal(err.code, ENOENT);
    assert_string_equal(err.text, "none/a: cannot be written: No such file or directory");
    assert_null(new_file_create(".", 0666, &err));
    assert_int_equal(err.code, EISDIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_appears_when_it_is_complete, enter, leave),
        cmocka_unit_test_setup_teardown(it_takes_the_place_of_an_old_one_with_its_mode, enter,
                                        leave),
        cmocka_unit_test_setup_teardown(what_is_dropped_leaves_nothing, enter, leave),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_nothing, enter, leave),
        cmocka_unit_test_setup_teardown(a_signal_leaves_nothing, enter, leave),
        cmocka_unit_test_setup_teardown(devices_are_written_in_place, enter, leave),
        cmocka_unit_test_setup_teardown(what_cannot_be_written_says_so_at_once, enter, leave),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
