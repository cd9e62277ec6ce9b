/* unqualified.h: the one place where const and volatile are taken away from a pointer.
 *
 * For owners of data that is const for all other code (memory_free()), and for library interfaces
 * that lack const but do not write: arguments of exec(), walks through JSON objects. The object
 * must be writable, or must not be written.
 */
#pragma once

static inline void *unqualified(const volatile void *pointer)
{
    union {
        const volatile void *as_given;
        void *plain;
    } same = {.as_given = pointer};

    return same.plain;
}
