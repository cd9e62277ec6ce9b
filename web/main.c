/* galerna-web: the HTTP API of galernad, in a process of its own. */
#include <curl/curl.h>
#include <libxml/parser.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/credentials.h"
#include "configuration/live.h"
#include "web/options.h"
#include "web/server.h"

/* Waits for TERM or INT, which all threads leave to this one. */
static void wait_for_end(const sigset_t *signals)
{
    int signal;

    while (sigwait(signals, &signal) != 0)
        continue;
}

static int serve(const struct web_options *options, struct api *api, const sigset_t *signals,
                 struct error *err)
{
    struct server *server = server_create(&options->server, api, err);

    if (!server)
        return -1;
    fprintf(stderr, "galerna-web: serving %s on %s\n", options->server.key ? "HTTPS" : "HTTP",
            options->server.listen);
    wait_for_end(signals);
    feed_stop(api->feed);
    server_destroy(server);
    return 0;
}

static int run_on(const struct web_options *options, const char *socket, const sigset_t *signals,
                  struct error *err)
{
    struct credentials found = {0};
    struct callers_settings settings = {.ca_file = options->ca_file,
                                        .allow_plaintext = options->allow_plaintext,
                                        .rate = (double)options->rate};
    struct api api = {.socket = socket};
    int result = -1;

    if (credentials_find_endpoint(&found, options->endpoint, err) == 0) {
        settings.endpoint = found.endpoint;
        api.callers = callers_create(&settings, err);
    }
    api.files = api.callers ? files_create(options->files, err) : NULL;
    api.feed = api.files ? feed_create(socket, err) : NULL;
    if (api.feed)
        result = serve(options, &api, signals, err);
    feed_destroy(api.feed);
    files_destroy(api.files);
    callers_destroy(api.callers);
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
        found = options->socket ? NULL : live_client_socket(NULL, NULL, &err);
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
    if (argc > 2 && !strcmp(argv[1], "__complete")) {
        command_line_complete(&web_line, argv + 2, argc - 2, stdout);
        return EXIT_DONE;
    }
    return command_line_run(&web_line, run, argc, argv);
}
