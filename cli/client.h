/* client.h: shared by the commands that talk to galernad. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/command_line.h"

struct client {
    const char *command; /* for messages */
    const char *socket, *state_dir;
    bool json;
    const char *tolerates; /* the code of a refusal that is not reported; NULL */
};

/* --json, --socket and --state-dir: the option group of all commands that query galernad. at: the
 * offset of struct client in the structure of the arguments. */
enum { CLIENT_OPTIONS = 3 };
extern const struct command_option client_options[CLIENT_OPTIONS];
#define CLIENT_GROUP_AT(at)                                                                        \
    {                                                                                              \
        .options = client_options, .n = CLIENT_OPTIONS, .offset = (at)                             \
    }
#define CLIENT_GROUP CLIENT_GROUP_AT(0)

/* Exit codes of commands that only read, and of commands on one lease. */
#define CLIENT_CODES                                                                               \
    {EXIT_DONE, "Success"},                                                                        \
    {                                                                                              \
        EXIT_FAILED, "galernad does not answer or reports an error"                                \
    }
#define CLIENT_LEASE_CODES                                                                         \
    {EXIT_DONE, "Success"},                                                                        \
    {                                                                                              \
        EXIT_FAILED, "The lease does not exist, or galernad does not answer or reports an error"   \
    }

/* Members of the struct command_line of a command on one lease. */
#define CLIENT_OF_LEASE                                                                            \
    .operands = "LEASE", .groups = {CLIENT_GROUP}, .codes = {CLIENT_LEASE_CODES},                  \
    .offer = client_offer_leases, .size = sizeof(struct client)

/* Prints the numbers of unfinished leases, one per line, for completion. */
void client_offer_leases(FILE *stream);
/* For completion: prints each line of the list in the answer to a command. */
void client_offer(const char *command, const char *list,
                  void (*print)(FILE *stream, const json_t *line), FILE *stream);

/* Queries the daemon; takes over the request and adds "command". NULL: an error or refusal, with
 * the exit code in *code and a message, or with -1 and no message for the refusal that the client
 * tolerates. Warns on standard error if the answer may be outdated. */
json_t *client_ask(const struct client *client, const char *command, json_t *request, int *code);

/* Prints an answer as one document. Returns the exit code. */
int client_print_json(const struct client *client, const json_t *answer);

/* Prints an answer as one document or, as text, with print(). Takes over the answer. Returns the
 * exit code. */
int client_print(const struct client *client, json_t *answer, void (*print)(const json_t *answer));

/* client_ask() and client_print(). Returns the exit code. */
int client_show(const struct client *client, const char *command, json_t *request,
                void (*print)(const json_t *answer));

/* Fields of an answer; wrong or missing ones are "", 0, false, INSTANT_NONE, SPAN_NONE. */
const char *client_text(const json_t *object, const char *key);
int64_t client_integer(const json_t *object, const char *key);
int64_t client_instant(const json_t *object, const char *key);
int64_t client_span(const json_t *object, const char *key);

/* take() of an option whose value is a time: an int64_t, seconds since 1970. */
int client_take_time(const struct command_option *option, void *value, const char *text,
                     struct error *err);
/* take() of an option for a time in the past: "-2d" is two days ago, and a time of day is the most
 * recent one. */
int client_take_past(const struct command_option *option, void *value, const char *text,
                     struct error *err);
/* Adds a time to a request if it was given (not 0). */
void client_put_time(json_t *request, const char *field, int64_t instant);

/* Prints a text of several lines, made safe for a terminal. */
void client_print_lines(const json_t *answer, const char *field);

/* Reads the number of a lease on the command line: "17". -1: success, otherwise the exit code. */
int client_lease_number(const struct client *client, const char *text, int64_t *number);

/* Runs a whole command whose arguments are a struct client: sends `command` to the daemon, with the
 * number of a lease if there is an operand, and prints the answer. Returns the exit code. */
int client_run(const struct call *call, const char *command, void (*print)(const json_t *answer));
