/* GALERNA_PROMISE as a VM's owner may write it, and as galernad itself may have signed it: whatever
 * is signed and read must be written again as it was. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/base64.h>
#include <nettle/hmac.h>

#include "daemon/live/promise.h"
#include "util/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ZONE = 0, VM = 12, SIGNATURE_MAX = BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE) };

static const struct promise_key key = {"0123456789abcdef0123456789abcde"};

/* A signed text that is valid has the same content after it was written once more. */
static void check_signed(const char *body)
{
    size_t length = strlen(body);
    char again[PROMISE_TEXT_MAX], signature[SIGNATURE_MAX], *text;
    struct promise promise, second;
    struct hmac_sha256_ctx hmac;
    uint8_t digest[SHA256_DIGEST_SIZE];

    hmac_sha256_set_key(&hmac, sizeof key.bytes, key.bytes);
    hmac_sha256_update(&hmac, length, (const uint8_t *)body);
    hmac_sha256_digest(&hmac, sizeof digest, digest);
    base64_encode_raw(signature, sizeof digest, digest);
    text = memory_format("%s:%.*s", body, (int)sizeof signature, signature);
    if (promise_read(text, &key, ZONE, VM, &promise) == PROMISE_VALID) {
        promise_write(&promise, &key, again);
        if (promise_read(again, &key, ZONE, VM, &second) != PROMISE_VALID ||
            promise_digest(&promise) != promise_digest(&second))
            abort();
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = memory_format("%.*s", (int)size, (const char *)data);
    struct promise promise;

    if (promise_read(text, &key, ZONE, VM, &promise) == PROMISE_VALID)
        abort(); /* a guessed signature */
    check_signed(text);
    free(text);
    return 0;
}
