/* Publishes what the front-ends of a zone compare. */
#include "daemon/live/front_end.h"

#include <stdio.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"

#define LOG_SUBSYSTEM LOG_OF_DAEMON

void front_end_init(struct front_end *front_end, struct cloud *cloud, const char *key,
                    const struct configuration *configuration)
{
    *front_end = (struct front_end){.cloud = cloud};
    gethostname(front_end->host, sizeof front_end->host - 1);
    snprintf(front_end->key, sizeof front_end->key, "%s", key);
    front_end_configured(front_end, configuration);
}

void front_end_configured(struct front_end *front_end, const struct configuration *configuration)
{
    configuration_fingerprint(configuration, front_end->configuration);
    configuration_digests(configuration, front_end->options, sizeof front_end->options);
    front_end->next = 0;
}

static void published(void *context, const struct cloud_reply *reply)
{
    struct front_end *front_end = context;

    front_end->in_flight = false;
    if (reply->outcome != CLOUD_DONE)
        log_debug("cannot publish the options of this front-end: %s", reply->message);
}

void front_end_step(struct front_end *front_end, int32_t server)
{
    int64_t now = clock_monotonic();

    if (!front_end->cloud || server < 0 || front_end->in_flight || now < front_end->next)
        return;
    front_end->next = now + FRONT_END_EVERY * 1000;
    front_end->in_flight = true;
    cloud_publish(front_end->cloud,
                  &(struct cloud_front_end){.server = server,
                                            .host = front_end->host,
                                            .seen = clock_now(),
                                            .key = front_end->key,
                                            .configuration = front_end->configuration,
                                            .options = front_end->options},
                  published, front_end);
}
