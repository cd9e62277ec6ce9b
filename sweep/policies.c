/* Loads the policies of a sweep before the first cell, to report a misspelt name once, with its
 * line, instead of for each cell. */
#include <string.h>

#include "configuration/site_text.h"
#include "plugin/configured.h"
#include "sweep/digest.h"
#include "sweep/grid.h"
#include "util/memory.h"
#include "util/standard_output.h"

/* A digest of all settings on which the creation of a cell's policies depends. */
static uint64_t policies_digest(const struct configuration *configuration)
{
    struct digest digest;

    digest_init(&digest);
    digest_number(&digest, configuration->compatibility);
    digest_text(&digest, configuration->module_path);
    digest_text(&digest, configuration->resources);
    digest_text(&digest, configuration->policy_admission);
    digest_text(&digest, configuration->policy_preemption);
    digest_text(&digest, configuration->policy_host_selection);
    for (size_t i = 0; i < configuration->n_policy_settings; i++) {
        digest_text(&digest, configuration->policy_settings[i].policy);
        digest_text(&digest, configuration->policy_settings[i].name);
        digest_text(&digest, configuration->policy_settings[i].value);
    }
    return digest.value;
}

static bool is_checked(const struct sweep *sweep, uint64_t digest)
{
    for (size_t i = sweep->n_checked; i > 0; i--)
        if (sweep->checked[i - 1] == digest)
            return true;
    return false;
}

static void note_checked(struct sweep *sweep, uint64_t digest)
{
    MEMORY_GROW(sweep->checked, sweep->checked_allocated, sweep->n_checked + 1);
    sweep->checked[sweep->n_checked++] = digest;
}

static int try_policies(const struct configuration *configuration, const struct site *site,
                        struct error *err)
{
    const struct policy_driver driver = {.site = site};
    int saved = standard_output_divert();
    struct policy_host *host = policy_host_configured(configuration, &driver, err);

    policy_host_destroy(host);
    standard_output_restore(saved);
    return host ? 0 : -1;
}

/* The line of a chain that cannot be created; NULL: each chain alone can be created. */
static const struct ini_entry *find_culprit(const struct configuration *configuration,
                                            const struct site *site)
{
    static const char *const keys[] = {"policy-admission", "policy-preemption",
                                       "policy-host-selection"};

    for (int kind = 0; kind < 3; kind++) {
        struct configuration one = *configuration;

        if (kind != 0)
            one.policy_admission = NULL;
        if (kind != 1)
            one.policy_preemption = NULL;
        if (kind != 2)
            one.policy_host_selection = NULL;
        if (try_policies(&one, site, NULL) < 0)
            return ini_find(&configuration->ini, "scheduling", keys[kind]);
    }
    return NULL;
}

static int say_where(const struct ini_entry *culprit, struct error *err)
{
    char where[256];

    /* The error of an option's value already has its line. */
    if (!culprit || !culprit->origin ||
        !strncmp(err->text, culprit->origin, strlen(culprit->origin)))
        return -1;
    return error_prefix(err, "%s", ini_where(culprit, where, sizeof where));
}

int grid_check_policies(struct sweep *sweep, const struct configuration *configuration,
                        struct error *err)
{
    uint64_t digest = policies_digest(configuration);
    struct site site;
    bool has_site;
    int result;

    if (is_checked(sweep, digest))
        return 0;
    /* A cell without its own hosts uses the hosts of its trace, which are not yet known here. */
    has_site =
        configuration->resources && site_text_parse(configuration->resources, &site, NULL) == 0;
    result = try_policies(configuration, has_site ? &site : NULL, err);
    if (result == 0)
        note_checked(sweep, digest);
    else if (err)
        say_where(find_culprit(configuration, has_site ? &site : NULL), err);
    if (has_site)
        site_finish(&site);
    return result;
}
