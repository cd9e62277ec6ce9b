/* host_text.h: hosts as operands of commands, and what commands print of them. */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/time_text.h"

struct call;
struct client;

enum { DRAIN_TEXT_MAX = 2 * TIME_TEXT_MAX + 96 };

/* When a host is drained or booked: "began 5m ago", "for 'course', begins in 2h, ends in 3h"; "":
 * never. */
void host_drain_text(const json_t *host, int64_t now, char *text, size_t size);

/* Print a line, indented by so many blanks, for each VM that cannot leave the drained host. */
void host_print_staying(const json_t *host, int indent, FILE *stream);

/* An id or a name as a value of a request; NULL: not UTF-8. */
json_t *host_operand(const char *text);

/* Send a command for each host that is an operand, and print the answers. The arguments begin with
 * a struct client. request: further values of each command, or NULL. Returns the exit code: that of
 * the last command that failed, if any did. */
int host_ask(const struct call *call, const char *command, json_t *request,
             void (*print)(const json_t *answer));

/* Print a table of VMs on drained hosts and what happens to them. */
void host_print_fates(const json_t *vms);

/* Print the current and planned bookings. Returns the exit code. */
int host_list_bookings(const struct client *client);

/* Print the hosts, ids and names, one a line, for completion. */
void host_offer(FILE *stream);
