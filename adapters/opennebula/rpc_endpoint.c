/* Parses oned's endpoint. */
#include "adapters/opennebula/rpc_endpoint.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/memory.h"

static bool is_loopback(const char *host)
{
    struct in6_addr six;
    struct in_addr four;
    char bare[INET6_ADDRSTRLEN];
    size_t length = strlen(host);

    if (strcasecmp(host, "localhost") == 0)
        return true;
    if (inet_pton(AF_INET, host, &four) == 1)
        return ntohl(four.s_addr) >> 24 == 127;
    if (length < 2 || host[0] != '[' || host[length - 1] != ']' || length - 2 >= sizeof bare)
        return false;
    memcpy(bare, host + 1, length - 2);
    bare[length - 2] = '\0';
    return inet_pton(AF_INET6, bare, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

static bool has_part(CURLU *parts, CURLUPart part)
{
    char *text = NULL;
    bool has = curl_url_get(parts, part, &text, 0) == CURLUE_OK;

    curl_free(text);
    return has;
}

/* Errors do not repeat the URL when it may hold a password. */
static int examine(struct rpc_endpoint *endpoint, CURLU *parts, bool allow_plaintext,
                   struct error *err)
{
    char *scheme = NULL, *host = NULL;
    int result = 0;

    if (has_part(parts, CURLUPART_USER) || has_part(parts, CURLUPART_PASSWORD))
        return error_set(err, EINVAL,
                         "the endpoint's URL contains a user or password; put them into the "
                         "credentials file instead");
    if (curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        curl_url_get(parts, CURLUPART_HOST, &host, 0) != CURLUE_OK) {
        result =
            error_set(err, EINVAL, "endpoint %s: expected a URL such as http://localhost:2633/RPC2",
                      endpoint->url);
    } else {
        endpoint->encrypted = strcmp(scheme, "https") == 0;
        endpoint->loopback = is_loopback(host);
        if (!endpoint->encrypted && strcmp(scheme, "http") != 0)
            result = error_set(err, EINVAL, "endpoint %s: %s is neither http nor https",
                               endpoint->url, scheme);
        else if (!endpoint->encrypted && !endpoint->loopback && !allow_plaintext)
            result = error_set(err, EPERM,
                               "endpoint %s: http would send the password to %s in plain text; use "
                               "https, or set allow-plaintext: yes in [opennebula]",
                               endpoint->url, host);
    }
    if (host)
        endpoint->host =
            host[0] == '[' ? memory_copy(host + 1, strlen(host) - 1) : memory_text(host);
    if (host && host[0] == '[')
        endpoint->host[strlen(host) - 2] = '\0';
    curl_free(scheme);
    curl_free(host);
    return result;
}

int rpc_endpoint_init(struct rpc_endpoint *endpoint, const char *url, bool allow_plaintext,
                      struct error *err)
{
    CURLU *parts = curl_url();
    CURLUcode code;
    int result;

    *endpoint = (struct rpc_endpoint){.url = memory_text(url ? url : "")};
    if (!parts)
        return error_set(err, ENOMEM, "out of memory");
    code = curl_url_set(parts, CURLUPART_URL, endpoint->url, 0);
    if (code != CURLUE_OK && !strchr(endpoint->url, '@'))
        result = error_set(err, EINVAL,
                           "endpoint %s: expected a URL such as http://localhost:2633/RPC2 (%s)",
                           endpoint->url, curl_url_strerror(code));
    else if (code != CURLUE_OK)
        result = error_set(err, EINVAL,
                           "the endpoint is not a URL such as http://localhost:2633/RPC2 (%s)",
                           curl_url_strerror(code));
    else
        result = examine(endpoint, parts, allow_plaintext, err);
    curl_url_cleanup(parts);
    return result;
}

void rpc_endpoint_finish(struct rpc_endpoint *endpoint)
{
    free(endpoint->url);
    free(endpoint->host);
    *endpoint = (struct rpc_endpoint){0};
}
