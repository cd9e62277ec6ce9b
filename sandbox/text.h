/* text.h: a text that grows, and the pieces of XML documents. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct oned_text {
    char *bytes; /* terminated when something was added */
    size_t size, allocated;
};

void oned_text_finish(struct oned_text *text);
void oned_text_add(struct oned_text *text, const char *bytes, size_t size);
void oned_text_put(struct oned_text *text, const char *string);
void oned_text_format(struct oned_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* <name>number</name> */
void oned_text_number(struct oned_text *text, const char *name, int64_t number);

/* <name>value</name>, special characters escaped; NULL is the empty value. */
void oned_text_element(struct oned_text *text, const char *name, const char *value);

/* <name><![CDATA[value]]></name>. "]]>" inside the value is split over two sections. */
void oned_text_cdata(struct oned_text *text, const char *name, const char *value);
void oned_text_cdata_number(struct oned_text *text, const char *name, int64_t number);
