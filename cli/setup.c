/* galerna setup: checks an OpenNebula, and lists the necessary changes. */
#include "adapters/opennebula/setup.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adapters/opennebula/credentials.h"
#include "adapters/opennebula/rpc_endpoint.h"
#include "adapters/opennebula/setup_switch.h"
#include "cli/command.h"
#include "cli/setup.h"
#include "configuration/configuration.h"
#include "configuration/difference.h"
#include "daemon/control/control.h"
#include "daemon/store/promise_key.h"
#include "util/memory.h"

enum { ANSWER_TIMEOUT_MS = 20000, CONNECT_TIMEOUT_MS = 5000 };

/* The examination of one OpenNebula. */
struct examination {
    char *endpoint;
    struct setup_facts facts;
    struct setup_finding findings[SETUP_FINDINGS_MAX];
    size_t n;
};

static int ask(struct examination *examination, const struct live_configuration *live,
               const struct credentials *credentials, struct error *err)
{
    struct rpc_settings settings = {
        .endpoint = credentials->endpoint,
        .session = credentials->session,
        .allow_plaintext = live->allow_plaintext,
        .ca_file = live->ca_file,
        .timeout = ANSWER_TIMEOUT_MS,
        .connect_timeout = CONNECT_TIMEOUT_MS,
        .parallel = 1,
        .answer_limit = (size_t)live->answer_limit << 20,
    };
    struct rpc *rpc = rpc_create(&settings, err);
    int result;

    if (!rpc)
        return -1;
    result = setup_ask(&examination->facts, rpc, err);
    rpc_destroy(rpc);
    return result;
}

static void find_machine(struct setup_facts *facts, const char *endpoint)
{
    struct rpc_endpoint parsed;

    facts->local = rpc_endpoint_init(&parsed, endpoint, true, NULL) == 0 && parsed.loopback;
    if (!facts->local && parsed.host)
        snprintf(facts->remote, sizeof facts->remote, "%s", parsed.host);
    rpc_endpoint_finish(&parsed);
}

/* *file: where it is, or why it cannot be read; to be freed. -1: it cannot be read. */
static int fingerprint_key(const struct live_configuration *live, char text[PROMISE_KEY_NAME_MAX],
                           char **file)
{
    struct error err = {0};
    struct promise_key key;
    char *state = live_state_directory(live, NULL, &err);

    *file = state ? live_promise_key(live, state) : NULL;
    free(state);
    if (*file && promise_key_read(*file, &key, &err) == 0) {
        promise_key_name(&key, text);
        return 0;
    }
    free(*file);
    *file = memory_text(err.text);
    return -1;
}

static int examine(struct examination *examination, const struct configuration *configuration,
                   const struct setup_arguments *arguments, struct error *err)
{
    const struct live_configuration *live = &configuration->live;
    char fingerprint[CONFIGURATION_FINGERPRINT_MAX], key[PROMISE_KEY_NAME_MAX], *key_file;
    char *options;
    struct setup_settings settings = {.submit_on_hold = live->submit_on_hold,
                                      .fingerprint = fingerprint,
                                      .one_at_a_time = live->exclusive && live->leader_check,
                                      .dry_run = live->dry_run,
                                      .files = GALERNA_DRIVER_FOLDER};
    const char *endpoint = arguments->endpoint ? arguments->endpoint : live->endpoint;
    struct credentials credentials;
    int result;

    if (credentials_find(&credentials, endpoint, live->auth_file, err) < 0)
        return -1;
    if (credentials.warning[0])
        fprintf(stderr, "galerna setup: %s\n", credentials.warning);
    configuration_fingerprint(configuration, fingerprint);
    settings.options = options = memory_new(1, CONFIGURATION_DIGESTS_MAX);
    configuration_digests(configuration, options, CONFIGURATION_DIGESTS_MAX);
    settings.key = fingerprint_key(live, key, &key_file) == 0 ? key : NULL;
    settings.key_file = key_file;
    setup_facts_init(&examination->facts);
    result = ask(examination, live, &credentials, err);
    if (result == 0) {
        examination->endpoint = strdup(credentials.endpoint);
        find_machine(&examination->facts, credentials.endpoint);
        setup_look_around(&examination->facts, "");
        examination->n = setup_judge(&examination->facts, &settings, examination->findings);
    }
    credentials_finish(&credentials);
    free(key_file);
    free(options);
    return result;
}

