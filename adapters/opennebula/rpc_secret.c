/* Keeps the session secret out of texts. */
#include "adapters/opennebula/rpc_secret.h"

#include <string.h>

#include "adapters/opennebula/xml_bytes.h"
#include "util/memory.h"

/* Shorter passwords are not searched for separately, because they occur in many texts. */
enum { PASSWORD_MIN = 4 };

static char *escaped(const char *text)
{
    static const char *const names[] = {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;"};
    char *copy = memory_new(strlen(text) * 5 + 1, 1);
    char *end = copy;

    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < sizeof names / sizeof *names && names[c])
            end = stpcpy(end, names[c]);
        else
            *end++ = *text;
    }
    return copy;
}

void rpc_secret_init(struct rpc_secret *secret, const char *session)
{
    const char *colon = strchr(session, ':');
    const char *password = colon ? colon + 1 : "";

    *secret = (struct rpc_secret){.session = memory_text(session)};
    secret->forms[0] = escaped(session);
    secret->forms[1] = memory_text(session);
    if (strlen(password) >= PASSWORD_MIN) {
        secret->forms[2] = escaped(password);
        secret->forms[3] = memory_text(password);
    }
}

void rpc_secret_finish(struct rpc_secret *secret)
{
    memory_wipe(secret->session);
    for (size_t i = 0; i < RPC_SECRET_FORMS; i++)
        memory_wipe(secret->forms[i]);
    *secret = (struct rpc_secret){0};
}

/* The number of bytes at `text` that are a form of the secret. */
static size_t secret_at(const struct rpc_secret *secret, const char *text)
{
    for (size_t i = 0; i < RPC_SECRET_FORMS; i++) {
        size_t length = secret->forms[i] ? strlen(secret->forms[i]) : 0;

        if (length > 0 && strncmp(text, secret->forms[i], length) == 0)
            return length;
    }
    return 0;
}

static char *put(char *end, const char *last, const char *text, size_t n)
{
    if ((size_t)(last - end) < n)
        return NULL;
    memcpy(end, text, n);
    return end + n;
}

void rpc_secret_line(const struct rpc_secret *secret, const char *text, char *to, size_t size)
{
    const char *last = to + size - 1;
    char *end = to;

    for (size_t left = strlen(text); left > 0;) {
        size_t taken = secret_at(secret, text);
        char *next;

        if (taken > 0) {
            next = put(end, last, "***", 3);
        } else if ((unsigned char)*text < 0x20 || *text == 0x7F) {
            taken = 1;
            next = put(end, last, " ", 1);
        } else {
            taken = xml_character(text, left);
            next = taken > 0 ? put(end, last, text, taken) : put(end, last, "?", 1);
            taken += taken == 0;
        }
        if (!next)
            break;
        end = next;
        text += taken;
        left -= taken;
    }
    *end = '\0';
}
