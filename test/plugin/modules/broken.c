/* One module after another that should be refused, each broken in one way by a definition given to
 * the compiler: see test/plugin/CMakeLists.txt. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "galerna_policy.h"

#ifndef MAGIC
#define MAGIC GALERNA_POLICY_MAGIC
#endif
#ifndef MAJOR
#define MAJOR GALERNA_ABI_MAJOR
#endif
#ifndef MINOR
#define MINOR GALERNA_ABI_MINOR
#endif
#ifndef SIZE
#define SIZE sizeof(struct galerna_policy)
#endif
#ifndef KIND
#define KIND GALERNA_KIND_ADMISSION
#endif
#ifndef OPERATIONS
#define OPERATIONS &operations
#endif
#ifndef OPERATIONS_SIZE
#define OPERATIONS_SIZE sizeof operations
#endif
#ifndef ADMIT
#define ADMIT admit
#endif
#ifndef CREATE
#define CREATE NULL
#endif
#ifndef DESTROY
#define DESTROY NULL
#endif
#ifndef OPTION_DEFAULT
#define OPTION_DEFAULT "7"
#endif
#ifndef OPTION_TYPE
#define OPTION_TYPE GALERNA_INTEGER
#endif

#ifdef UNRESOLVED
void function_that_nobody_has(void);
#endif

__attribute__((unused)) static void crash(void)
{
    raise(SIGSEGV); /* a compiler may make anything of a real one */
}

#ifdef CRASH_ON_LOAD
__attribute__((constructor)) static void on_load(void)
{
    crash();
}
#endif

#ifdef LINGER_ON_LOAD
/* Another process in a session of its own, whose parent is gone; then it cannot be heard of. */
__attribute__((constructor)) static void on_load(void)
{
    if (fork() == 0) {
        setsid();
        if (fork() > 0)
            _exit(0);
    } else {
        for (int i = 0; i < 64; i++)
            close(i);
    }
    for (;;)
        pause();
}
#endif

__attribute__((unused)) static enum galerna_verdict
crash_in_create(const struct galerna_host *host, const union galerna_value *values, void **self,
                struct galerna_result *result)
{
    (void)host, (void)values, (void)self, (void)result;
    abort();
}

__attribute__((unused)) static enum galerna_verdict
hang_in_create(const struct galerna_host *host, const union galerna_value *values, void **self,
               struct galerna_result *result)
{
    (void)host, (void)values, (void)self, (void)result;
    while (getpid() > 0)
        pause();
    return GALERNA_OK;
}

__attribute__((unused)) static enum galerna_verdict
leave_in_create(const struct galerna_host *host, const union galerna_value *values, void **self,
                struct galerna_result *result)
{
    (void)host, (void)values, (void)self, (void)result;
    _exit(3);
}

__attribute__((unused)) static enum galerna_verdict
refuse_in_create(const struct galerna_host *host, const union galerna_value *values, void **self,
                 struct galerna_result *result)
{
    (void)values, (void)self;
    return host->answer(result, GALERNA_ERROR, "no-luck", "the moon is in the wrong %s", "phase");
}

__attribute__((unused)) static void crash_in_destroy(void *self)
{
    (void)self;
    crash();
}

__attribute__((unused)) static enum galerna_verdict
admit(void *self, const struct galerna_admission_request *request, struct galerna_result *result)
{
    (void)self, (void)request, (void)result;
#ifdef UNRESOLVED
    function_that_nobody_has();
#endif
    return GALERNA_OK;
}

__attribute__((unused)) static const struct galerna_admission operations = {.size = OPERATIONS_SIZE,
                                                                            .admit = ADMIT};

#ifdef OPTION_NAME
static const struct galerna_option options[] = {
    {.name = OPTION_NAME,
     .type = OPTION_TYPE,
     .default_value = OPTION_DEFAULT,
     .minimum = 1,
     .maximum = 10,
     .description = "A number"},
    {.name = "second", .type = GALERNA_BOOLEAN, .default_value = "no", .description = "A second"},
};
#endif

#define EXPORT(symbol) GALERNA_POLICY(symbol)
EXPORT(SYMBOL) = {
    .magic = MAGIC,
    .abi_major = MAJOR,
    .abi_minor = MINOR,
    .size = SIZE,
    .kind = KIND,
    .name = NAME,
    .version = "1.0",
    .summary = "Is broken",
#ifdef OPTION_NAME
    GALERNA_OPTIONS(options),
#endif
    .create = CREATE,
    .destroy = DESTROY,
    .admission = OPERATIONS,
};
