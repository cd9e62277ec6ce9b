/* galerna-planner: the process that runs galernad's policy modules; started by galernad.
 *
 * Its descriptors are a socket (3) and a page of shared memory (4). The first frame names the
 * modules to load; then the process answers frames until the socket is closed.
 */
#include <errno.h>
#include <libgen.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "planner/confine.h"
#include "planner/planning.h"
#include "util/clock.h"
#include "util/memory.h"

#ifdef GALERNA_SANITIZED
/* Leak detection needs threads and signals, which are forbidden here. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:handle_segv=0:handle_abort=0:handle_sigill=0:handle_sigfpe=0:"
           "handle_sigbus=0";
}
#endif

static struct call_page *page;

/* --- frames ----------------------------------------------------------------------------------- */

static bool read_all(unsigned char *bytes, size_t n)
{
    while (n) {
        ssize_t got = confine_receive(bytes, n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        n -= (size_t)got;
    }
    return true;
}

/* Reads the body of the next frame, to be freed. False: galernad has closed the socket. */
static bool read_frame(unsigned char **bytes, size_t *n)
{
    unsigned char header[WIRE_HEADER];
    uint32_t length = 0;

    if (!read_all(header, sizeof header))
        return false;
    for (int i = 0; i < WIRE_HEADER; i++)
        length |= (uint32_t)header[i] << (8 * i);
    *n = length;
    *bytes = memory_new(length, 1);
    return read_all(*bytes, length);
}

/* Writes and finishes the frame. */
static void write_frame(struct wire_writer *frame)
{
    const unsigned char *bytes;
    size_t n;

    while ((n = wire_first_bytes(frame, &bytes))) {
        ssize_t put = write(PROTOCOL_SOCKET, bytes, n);

        if (put < 0 && errno != EINTR)
            _exit(PROTOCOL_EXIT);
        if (put > 0)
            wire_drop(frame, (size_t)put);
    }
}

static void begin_frame(struct wire_writer *frame, enum frame kind, int64_t number)
{
    *frame = (struct wire_writer){0};
    wire_begin(frame);
    wire_put(frame, kind);
    wire_put(frame, number);
}

/* Ends the frame with the text, and writes it. */
static void tell_text(struct wire_writer *frame, const char *text)
{
    char cut[PROTOCOL_TEXT_MAX + 1];

    snprintf(cut, sizeof cut, "%s", text);
    wire_put_text(frame, cut);
    wire_end(frame);
    write_frame(frame);
}

static void tell(enum frame kind, int64_t number, const char *text)
{
    struct wire_writer frame;

    begin_frame(&frame, kind, number);
    tell_text(&frame, text);
}

/* --- modules ---------------------------------------------------------------------------------- */

static void tell_line(void *context, enum policy_log_level level, const char *text)
{
    struct wire_writer frame;

    (void)context;
    begin_frame(&frame, FRAME_LOG, level);
    wire_put(&frame, page->last);
    tell_text(&frame, text);
}

static int64_t memory_before;
static int64_t time_before; /* ns */

static int64_t memory_now(void)
{
    return (int64_t)(intptr_t)sbrk(0);
}

static void calls(void *context, size_t module, enum policy_call call)
{
    (void)context;
    page->call = call;
    page->module = (uint32_t)module + 1;
    page->last = (uint32_t)module + 1;
    page->calls++;
    memory_before = memory_now();
    time_before = clock_nanoseconds(CLOCK_MONOTONIC);
}

static void returned(void *context)
{
    uint32_t module = page->module;
    int64_t grown = memory_now() - memory_before;

    (void)context;
    page->module = 0;
    if (module == 0 || module > sizeof page->grown / sizeof *page->grown)
        return;
    page->called[module - 1]++;
    page->spent[module - 1] += (uint64_t)(clock_nanoseconds(CLOCK_MONOTONIC) - time_before);
    if (grown > 0)
        page->grown[module - 1] += grown;
}

static void module_failed(void *context, size_t module, uint64_t faults, const char *last)
{
    struct wire_writer frame;

    (void)context;
    begin_frame(&frame, FRAME_FAULT, (int64_t)module);
    wire_put(&frame, (int64_t)faults);
    tell_text(&frame, last);
}

static const struct policy_watch watch = {
    .calls = calls, .returned = returned, .failed = module_failed};

static void tell_ready(const struct policy_host *policies)
{
    struct wire_writer frame = {0};

    wire_begin(&frame);
    wire_put(&frame, FRAME_READY);
    wire_put(&frame, policy_host_wants_events(policies));
    wire_end(&frame);
    write_frame(&frame);
}

static int confine(const struct policy_host_settings *settings, struct error *err)
{
    const char **folders = memory_new(settings->n_modules, sizeof *folders);
    char **files = memory_new(settings->n_modules, sizeof *files);
    int result;

    for (size_t i = 0; i < settings->n_modules; i++) {
        files[i] = memory_text(settings->modules[i].file);
        folders[i] = dirname(files[i]);
    }
    result = confine_to_reading(folders, settings->n_modules, page, err);
    for (size_t i = 0; i < settings->n_modules; i++)
        free(files[i]);
    free(files);
    free(folders);
    return result;
}

/* Can this process read the files of the modules? galernad may have permissions that it lacks. */
static int check_readable(const struct policy_host_settings *settings, const char *user,
                          struct error *err)
{
    for (size_t i = 0; i < settings->n_modules; i++)
        if (!settings->modules[i].outage && access(settings->modules[i].file, R_OK) < 0 &&
            errno == EACCES)
            return error_set(err, EACCES,
                             "%s: permission denied for user '%s', which the planner process runs "
                             "as: make the file and its parent directories readable for that user, "
                             "or set planner-user in [daemon]",
                             settings->modules[i].file, user ? user : "");
    return 0;
}

/* NULL: the reason was sent to galernad. */
/* Confines the process, and loads the modules. NULL with err. */
static struct policy_host *load_confined(struct policy_host_settings *settings, const char *name,
                                         uid_t user, gid_t group, struct error *err)
{
    struct policy_host *policies;

    if (confine_process(user, group, err) < 0 || confine(settings, err) < 0 ||
        check_readable(settings, name, err) < 0)
        return NULL;
    policies = policy_host_create(settings, err);
    if (!policies || confine_to_computing(err) == 0)
        return policies;
    if (err->code == ENOMEM)
        abort(); /* as memory_new() does: galernad blames the module that has used up the memory */
    policy_host_destroy(policies);
    return NULL;
}

static struct policy_host *load(unsigned char *bytes, size_t n)
{
    struct policy_host_settings settings;
    struct policy_host *policies = NULL;
    struct wire_reader reader;
    struct error err = {0};
    const char *version, *name;
    uid_t user;
    gid_t group;

    policy_host_settings_init(&settings);
    wire_reader_init(&reader, bytes, n);
    if (wire_get(&reader, FRAME_SETUP, FRAME_SETUP) != FRAME_SETUP)
        return NULL;
    version = wire_get_text(&reader, PROTOCOL_TEXT_MAX);
    if (!version || strcmp(version, protocol_version()) != 0) {
        tell(FRAME_OTHER_VERSION, 0, protocol_version());
        return NULL;
    }
    name = wire_get_text(&reader, PROTOCOL_TEXT_MAX);
    user = (uid_t)wire_get(&reader, 0, UINT32_MAX);
    group = (gid_t)wire_get(&reader, 0, UINT32_MAX);
    wire_get_setup(&reader, &settings);
    settings.preflight = false;
    settings.log = tell_line;
    settings.watch = &watch;
    tzset(); /* reads the time zone while files can be opened */
    if (!wire_is_at_end(&reader))
        error_set(&err, EPROTO, "the setup cannot be read");
    else
        policies = load_confined(&settings, name, user, group, &err);
    if (!policies)
        tell(FRAME_REFUSED, err.code, err.text);
    return policies;
}

/* --- the loop --------------------------------------------------------------------------------- */

static bool is_asked(void)
{
    struct pollfd socket = {.fd = PROTOCOL_SOCKET, .events = POLLIN};

    return poll(&socket, 1, 0) != 0;
}

static int serve(struct planning *planning)
{
    struct wire_writer reply = {0};
    unsigned char *bytes;
    size_t n;

    for (;;) {
        if (planning_has_more(planning) && !is_asked())
            planning_go_on(planning, &reply);
        else if (!read_frame(&bytes, &n))
            return EXIT_SUCCESS;
        else if (planning_handle(planning, bytes, n, &reply) < 0)
            return PROTOCOL_EXIT;
        write_frame(&reply);
    }
}

int main(void)
{
    struct policy_host *policies;
    unsigned char *setup; /* module settings point into it */
    size_t n;

    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, PROTOCOL_PAGE, 0);
    if (page == MAP_FAILED) {
        fputs("galerna-planner: started by galernad, not by users; see galernad(8)\n", stderr);
        return PROTOCOL_EXIT;
    }
    close(PROTOCOL_PAGE);
    mallopt(M_MMAP_MAX, 0); /* only the heap grows, so its end shows the memory in use */
    tzset();                /* loads the local time zone for modules */
    if (!read_frame(&setup, &n))
        return EXIT_SUCCESS;
    policies = load(setup, n);
    if (!policies)
        _exit(PROTOCOL_EXIT);
    tell_ready(policies);
    _exit(serve(planning_create(policies, NULL)));
}
