/* reason_details.h: what a reason says beyond its numbers.
 *
 * Each detail is a word with numbers and at most one name, which a user or OpenNebula gave. A
 * reason has them in its text, in a line each; the sentence is made where it is shown. Words are
 * stable.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DETAIL_NUMBERS = 5, DETAIL_NAME_MAX = 96, REASON_DETAILS_MAX = 640 /* a sentence */ };

enum detail_id {
    DETAIL_LATE_VM,        /* n[0] a VM on n[1], or -1; name: its state */
    DETAIL_LATE_VM_STARTS, /* n[0] a VM that is to start on host n[1]; name: its state */
    DETAIL_DEPARTING,      /* n[0] a VM that has not left host n[1]; name: its state */
    DETAILS
};

struct detail {
    enum detail_id id;
    int64_t n[DETAIL_NUMBERS];
    const char *name; /* NULL: none */
};

/* By id: the stable words. */
extern const char *const detail_words[DETAILS];

/* Append the detail to the text, "" at first; one that has no room is left out. */
void details_add(char *text, size_t size, const struct detail *detail);

/* Read the next detail of *text and move *text behind it. False: there is none. */
bool details_next(const char **text, struct detail *detail, char name[DETAIL_NAME_MAX]);

/* How many numbers the detail has. */
size_t details_numbers(enum detail_id id);

/* The sentence of a text with details, in the buffer; any other text, or NULL, is returned. */
const char *details_text(const char *text, char *buffer, size_t size,
                         void (*time_text)(int64_t instant, char *text, size_t size));
