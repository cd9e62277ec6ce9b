/* reason_fill.h: fills in the templates of sentences.
 *
 * In a template, of the numbers n in order: %n a number, %v "2 VMs", %c hundredths, %d a duration,
 * %e an exact duration, %t a time, %m thousandths, %w "at most 2 are allowed", %p PCI devices, %k
 * "2 are" or "1 is" of two numbers, with the verb that follows it (as count_text()); %o is left
 * out. %s is the text, %a the text after ": ", %b the text in parentheses after a blank; both are
 * left out without a text, and take one that begins with punctuation as it is.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* How many numbers the template takes. */
size_t reason_fill_numbers(const char *template);

/* Returns the length of what is written. text: NULL is allowed. */
size_t reason_fill(const char *template, const int64_t *n, const char *text, char *buffer,
                   size_t size, void (*time_text)(int64_t instant, char *text, size_t size));
