/* connections.h: which connection is closed when too many clients are connected.
 *
 * Clients that send or read slowly, or do nothing, must not keep others out: at
 * CONNECTIONS_MAX, each new connection replaces the one whose request has been arriving, or whose
 * answer has been leaving, for the longest time. Connections that wait for their answer, and
 * streams, are kept. Thread-safe.
 */
#pragma once

#include <stdbool.h>

enum { CONNECTIONS_MAX = 48 }; /* below CONTROL_CLIENTS_MAX: leaves connections to galernad */

struct connections; /* opaque */
struct connection;

struct connections *connections_create(void);
/* After all connections have left; NULL is allowed. */
void connections_destroy(struct connections *connections);

/* A client has connected. May shut down a socket, whose owner then closes it: another one's, or
 * this one if all others are kept. O(n). */
struct connection *connections_join(struct connections *connections, int descriptor);
/* Before the descriptor is closed. */
void connections_leave(struct connections *connections, struct connection *connection);

/* The connection waits for its answer, or is a stream (kept); or its answer is being sent, or its
 * next request is awaited (not kept). */
void connections_keep(struct connections *connections, struct connection *connection, bool kept);
