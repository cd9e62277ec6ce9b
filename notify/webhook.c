/* A webhook: POST of the notice as JSON, signed with HMAC-SHA256. */
#include <curl/curl.h>
#include <errno.h>
#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notify/notify.h"

enum { KEY_MAX = 4096, CONNECT_SECONDS = 10, WHOLE_SECONDS = 30 };

struct key {
    unsigned char bytes[KEY_MAX];
    size_t n;
};

/* The first line of the file. */
static int read_key(const char *path, struct key *key, struct error *err)
{
    FILE *file = fopen(path, "re");

    if (!file)
        return error_errno(err, "%s", path);
    key->n = fread(key->bytes, 1, sizeof key->bytes, file);
    if (ferror(file)) {
        fclose(file);
        return error_set(err, EIO, "%s: cannot be read", path);
    }
    fclose(file);
    for (size_t i = 0; i < key->n; i++)
        if (key->bytes[i] == '\n')
            key->n = i;
    return key->n ? 0 : error_set(err, EINVAL, "%s: the key is empty", path);
}

static void sign(const struct key *key, const char *body, char *header, size_t size)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    char digits[BASE16_ENCODE_LENGTH(SHA256_DIGEST_SIZE) + 1] = "";
    struct hmac_sha256_ctx context;

    hmac_sha256_set_key(&context, key->n, key->bytes);
    hmac_sha256_update(&context, strlen(body), (const uint8_t *)body);
    hmac_sha256_digest(&context, sizeof digest, digest);
    base16_encode_update(digits, sizeof digest, digest);
    snprintf(header, size, "X-Galerna-Signature: sha256=%s", digits);
}

/* The answer's body is not read. */
static size_t ignore(char *bytes, size_t size, size_t n, void *context)
{
    (void)bytes;
    (void)context;
    return size * n;
}

/* Outcome of the request. */
static enum notify_end outcome(CURL *curl, CURLcode code, const char *url, struct error *err)
{
    long status = 0;

    if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
        code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_SSL_CONNECT_ERROR ||
        code == CURLE_PEER_FAILED_VERIFICATION) {
        error_set(err, 0, "%s: %s", url, curl_easy_strerror(code));
        return NOTIFY_AGAIN;
    }
    if (code != CURLE_OK) {
        error_set(err, 0, "%s: %s", url, curl_easy_strerror(code));
        return NOTIFY_UNKNOWN;
    }
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200 && status < 300)
        return NOTIFY_DONE;
    error_set(err, 0, "%s answered %ld", url, status);
    return status >= 500 || status == 408 || status == 429 ? NOTIFY_AGAIN : NOTIFY_NEVER;
}

static enum notify_end post(CURL *curl, const char *url, const char *body,
                            struct curl_slist *headers, struct error *err)
{
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)WHOLE_SECONDS);
    return outcome(curl, curl_easy_perform(curl), url, err);
}

enum notify_end notify_webhook(const json_t *job, struct error *err)
{
    const json_t *notice = json_object_get(job, "notice");
    char *body = json_dumps(notice, JSON_COMPACT);
    char signature[128], delivery[160];
    struct curl_slist *headers = NULL;
    enum notify_end end = NOTIFY_AGAIN;
    struct key key = {.n = 0};
    CURL *curl;

    if (!body || read_key(notify_text(job, "key_file"), &key, err) < 0) {
        free(body);
        return NOTIFY_AGAIN;
    }
    sign(&key, body, signature, sizeof signature);
    snprintf(delivery, sizeof delivery, "X-Galerna-Delivery: %.120s", notify_text(notice, "id"));
    headers = curl_slist_append(headers, "Content-Type: application/json");
    headers = curl_slist_append(headers, "User-Agent: Galerna");
    headers = curl_slist_append(headers, signature);
    headers = curl_slist_append(headers, delivery);
    curl = curl_easy_init();
    if (curl)
        end = post(curl, notify_text(job, "url"), body, headers, err);
    else
        error_set(err, ENOMEM, "no memory for a request");
    curl_easy_cleanup(curl);
    curl_slist_free_all(headers);
    free(body);
    return end;
}
