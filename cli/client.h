/* client.h: what the commands that talk to galernad have in common. */
#ifndef GALERNA_CLI_CLIENT_H
#define GALERNA_CLI_CLIENT_H

#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct client {
    const char *command; /* for messages */
    const char *socket, *state_dir;
    bool json;
    const char *tolerates; /* the code of a refusal that is no news; NULL */
};

/* A command's own options, besides --socket, --state-dir, --json and --help. */
struct client_options {
    const struct option *options; /* ended by one without a name; vals from 1 to 127 */
    /* Takes one. -1: go on, else the exit code after a message. */
    int (*take)(void *context, const char *command, int letter, const char *value);
    void *context;
    void (*help)(void);
};

/* Parse the command line; operands begin at optind. -1: go on, else the exit code. */
int client_parse(struct client *client, int argc, char **argv, const struct client_options *own);

/* Print the help on the shared options, for the end of a command's own list. */
void client_help(void);

/* Ask the daemon; takes the request, which gets its "command". NULL: *code is the exit code, after
 * a message; or -1, without one, for the refusal that the client tolerates. An answer that says no
 * counts as none. */
json_t *client_ask(const struct client *client, const char *command, json_t *request, int *code);

/* Print an answer as one document. Returns the exit code. */
int client_print_json(const struct client *client, const json_t *answer);

/* Print an answer, which is given away, as one document or, for people, with print(). Returns the
 * exit code. */
int client_print(const struct client *client, json_t *answer, void (*print)(const json_t *answer));

/* Fields of an answer; wrong or missing ones are "", 0, false, INSTANT_NONE, SPAN_NONE. */
const char *client_text(const json_t *object, const char *key);
int64_t client_integer(const json_t *object, const char *key);
int64_t client_instant(const json_t *object, const char *key);
int64_t client_span(const json_t *object, const char *key);

/* The number of a lease on the command line: "17". -1: fine, else the exit code. */
int client_lease_number(const struct client *client, const char *text, int64_t *number);

/* A command that asks, prints the answer and has no options of its own. */
struct client_question {
    const char *command; /* the daemon's */
    void (*help)(void);
    void (*print)(const json_t *answer);
};

/* All of such a command, without operands or with the number of a lease. Returns the exit code. */
int client_run(int argc, char **argv, const struct client_question *question);
int client_run_for_lease(int argc, char **argv, const struct client_question *question);

#endif