/* Does galernad run, and answer? It may run on another machine than oned. */
static void find_daemon(struct examination *examination, const struct live_configuration *live)
{
    struct setup_finding *finding = &examination->findings[examination->n++];
    json_t *request = json_pack("{s:s}", "command", "status"), *answer;
    struct error err = {0};
    char *path = live_client_socket(live, &err);

    *finding = (struct setup_finding){.word = "galernad", .verdict = SETUP_UNSEEN};
    answer = path ? control_ask(path, request, CONNECT_TIMEOUT_MS, &err) : NULL;
    if (answer) {
        finding->verdict = SETUP_RIGHT;
        snprintf(finding->text, sizeof finding->text, "galernad runs (%s)", path);
    } else if (path && (err.code == ENOENT || err.code == ECONNREFUSED)) {
        finding->verdict = examination->facts.local ? SETUP_WRONG : SETUP_UNSEEN;
        snprintf(finding->text, sizeof finding->text,
                 "galernad does not run on this machine: nothing answers at %s", path);
        snprintf(finding->remedy, sizeof finding->remedy, "systemctl enable --now galernad");
    } else {
        snprintf(finding->text, sizeof finding->text, "whether galernad runs is unknown: %.400s",
                 err.text);
    }
    json_decref(answer);
    json_decref(request);
    free(path);
}

static bool is_wrong(const struct examination *examination)
{
    for (size_t i = 0; i < examination->n; i++)
        if (examination->findings[i].verdict == SETUP_WRONG)
            return true;
    return false;
}

/* Line by line, without the restart of oned. */
static void print_remedy(const char *remedy, int indentation)
{
    while (*remedy) {
        size_t length = strcspn(remedy, "\n");

        printf("%*s%.*s\n", indentation, "", (int)length, remedy);
        remedy += length + (remedy[length] == '\n');
    }
}

/* Prints the necessary changes, as steps in the order in which to do them. */
static void print_steps(const struct examination *examination)
{
    bool restart = false;
    int step = 0;

    for (size_t i = 0; i < examination->n; i++) {
        const struct setup_finding *finding = &examination->findings[i];

        if (finding->verdict != SETUP_WRONG)
            continue;
        if (!step)
            printf("\nMake these changes, in this order:\n");
        printf(" %2d. %s\n", ++step, finding->text);
        print_remedy(finding->remedy, 6);
        restart |= finding->restarts_oned;
    }
    if (restart)
        printf(" %2d. Restart oned to apply its new configuration\n      " SETUP_RESTART "\n",
               ++step);
    if (step)
        printf(" %2d. Start galernad and check the result\n"
               "      systemctl enable --now galernad\n      galerna setup --check\n",
               ++step);
}

/* All findings of one verdict. */
static void print_findings(const struct examination *examination, enum setup_verdict verdict,
                           const char *title)
{
    bool any = false;

    for (size_t i = 0; i < examination->n; i++) {
        const struct setup_finding *finding = &examination->findings[i];

        if (finding->verdict != verdict)
            continue;
        if (!any)
            printf("\n%s\n", title);
        any = true;
        printf("  - %s\n", finding->text);
        print_remedy(finding->remedy, 6);
        if (finding->restarts_oned)
            printf("      " SETUP_RESTART "\n");
    }
}

static void print_instructions(const struct examination *examination)
{
    printf("OpenNebula %s at %s\n", examination->facts.version, examination->endpoint);
    print_steps(examination);
    print_findings(examination, SETUP_UNSEEN, "Not checked:");
    print_findings(examination, SETUP_RIGHT, "Correct:");
    printf("\nThe files place, optimize and hook, and instructions for the hook that "
           "notifies\ngalernad of changes to VMs, are in\n%s.\n",
           GALERNA_DRIVER_FOLDER);
}

static void print_check(const struct examination *examination)
{
    for (size_t i = 0; i < examination->n; i++) {
        const struct setup_finding *finding = &examination->findings[i];

        printf("%-14s  %-13s  %s\n", setup_verdict_name(finding->verdict), finding->word,
               finding->text);
        if (finding->verdict != SETUP_WRONG)
            continue;
        print_remedy(finding->remedy, 31);
        if (finding->restarts_oned)
            printf("%31s" SETUP_RESTART "\n", "");
    }
}

