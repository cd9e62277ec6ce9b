/* Reads or creates the file with the key of promises, and signs with it. */
#include "daemon/store/promise_key.h"

#include <errno.h>
#include <nettle/base16.h>
#include <nettle/base64.h>
#include <nettle/hmac.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/state_directory.h"
#include "util/new_file.h"

enum { DIGITS = BASE16_ENCODE_LENGTH(PROMISE_KEY_SIZE) };

_Static_assert(PROMISE_SIGNATURE_SIZE == BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE),
               "promise_key.h names the length of a signature");

static int make_key(const char *path, struct error *err)
{
    unsigned char bytes[PROMISE_KEY_SIZE];
    char text[DIGITS + 1];
    struct new_file *file;

    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return error_errno(err, "%s: cannot get random bytes for a key", path);
    base16_encode_update(text, sizeof bytes, bytes);
    text[DIGITS] = '\n';
    file = new_file_create(path, S_IRUSR | S_IWUSR, err);
    if (!file)
        return -1;
    if (write(new_file_descriptor(file), text, sizeof text) == sizeof text)
        return new_file_commit(file, err);
    error_errno(err, "%s: cannot write the key", path);
    new_file_destroy(file);
    return -1;
}

int promise_key_read(const char *path, struct promise_key *key, struct error *err)
{
    FILE *file = fopen(path, "re");
    struct base16_decode_ctx decoder;
    char text[DIGITS + 2];
    size_t n, decoded = sizeof key->bytes;

    if (!file)
        return error_errno(err, "%s: cannot read the key", path);
    n = fread(text, 1, sizeof text, file);
    fclose(file);
    base16_decode_init(&decoder);
    if (n < DIGITS || (n > DIGITS && (text[DIGITS] != '\n' || n > DIGITS + 1)) ||
        !base16_decode_update(&decoder, &decoded, key->bytes, DIGITS, text) ||
        !base16_decode_final(&decoder) || decoded != sizeof key->bytes)
        return error_set(err, EINVAL,
                         "%s contains no key (%d hexadecimal digits): copy the file of the "
                         "front-end that wrote the promises, or remove it to make a new key",
                         path, (int)DIGITS);
    return 0;
}

int promise_key_load(const char *path, struct promise_key *key, bool *made, struct error *err)
{
    *made = access(path, F_OK) < 0 && errno == ENOENT;
    if (*made && make_key(path, err) < 0)
        return -1;
    if (store_state_make_private(path, err) < 0)
        return -1;
    return promise_key_read(path, key, err);
}

void promise_key_name(const struct promise_key *key, char text[PROMISE_KEY_NAME_MAX])
{
    static const char what[] = "name of the key"; /* without a colon, so it cannot be a promise */
    char signature[PROMISE_SIGNATURE_SIZE];

    promise_key_sign(key, what, strlen(what), signature);
    snprintf(text, PROMISE_KEY_NAME_MAX, "%.16s", signature);
}

void promise_key_sign(const struct promise_key *key, const char *text, size_t length,
                      char signature[PROMISE_SIGNATURE_SIZE])
{
    struct hmac_sha256_ctx hmac;
    uint8_t digest[SHA256_DIGEST_SIZE];

    hmac_sha256_set_key(&hmac, sizeof key->bytes, key->bytes);
    hmac_sha256_update(&hmac, length, (const uint8_t *)text);
    hmac_sha256_digest(&hmac, sizeof digest, digest);
    base64_encode_raw(signature, sizeof digest, digest);
}
