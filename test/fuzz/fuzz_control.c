/* Requests on the control socket, from arbitrary bytes: through a real connection, to the real
 * answers, over a small store. What is answered must be JSON. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/control/answers.h"
#include "daemon/control/control.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct stage {
    char directory[64], path[96];
    struct store *store;
    struct answers *answers;
    struct control *control;
};

static int64_t now(void *context)
{
    return 1795273200;
}

static void status(void *context, json_t *object)
{
}

static const char *outdated(void *context, char *text, size_t size, int64_t *since)
{
    snprintf(text, size, "no answer");
    *since = 0;
    return "opennebula";
}

static uint64_t none(void *context)
{
    return 0;
}

static void each_host(void *context, int32_t which,
                      void (*visit)(void *visitor, const struct host_view *host), void *visitor)
{
    if (which == 4 || which == HOSTS_ALL)
        visit(visitor, &(struct host_view){.id = 4, .name = "alpha", .state = "on"});
}

static const char *host_name(void *context, const char *name, int64_t *id)
{
    if (name ? strcmp(name, "alpha") != 0 : *id != 4)
        return NULL;
    *id = 4;
    return "alpha";
}

static void each_booking(void *context, const char *user,
                         void (*visit)(void *visitor, const struct booking *booking), void *visitor)
{
    char users[] = "anna", none[] = "";

    if (!user)
        visit(visitor,
              &(struct booking){.name = "course", .users = users, .groups = none, .owner = none});
}

static int drain(void *context, const struct drain_order *order, const char *who,
                 const struct drain_viewer *viewer, struct error *err)
{
    if (order->booking && !booking_name_is_valid(order->booking->name))
        abort();
    viewer->show(viewer->context, &(struct drain_result){.accepted = !order->user,
                                                         .hosts = order->hosts,
                                                         .n_hosts = order->any ? 0 : order->n_hosts,
                                                         .instead_from = order->from});
    return 0;
}

static int unbook(void *context, const struct unbook_order *order, const char *who,
                  const struct drain_viewer *viewer, struct error *err)
{
    if (strcmp(order->booking, "course") != 0)
        return error_set(err, ENOENT, "booking '%s' does not exist", order->booking);
    viewer->show(viewer->context, &(struct drain_result){.accepted = true});
    return 0;
}

static int each_operation(void *context, int32_t host,
                          void (*visit)(void *visitor, const struct operation_view *operation),
                          void *visitor, struct error *err)
{
    if (host == 4)
        visit(visitor, &(struct operation_view){.lease = 1, .vm = 1, .what = "run"});
    return 0;
}

static int change(void *context, const struct change_order *order, struct lease_trial *trial,
                  struct error *err)
{
    *trial = (struct lease_trial){.in_the_way = 4, .start = INSTANT_NONE, .duration = 60};
    return 0;
}

static int cancel(void *context, int64_t lease, const char *who, struct error *err)
{
    return 0;
}

static int dry_run(void *context, const struct order *order, struct planner_trial *trial,
                   struct error *err)
{
    trial->accepted = order->count < 4;
    return 0;
}

/* The texts that would go to OpenNebula are made. */
static int request(void *context, const struct order *order, const struct control_peer *peer,
                   struct error *err)
{
    const struct stage *on = context;
    char text[ORDER_TEXT_MAX];
    int32_t vm = 7;

    if (order_template(order, "group", 0, text) >= sizeof text || strchr(text, '\\'))
        abort();
    control_answer(on->control, peer->ticket, answers_requested(&vm, 1));
    return 0;
}

static void wake(void *context)
{
}

static int trace(void *context, int64_t lease, json_t *object, struct error *err)
{
    return lease == 1 ? 0 : error_set(err, ENOENT, "lease %" PRId64 " has no trace", lease);
}

static struct account_row *usage(void *context, struct account_period *period, size_t *n,
                                 struct error *err)
{
    error_set(err, EAGAIN, "no history was read yet");
    return NULL;
}

static int rebalance_cluster(void *context, const struct rebalance_order *order, const char *who,
                             void (*show)(void *viewer, const struct rebalance_view *plan),
                             void *viewer, struct error *err)
{
    return error_set(err, ENOENT, "the cluster does not exist");
}

