/* unqualified.h: the one place where const and volatile are taken away from a pointer.
 *
 * For owners of what everybody else sees as const (memory_free()), and for interfaces of libraries
 * that do not say const and do not write: arguments of exec(), walks through JSON objects. What is
 * behind the pointer must be writable, or stay unwritten.
 */
#ifndef GALERNA_UTIL_UNQUALIFIED_H
#define GALERNA_UTIL_UNQUALIFIED_H

static inline void *unqualified(const volatile void *pointer)
{
    union {
        const volatile void *as_given;
        void *plain;
    } same = {.as_given = pointer};

    return same.plain;
}

#endif
