/* galerna-web: the HTTP API of galernad, and Haizea's interface, as a separate process. */
#include <curl/curl.h>
#include <errno.h>
#include <libxml/parser.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

#include "adapters/opennebula/credentials.h"
#include "configuration/live.h"
#include "util/loopback.h"
#include "web/haizea.h"
#include "web/options.h"
#include "web/server.h"
#include "web/views.h"

/* Waits for TERM or INT, which all threads leave to this one. */
static void wait_for_end(const sigset_t *signals)
{
    int signal;

    while (sigwait(signals, &signal) != 0)
        continue;
}

/* Serves until a signal arrives. haizea NULL: Haizea's interface is not served. */
static int serve(const struct web_options *options, struct api *api, const struct haizea *haizea,
                 const sigset_t *signals, struct error *err)
{
    struct server_settings main = options->server, old = options->haizea;
    struct server *server, *old_server = NULL;
    int result = -1;

    main.answer = api_answer;
    main.context = api;
    main.feed = api->feed;
    old.answer = haizea_answer;
    old.context = haizea;
    server = server_create(&main, err);
    if (server && haizea)
        old_server = server_create(&old, err);
    if (server && (old_server || !haizea)) {
        fprintf(stderr, "galerna-web: serving %s on %s\n", main.key ? "HTTPS" : "HTTP",
                main.listen);
        if (haizea)
            fprintf(stderr, "galerna-web: serving Haizea's XML-RPC interface on %s\n", old.listen);
        wait_for_end(signals);
        feed_stop(api->feed);
        result = 0;
    }
    server_destroy(old_server);
    server_destroy(server);
    return result;
}

/* Finds the user for Haizea's calls; *acting stays empty if the interface is not served. */
static int find_acting(const struct web_options *options, struct credentials *acting,
                       struct error *err)
{
    union loopback_address loopback;

    if (!options->haizea.listen && !options->haizea_auth)
        return 0;
    if (!options->haizea.listen || !options->haizea_auth)
        return error_set(err, EINVAL,
                         "--haizea and --haizea-auth must be used together: Haizea's calls do not "
                         "identify the caller");
    if (loopback_read(options->haizea.listen, &loopback, NULL) < 0)
        return error_set(err, EINVAL,
                         "--haizea: %s is not an address of the loopback interface with a port, "
                         "such as 127.0.0.1:42493",
                         options->haizea.listen);
    if (credentials_read_session(acting, options->haizea_auth, err) < 0)
        return error_prefix(err, "--haizea-auth");
    if (*acting->warning)
        fprintf(stderr, "galerna-web: %s\n", acting->warning);
    return 0;
}

static int serve_both(const struct web_options *options, struct api *api, const sigset_t *signals,
                      struct error *err)
{
    struct credentials acting = {0};
    struct haizea *haizea = NULL;
    int result = find_acting(options, &acting, err);

    if (result == 0 && acting.session) {
        haizea = haizea_create(api, acting.session, err);
        result = haizea ? 0 : -1;
    }
    if (result == 0)
        result = serve(options, api, haizea, signals, err);
    haizea_destroy(haizea);
    credentials_finish(&acting);
    return result;
}

static int run_on(const struct web_options *options, const char *socket, const sigset_t *signals,
                  struct error *err)
{
    struct credentials found = {0};
    struct callers_settings settings = options->callers;
    struct api api = {.galernad = galernad_create(socket), .views = views_create()};
    int result = -1;

    if (credentials_find_endpoint(&found, options->callers.endpoint, err) == 0) {
        settings.endpoint = found.endpoint;
        api.callers = callers_create(&settings, err);
    }
    api.files = api.callers ? files_create(options->files, err) : NULL;
    api.feed = api.files ? feed_create(api.galernad, err) : NULL;
    if (api.feed)
        result = serve_both(options, &api, signals, err);
    feed_destroy(api.feed);
    files_destroy(api.files);
    callers_destroy(api.callers);
    views_destroy(api.views);
    galernad_destroy(api.galernad);
    credentials_finish(&found);
    return result;
}

static int run(const struct call *call)
{
    const struct web_options *options = call->arguments;
    struct error err = {0};
    sigset_t signals;
    char *found = NULL;
    int result = -1;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    xmlInitParser();
    if (credentials_protect(&err) == 0) {
        found = options->socket ? NULL : live_client_socket(NULL, &err);
        if (options->socket || found)
            result = run_on(options, options->socket ? options->socket : found, &signals, &err);
    }
    free(found);
    xmlCleanupParser();
    curl_global_cleanup();
    return result < 0 ? command_failed(call->name, &err) : EXIT_DONE;
}

int main(int argc, char **argv)
{
    return command_line_main(&web_line, run, argc, argv);
}
