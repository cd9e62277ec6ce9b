/* host_text.h: hosts as operands and in the output of commands. */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/time_text.h"

struct call;
struct client;

enum { DRAIN_TEXT_MAX = 2 * TIME_TEXT_MAX + 96 };

/* The booking that a host's first drain belongs to; "": none. */
const char *host_booking(const json_t *host);

/* The time of a host's drain or booking: "began 5m ago", "for 'course', begins in 2h, ends in 3h";
 * "": none. */
void host_drain_text(const json_t *host, int64_t now, char *text, size_t size);

/* Prints a line, indented by `indent` blanks, for each reason why VMs cannot leave the drained
 * host. */
void host_print_staying(const json_t *host, int indent, FILE *stream);

/* An id or a name as a value of a request; NULL: not UTF-8. */
json_t *host_operand(const char *text);

/* Sends a command for each host operand, and prints the answers. The arguments begin with a struct
 * client. request: further values of each command, or NULL. Returns the exit code of the last
 * failed command, if any. */
int host_ask(const struct call *call, const char *command, json_t *request,
             void (*print)(const json_t *answer));

/* Prints a table of VMs on drained hosts and their fates. */
void host_print_fates(const json_t *vms);

/* --- host_book.c --- */
/* Prints the current and planned bookings. Returns the exit code. */
int host_list_bookings(const struct client *client);

/* Prints the ids and names of hosts, one per line, for completion. */
void host_offer(FILE *stream);
