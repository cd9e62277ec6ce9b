/* Hardware of simulated hosts, networks, and templates of VMs, from arbitrary bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adapters/simulated/simulated.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HOSTS = 2 };

/* A cloud with the text as hardware, then one with it as templates. */
static void read_as_all(const char *text)
{
    char file[] = "/tmp/fuzz-simulated-XXXXXX";
    int fd = mkstemp(file);
    const struct amounts capacity = {0};
    const struct engine_settings engine = {0};
    struct site site;

    site_init(&site);
    if (fd < 0 || site_add_hosts(&site, HOSTS, &capacity, NULL) < 0)
        abort();
    for (int i = 0; i < 3; i++) {
        struct simulated_settings settings = {.site = &site, .file = file, .engine = &engine};
        struct error err = {0};
        bool resumed;

        *(i == 0 ? &settings.hardware : i == 1 ? &settings.templates : &settings.networks) = text;
        cloud_destroy(simulated_create(&settings, &resumed, &err));
    }
    site_finish(&site);
    close(fd);
    unlink(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    read_as_all(text);
    free(text);
    return 0;
}