static int undrain(void *context, const struct undrain_order *order, const char *who,
                   struct error *err)
{
    return order->host == 4 ? 0 : error_set(err, ENOENT, "the host is not drained");
}

static int release_host(void *context, int32_t host, const char *who, struct error *err)
{
    return host == 4 ? 0 : error_set(err, ENOENT, "the host is not quarantined");
}

static void log_levels(void *context, json_t *object)
{
    json_object_set_new(object, "daemon", json_string("info"));
}

static int log_set(void *context, const char *level, const char *subsystem, struct error *err)
{
    return strcmp(level, "info") == 0 ? 0 : error_set(err, EINVAL, "unknown level");
}

static void open_stage(struct stage *new, struct answers_daemon *daemon)
{
    struct error err = {0};

    snprintf(new->directory, sizeof new->directory, "/tmp/galerna-fuzz-XXXXXX");
    if (!mkdtemp(new->directory))
        abort();
    snprintf(new->path, sizeof new->path, "%s/control.sock", new->directory);
    *daemon = (struct answers_daemon){
        .context = new,
        .now = now,
        .status = status,
        .outdated = outdated,
        .readings = none,
        .host_changes = none,
        .each_host = each_host,
        .host_name = host_name,
        .each_operation = each_operation,
        .each_booking = each_booking,
        .drain = drain,
        .unbook = unbook,
        .cancel = cancel,
        .change = change,
        .hold = cancel,
        .dry_run = dry_run,
        .request = request,
        .trace = trace,
        .usage = usage,
        .rebalance = rebalance_cluster,
        .undrain = undrain,
        .release_host = release_host,
        .log_levels = log_levels,
        .log_set = log_set,
        .wake = wake,
    };
    new->store = store_open(new->directory, &err);
    if (!new->store)
        abort();
    for (int i = 0; i < 3; i++) {
        store_add_lease(new->store, i)->phase = i == 2 ? PHASE_ENDED : PHASE_WAITING;
        store_add_vm(new->store, i, i)->gone = true;
    }
    if (store_commit(new->store, &err) < 0)
        abort();
    store_forget_lease(new->store, 2);
    new->answers = answers_create(new->store, daemon);
    new->control = control_create(new->path, NULL, answers_handle, new->answers, &err);
    if (!new->control)
        abort();
}

/* One for all inputs: none of them changes it. */
static struct stage stage;

static void close_stage(void)
{
    static const char *const files[] = {"store.db", "store.db-wal", "store.db-shm", "store.seal",
                                        "lock"};
    char path[128];

    control_destroy(stage.control);
    answers_destroy(stage.answers);
    store_close(stage.store);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", stage.directory, files[i]);
        unlink(path);
    }
    rmdir(stage.directory);
}

static void check_answers(char *text)
{
    char *rest = text;

    for (char *line; (line = strsep(&rest, "\n")) && rest;) {
        json_t *answer = json_loads(line, 0, NULL);

        if (!json_is_boolean(json_object_get(answer, "ok")))
            abort();
        json_decref(answer);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { ANSWERS_MAX = 1 << 20 };
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    static struct answers_daemon daemon;
    char *text = malloc(ANSWERS_MAX);
    size_t length = 0;
    ssize_t n;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

    if (!stage.control) {
        open_stage(&stage, &daemon);
        atexit(close_stage);
    }
    snprintf(address.sun_path, sizeof address.sun_path, "%s", stage.path);
    if (fd < 0 || !text || connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
        abort();
    /* More than fits into the socket's buffer is of no interest. */
    n = send(fd, data, size, MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
    for (int i = 0; i < 50 && n > 0; i++) {
        control_serve(stage.control);
        n = recv(fd, text + length, ANSWERS_MAX - 1 - length, 0);
        length += n > 0 ? (size_t)n : 0;
        n = n == 0 ? 0 : 1;
    }
    text[length] = '\0';
    check_answers(text);
    free(text);
    close(fd);
    control_serve(stage.control);
    return 0;
}
