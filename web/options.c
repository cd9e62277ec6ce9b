/* Reads the command line of galerna-web. */
#include "web/options.h"

#define AT(member) offsetof(struct web_options, member)

static void print_version(FILE *stream)
{
    fputs("galerna-web " GALERNA_VERSION "\n", stream);
}

static const struct command_option options[] = {
    {"listen", .type = ARGUMENT_TEXT, .argument = "ADDRESS:PORT", .offset = AT(server.listen),
     .otherwise = "127.0.0.1:9751",
     .help = "Address to listen on; other than loopback addresses require --certificate and --key"},
    {"certificate", .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(server.certificate),
     .help = "Serve HTTPS with this certificate chain (PEM)"},
    {"key", .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(server.key),
     .help = "Key of the certificate (PEM)"},
    {"socket", .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(socket),
     .help = "Control socket of galernad, instead of $GALERNA_SOCKET or the default one"},
    {"endpoint", .type = ARGUMENT_TEXT, .argument = "URL", .offset = AT(callers.endpoint),
     .help = "OpenNebula's XML-RPC interface, which authenticates callers. Default: as for "
             "OpenNebula's own tools ($ONE_XMLRPC, ~/.one/one_endpoint, this machine)"},
    {"ca-file", .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(callers.ca_file),
     .help = "CA certificates for an HTTPS endpoint, instead of the system's"},
    {"allow-plaintext", .type = ARGUMENT_FLAG, .offset = AT(callers.allow_plaintext),
     .help = "Allow passing on passwords over plain HTTP to an endpoint on another machine"},
    {"rate", .type = ARGUMENT_INTEGER, .argument = "N", .offset = AT(callers.rate),
     .otherwise = "100", .least = 1, .most = 100000,
     .help = "Requests per second of a caller, with bursts of twice as many"},
    {"haizea", .type = ARGUMENT_TEXT, .argument = "ADDRESS:PORT", .offset = AT(haizea.listen),
     .help = "Also serve Haizea's XML-RPC interface on this loopback address (Haizea's default: "
             "127.0.0.1:42493). Requires --haizea-auth"},
    {"haizea-auth", .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(haizea_auth),
     .help = "File with \"user:password\" or \"user:token\" of the OpenNebula user that makes all "
             "of Haizea's calls"},
    {"files", .type = ARGUMENT_TEXT, .argument = "DIR", .offset = AT(files),
     .otherwise = GALERNA_WEB_FILES, .help = "Directory with the files to serve"},
    {"version", .type = ARGUMENT_ANSWER, .answer = print_version,
     .help = "Print the version and exit"},
};

const struct command_line web_line = {
    .name = "galerna-web",
    .summary = "Serve the HTTP API and the calendar of galernad",
    .purpose = "Serve the HTTP API and the calendar of galernad. See galerna-web(8).",
    .groups = {OPTION_GROUP(options)},
    .codes = {{EXIT_DONE, "Ended by a signal"}, {EXIT_FAILED, "Failed; the last line says why"}},
    .size = sizeof(struct web_options),
};
