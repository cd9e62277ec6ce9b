/* fuzz_corpus.c: the main of a fuzz target that is built without libFuzzer: reads every file of the
 * folders (and every file) named on the command line once. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path, size_t size)
{
    uint8_t *data = malloc(size ? size : 1);
    FILE *file = fopen(path, "rb");
    int result = -1;

    if (!data || !file || fread(data, 1, size, file) != size) {
        fprintf(stderr, "%s: cannot be read\n", path);
    } else {
        LLVMFuzzerTestOneInput(data, size);
        result = 0;
    }
    if (file)
        fclose(file);
    free(data);
    return result;
}

static int run_path(const char *path, size_t *n_files);

static int run_folder(const char *path, size_t *n_files)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    char name[4096];
    int result = 0;

    if (!folder) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        return -1;
    }
    while (result == 0 && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
        result = run_path(name, n_files);
    }
    closedir(folder);
    return result;
}

static int run_path(const char *path, size_t *n_files)
{
    struct stat status;

    if (stat(path, &status) < 0) {
        fprintf(stderr, "%s: no such file\n", path);
        return -1;
    }
    if (S_ISDIR(status.st_mode))
        return run_folder(path, n_files);
    ++*n_files;
    return run_file(path, (size_t)status.st_size);
}

int main(int argc, char **argv)
{
    size_t n_files = 0;

    for (int i = 1; i < argc; i++)
        if (run_path(argv[i], &n_files) < 0)
            return EXIT_FAILURE;
    if (n_files == 0) {
        fprintf(stderr, "no corpus files given\n");
        return EXIT_FAILURE;
    }
    printf("%zu corpus files read\n", n_files);
    return EXIT_SUCCESS;
}
