/* Characters of UTF-8. */
#include "util/utf8.h"

size_t utf8_length(const void *bytes, size_t n)
{
    static const struct {
        unsigned char first, last, second_first, second_last;
        size_t length;
    } forms[] = {
        {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
        {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
        {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    const unsigned char *text = bytes;

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (n < forms[i].length || text[0] < forms[i].first || text[0] > forms[i].last)
            continue;
        if (text[1] < forms[i].second_first || text[1] > forms[i].second_last)
            return 0;
        for (size_t k = 2; k < forms[i].length; k++)
            if ((text[k] & 0xC0) != 0x80)
                return 0;
        return forms[i].length;
    }
    return 0;
}

bool utf8_is_valid(const void *bytes, size_t n)
{
    const unsigned char *text = bytes;

    for (size_t i = 0; i < n;) {
        size_t length = text[i] < 0x80 ? 1 : utf8_length(text + i, n - i);

        if (length == 0)
            return false;
        i += length;
    }
    return true;
}
