/* listing.h: commands that print a list from an answer of galernad, sorted, in several formats,
 * once or repeatedly.
 *
 * Orders and forms other than the table are made from the JSON document, by its keys, so that all
 * lists have them. In CSV (RFC 4180) nothing that a VM owner wrote is a formula: a text that begins
 * with =, +, - or @ gets an apostrophe.
 */
#pragma once

#include "cli/client.h"

struct listing {
    struct client client;
    int output; /* enum listing_output */
    const char *sort;
    int64_t watch; /* seconds; 0: print once */
};

enum listing_output { LISTING_TABLE, LISTING_WIDE, LISTING_JSON, LISTING_CSV, LISTING_NAME };

/* --output, --sort and --watch, and the options of the client. */
enum { LISTING_OPTIONS = 3 };
extern const struct command_option listing_options[LISTING_OPTIONS];
#define LISTING_GROUP                                                                              \
    {                                                                                              \
        .options = listing_options, .n = LISTING_OPTIONS                                           \
    }

/* Contents of a listing. */
struct listing_kind {
    const char *command; /* of galernad */
    const char *list;    /* key of the array in its answer */
    const char *name;    /* key of the field that names an item on the command line */
    const char *fields;  /* keys of all fields, separated by commas: the columns of CSV */
    /* Shortens or orders the array of a new answer before it is printed; NULL: as it comes. A new
     * reference. */
    json_t *(*arrange)(const json_t *list, const void *arguments);
    /* Prints a table, at most `width` characters wide (0: any). */
    void (*print)(const json_t *answer, size_t width, const void *arguments);
};

/* A whole command: sends the request, which it takes over, and prints the list. arguments begin
 * with the struct listing. Returns the exit code. */
int listing_run(const struct call *call, const struct listing_kind *kind, json_t *request);
