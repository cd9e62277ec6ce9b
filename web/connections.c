/* Closes the slowest connections. */
#include "web/connections.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "util/memory.h"

struct connection {
    int descriptor;
    bool kept, closing;
    uint64_t since; /* the count of changes at its last one */
    struct connection *next, **place;
};

struct connections {
    pthread_mutex_t lock; /* of all that follows, and of the connections */
    struct connection *first;
    unsigned n; /* without those that are closing */
    uint64_t changes;
};

struct connections *connections_create(void)
{
    struct connections *connections = memory_new(1, sizeof *connections);

    pthread_mutex_init(&connections->lock, NULL);
    return connections;
}

void connections_destroy(struct connections *connections)
{
    if (!connections)
        return;
    pthread_mutex_destroy(&connections->lock);
    free(connections);
}

/* Call it with the lock held. The newest one is never kept. */
static void close_slowest(struct connections *connections)
{
    struct connection *slowest = connections->first;

    for (struct connection *one = connections->first; one; one = one->next)
        if (!one->kept && !one->closing && one->since < slowest->since)
            slowest = one;
    shutdown(slowest->descriptor, SHUT_RDWR); /* wakes its thread */
    slowest->closing = true;
    connections->n--;
}

struct connection *connections_join(struct connections *connections, int descriptor)
{
    struct connection *connection = memory_new(1, sizeof *connection);

    connection->descriptor = descriptor;
    pthread_mutex_lock(&connections->lock);
    connection->since = ++connections->changes;
    connection->next = connections->first;
    connection->place = &connections->first;
    if (connection->next)
        connection->next->place = &connection->next;
    connections->first = connection;
    if (++connections->n > CONNECTIONS_MAX)
        close_slowest(connections);
    pthread_mutex_unlock(&connections->lock);
    return connection;
}

void connections_leave(struct connections *connections, struct connection *connection)
{
    pthread_mutex_lock(&connections->lock);
    *connection->place = connection->next;
    if (connection->next)
        connection->next->place = connection->place;
    connections->n -= !connection->closing;
    pthread_mutex_unlock(&connections->lock);
    free(connection);
}

void connections_keep(struct connections *connections, struct connection *connection, bool kept)
{
    pthread_mutex_lock(&connections->lock);
    connection->kept = kept;
    connection->since = ++connections->changes;
    pthread_mutex_unlock(&connections->lock);
}