static int print_json(const struct examination *examination)
{
    json_t *findings = json_array();
    json_t *document =
        json_pack("{s:s, s:i, s:s, s:s, s:b, s:o}", "schema", "galerna-setup", "version", 1,
                  "endpoint", examination->endpoint, "opennebula", examination->facts.version,
                  "right", !is_wrong(examination), "findings", findings);
    int result;

    for (size_t i = 0; i < examination->n; i++) {
        const struct setup_finding *finding = &examination->findings[i];
        static const char *const words[] = {"right", "wrong", "unknown"};

        json_array_append_new(
            findings, json_pack("{s:s, s:s, s:s, s:o}", "about", finding->word, "verdict",
                                words[finding->verdict], "text", finding->text, "remedy",
                                json_sprintf("%s%s", finding->remedy,
                                             finding->restarts_oned ? "\n" SETUP_RESTART : "")));
    }
    result = json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(document);
    return result;
}

static void print_step(void *context, const char *step)
{
    (void)context;
    printf("%s\n", step);
    fflush(stdout);
}

/* Otherwise only the first step would fail, with a message of systemctl's. */
static int check_root(struct error *err)
{
    return geteuid() == 0 ? 0 : error_set(err, EPERM, "this needs root: use sudo");
}

static int apply(const struct examination *examination, struct error *err)
{
    const struct setup_switch settings = {.root = "",
                                          .files = GALERNA_DRIVER_FOLDER,
                                          .major = examination->facts.major,
                                          .done = print_step};

    if (check_root(err) < 0)
        return -1;
    if (!examination->facts.local)
        return error_set(err, EINVAL, "OpenNebula is on %s: run this command there",
                         examination->facts.remote);
    if (examination->facts.major != 6 && examination->facts.major != 7)
        return error_set(err, EINVAL, "OpenNebula %s is not supported: Galerna needs 6.x or 7.x",
                         examination->facts.version);
    if (setup_apply(&settings, err) < 0)
        return -1;
    printf("Galerna schedules this OpenNebula now; 'galerna setup --check' checks it, and 'galerna "
           "setup --revert' switches back.\n");
    return 0;
}

static int revert(struct error *err)
{
    const struct setup_switch settings = {
        .root = "", .files = GALERNA_DRIVER_FOLDER, .done = print_step};

    if (check_root(err) < 0 || setup_revert(&settings, err) < 0)
        return -1;
    printf("OpenNebula's own scheduler places VMs again. It starts the VMs of leases that wait or "
           "are reserved as soon as there is room.\n");
    return 0;
}

static int check_arguments(const struct setup_arguments *arguments, struct error *err)
{
    const char *way = arguments->apply ? "--apply" : "--revert";

    if (arguments->apply && arguments->revert)
        return error_set(err, EINVAL, "--apply and --revert are mutually exclusive");
    if ((arguments->apply || arguments->revert) && (arguments->check || arguments->json))
        return error_set(err, EINVAL, "%s and %s are mutually exclusive", way,
                         arguments->check ? "--check" : "--json");
    return 0;
}

int command_setup(const struct call *call)
{
    const struct setup_arguments *arguments = call->arguments;
    struct examination examination = {0};
    struct configuration *configuration;
    struct error err = {0};
    int code;

    if (check_arguments(arguments, &err) < 0) {
        fprintf(stderr, "galerna setup: %s\n", err.text);
        return EXIT_USAGE;
    }
    if (arguments->revert)
        return revert(&err) < 0 ? command_failed(call->name, &err) : EXIT_DONE;
    configuration = live_configuration_read(arguments->file, NULL, &err);
    if (!configuration || examine(&examination, configuration, arguments, &err) < 0) {
        configuration_destroy(configuration);
        return command_failed(call->name, &err);
    }
    if (arguments->check || arguments->json)
        find_daemon(&examination, &configuration->live);
    code = arguments->check && is_wrong(&examination) ? EXIT_FAILED : EXIT_DONE;
    if (arguments->apply)
        code = apply(&examination, &err) < 0 ? command_failed(call->name, &err) : EXIT_DONE;
    else if (arguments->json)
        print_json(&examination);
    else if (arguments->check)
        print_check(&examination);
    else
        print_instructions(&examination);
    free(examination.endpoint);
    setup_facts_finish(&examination.facts);
    configuration_destroy(configuration);
    return code;
}
