/* The keys of a stream: one table to read, check and describe them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lwf/generate.h"
#include "lwf/generate_math.h"
#include "util/decimal.h"
#include "util/suggest.h"
#include "util/words.h"

enum { VALUE_MAX = 512 };

enum key_type { KEY_NUMBER, KEY_WHOLE, KEY_DURATION, KEY_RANGE, KEY_DURATIONS, KEY_SPECIAL };

enum {
    LUBLIN = 1 << GENERATE_TYPELESS | 1 << GENERATE_BATCH | 1 << GENERATE_INTERACTIVE |
             1 << GENERATE_TWO_TYPES,
    POISSON = 1 << GENERATE_POISSON,
    BAGS = 1 << GENERATE_BAGS,
    RESERVATIONS = 1 << GENERATE_RESERVATIONS,
    ALL = (1 << GENERATE_MODELS) - 1,
};

struct key {
    const char *name;
    enum key_type type;
    unsigned models;
    size_t offset;
    double least, most;
    int (*read)(struct generate_stream *stream, const char *text, struct error *err);
    const char *description;
};

static const struct {
    const char *name, *description;
} models[GENERATE_MODELS] = {
    [GENERATE_TYPELESS] = {"typeless", "Lublin and Feitelson, all jobs as one kind"},
    [GENERATE_BATCH] = {"batch", "Lublin and Feitelson, batch jobs"},
    [GENERATE_INTERACTIVE] = {"interactive", "Lublin and Feitelson, interactive jobs"},
    [GENERATE_TWO_TYPES] = {"two-types", "Lublin and Feitelson, batch and interactive jobs"},
    [GENERATE_POISSON] = {"poisson", "independent arrivals at a constant rate"},
    [GENERATE_BAGS] = {"bags", "bags of equal tasks, with peak hours"},
    [GENERATE_RESERVATIONS] = {"reservations", "advance reservations by rho, delta and nu"},
};

static const struct generate_class classes[] = {
    {"best-effort", LEASE_BEST_EFFORT, TERMS_SUSPENDABLE, ORIGIN_LOCAL},
    {"local", LEASE_RESERVATION, TERMS_NON_PREEMPTABLE, ORIGIN_LOCAL},
    {"local-immediate", LEASE_IMMEDIATE, TERMS_NON_PREEMPTABLE, ORIGIN_LOCAL},
    {"cancelable", LEASE_BEST_EFFORT, TERMS_CANCELABLE, ORIGIN_EXTERNAL},
    {"suspendable", LEASE_BEST_EFFORT, TERMS_SUSPENDABLE, ORIGIN_EXTERNAL},
    {"restartable", LEASE_BEST_EFFORT, TERMS_RESTARTABLE, ORIGIN_EXTERNAL},
    {"migratable", LEASE_DEADLINE, TERMS_MIGRATABLE, ORIGIN_EXTERNAL},
    {"non-preemptable", LEASE_RESERVATION, TERMS_NON_PREEMPTABLE, ORIGIN_EXTERNAL},
};

enum { CLASSES = sizeof classes / sizeof *classes };

static const struct generate_class *find_class(const char *name, size_t length)
{
    for (size_t i = 0; i < CLASSES; i++)
        if (strlen(classes[i].name) == length && strncmp(classes[i].name, name, length) == 0)
            return &classes[i];
    return NULL;
}

/* A number of seconds, or a number followed by s, m, h or d. */
static bool read_duration(const char *text, double *seconds)
{
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    char number[32];
    size_t length = strlen(text);
    double factor = 1;

    if (length == 0 || length >= sizeof number)
        return false;
    memcpy(number, text, length + 1);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (number[length - 1] == units[i].letter) {
            factor = units[i].seconds;
            number[length - 1] = '\0';
            break;
        }
    if (decimal_parse_real(number, seconds) < 0)
        return false;
    *seconds *= factor;
    return true;
}

/* CLASS[:WEIGHT][+CLASS[:WEIGHT]]... */
static int read_classes(struct generate_stream *stream, const char *text, struct error *err)
{
    stream->n_classes = 0;
    for (const char *word = text;;) {
        size_t length = strcspn(word, "+"), name = strcspn(word, ":+");
        struct generate_share share = {find_class(word, name), 1};
        char number[32] = "1";

        if (!share.class)
            return error_set(err, EINVAL,
                             "class: '%.*s' is not one of best-effort, local, local-immediate, "
                             "cancelable, suspendable, restartable, migratable, non-preemptable",
                             (int)(name < 40 ? name : 40), word);
        if (name < length && length - name - 1 < sizeof number)
            snprintf(number, sizeof number, "%.*s", (int)(length - name - 1), word + name + 1);
        if (decimal_parse_real(number, &share.weight) < 0 || !(share.weight > 0) ||
            share.weight > 1e9)
            return error_set(err, EINVAL,
                             "class: the weight of %s is '%.20s', expected a number above 0",
                             share.class->name, number);
        if (stream->n_classes == GENERATE_CLASSES_MAX)
            return error_set(err, EINVAL, "class: more than %d classes", GENERATE_CLASSES_MAX);
        stream->classes[stream->n_classes++] = share;
        if (!word[length])
            return 0;
        word += length + 1;
    }
}

static int read_kind(struct generate_stream *stream, const char *text, struct error *err)
{
    int kind = words_find(lease_kind_words, LEASE_KINDS, text);

    if (kind < 0)
        return error_set(
            err, EINVAL,
            "kind: '%.40s' is not one of best-effort, immediate, reservation, deadline", text);
    stream->kind = kind;
    return 0;
}

static int read_priority(struct generate_stream *stream, const char *text, struct error *err)
{
    const struct lease_term *term = &lease_terms[TERM_ID_priority];
    char expected[TERM_EXPECTED_MAX];
    struct term_values values;

    stream->priority_by_vms = strcmp(text, "vms") == 0;
    if (stream->priority_by_vms)
        return 0;
    if (term_read(term, text, &values, expected) < 0)
        return error_set(err, EINVAL, "priority: '%.40s', expected %s or the word vms", text,
                         expected);
    stream->priority = values.priority;
    return 0;
}

static int read_time_law(struct generate_stream *stream, const char *text, struct error *err)
{
    stream->time_fixed = strcmp(text, "fixed") == 0;
    if (!stream->time_fixed && strcmp(text, "exponential") != 0)
        return error_set(err, EINVAL, "time-law: '%.40s', expected exponential or fixed", text);
    return 0;
}

static int read_bag(struct generate_stream *stream, const char *text, struct error *err)
{
    stream->bags.together = strcmp(text, "lease") == 0;
    if (!stream->bags.together && strcmp(text, "tasks") != 0)
        return error_set(err, EINVAL, "bag: '%.40s', expected lease or tasks", text);
    return 0;
}

static int read_slack_of(struct generate_stream *stream, const char *text, struct error *err)
{
    stream->slack_of_deadline = strcmp(text, "deadline") == 0;
    if (!stream->slack_of_deadline && strcmp(text, "all") != 0)
        return error_set(err, EINVAL, "slack-of: '%.40s', expected all or deadline", text);
    return 0;
}

#define AT(member) offsetof(struct generate_stream, member)
#define LUBLIN_KEY(name, member, least, most, text)                                                \
    {                                                                                              \
        name, KEY_NUMBER, LUBLIN, AT(lublin[0].member), least, most, NULL, text                    \
    }

static const struct key keys[] = {
    {"jobs", KEY_WHOLE, ALL & ~RESERVATIONS, AT(jobs), 0, GENERATE_JOBS_MAX, NULL,
     "number of leases; 0: as many as fit in the span"},
    {"span", KEY_DURATION, ALL, AT(span), 0, 1e10, NULL,
     "time span of the requests (reservations: of their starts); 0: no limit"},
    {"first", KEY_DURATION, ALL, AT(first), 0, 1e10, NULL, "start of the stream"},
    {"seed", KEY_WHOLE, ALL, AT(seed), 0, 9007199254740992, NULL,
     "seed of this stream, instead of the workload's"},
    {"class", KEY_SPECIAL, ALL, 0, 0, 0, read_classes,
     "CLASS[:WEIGHT][+CLASS[:WEIGHT]]...: the leases' classes, in exact shares"},
    {"kind", KEY_SPECIAL, ALL, 0, 0, 0, read_kind,
     "best-effort, immediate, reservation or deadline, instead of the kind of the class"},
    {"lead", KEY_DURATIONS, ALL, AT(lead), 0, 1e10, NULL,
     "time from request to start, or to the earliest start; 1d for reservations if not given"},
    {"slack", KEY_RANGE, ALL, AT(slack), 0, 1e6, NULL,
     "deadline, in durations after the earliest start; 0: none (deadline leases: 3)"},
    {"slack-of", KEY_SPECIAL, ALL, 0, 0, 0, read_slack_of,
     "all: best-effort and immediate leases have that deadline, too; deadline: deadline leases "
     "only"},
    {"urgent", KEY_NUMBER, ALL, AT(urgent), 0, 1, NULL, "share of leases that are urgent"},
    {"urgent-slack", KEY_RANGE, ALL, AT(urgent_slack), 0, 1e6, NULL, "slack of urgent leases"},
    {"overestimate", KEY_NUMBER, ALL, AT(overestimate), 1, 1000, NULL,
     "requested duration over the real one"},
    {"cpu", KEY_WHOLE, ALL, AT(cpu), 0, 1e9, NULL, "of a VM, in percent of a processor"},
    {"memory", KEY_WHOLE, ALL, AT(memory), 0, 1e9, NULL, "of a VM, in MB"},
    {"users", KEY_WHOLE, ALL, AT(users), 0, 1e6, NULL,
     "number of users, numbered from 1; 0: leases have no user"},
    {"priority", KEY_SPECIAL, ALL, 0, 0, 0, read_priority,
     "a number with up to three decimals, or vms: as many as the lease has VMs"},
    {"gap-factor", KEY_NUMBER, ALL & ~RESERVATIONS, AT(gap_factor), 1e-6, 1e6, NULL,
     "multiplies the times of arrival"},
    {"time-factor", KEY_NUMBER, ALL & ~RESERVATIONS, AT(time_factor), 1e-6, 1e6, NULL,
     "multiplies the run times"},
    {"most-vms", KEY_WHOLE, ALL, AT(most_vms), 0, 1e6, NULL, "larger leases are cut; 0: no limit"},
    {"most-time", KEY_DURATION, ALL, AT(most_time), 0, 1e10, NULL,
     "longer leases are cut; 0: no limit"},

    {"nodes", KEY_NUMBER, LUBLIN, AT(nodes), 0, 1e6, NULL,
     "fit the sizes to a system of this many nodes: size-high = log2, size-middle 2.5 below it"},
    {"mean-vms", KEY_NUMBER, LUBLIN, AT(mean_vms), 0, 1e6, NULL,
     "choose size-middle so that leases have this many VMs on average"},
    LUBLIN_KEY("serial", serial, 0, 1, "share of leases with one VM"),
    LUBLIN_KEY("power-of-two", power_of_two, 0, 1, "share with 2, 4, 8, ... VMs"),
    LUBLIN_KEY("size-low", size_low, 0, 19, "log2 of VMs: minimum"),
    LUBLIN_KEY("size-middle", size_middle, 0, 19, "log2 of VMs: where large leases begin"),
    LUBLIN_KEY("size-high", size_high, 0, 19, "log2 of VMs: maximum"),
    LUBLIN_KEY("size-first", size_first, 0, 1, "share of leases below size-middle"),
    LUBLIN_KEY("run-shape-1", run_shape_1, 1e-3, 1e6, "ln of run time, short: gamma's shape"),
    LUBLIN_KEY("run-scale-1", run_scale_1, 1e-6, 10, "and scale"),
    LUBLIN_KEY("run-shape-2", run_shape_2, 1e-3, 1e6, "ln of run time, long: gamma's shape"),
    LUBLIN_KEY("run-scale-2", run_scale_2, 1e-6, 10, "and scale"),
    LUBLIN_KEY("run-slope", run_slope, -1, 1, "share of short runs = run-slope x VMs + run-base"),
    LUBLIN_KEY("run-base", run_base, -10, 10, "see run-slope"),
    LUBLIN_KEY("gap-shape", gap_shape, 1e-3, 1e6, "ln of gaps: gamma's shape"),
    LUBLIN_KEY("gap-scale", gap_scale, 1e-6, 10, "and scale"),
    LUBLIN_KEY("gap-shape-factor", gap_factor, 1e-3, 1e3, "multiplies gap-shape"),
    LUBLIN_KEY("day-shape", day_shape, 1e-1, 1e3, "arrivals over the day: gamma's shape"),
    LUBLIN_KEY("day-scale", day_scale, 1e-1, 1e3, "and scale, in half-hours"),

    {"gap", KEY_DURATION, POISSON, AT(gap), 1e-3, 1e10, NULL, "mean time between arrivals"},
    {"time", KEY_DURATION, POISSON, AT(time), 1e-3, 1e10, NULL, "mean run time"},
    {"time-law", KEY_SPECIAL, POISSON, 0, 0, 0, read_time_law,
     "exponential, or fixed: every run takes `time`"},
    {"vms", KEY_RANGE, POISSON | RESERVATIONS, AT(vms), 1, 1e6, NULL,
     "VMs of a lease, a number or LOW:HIGH (the nu of reservations)"},

    {"bag", KEY_SPECIAL, BAGS, 0, 0, 0, read_bag,
     "tasks: each task is a lease of one VM; lease: a bag is a lease with a VM for each task"},
    {"peak-from", KEY_DURATION, BAGS, AT(bags.peak_from), 0, 86400, NULL, "time of the day"},
    {"peak-until", KEY_DURATION, BAGS, AT(bags.peak_until), 0, 86400, NULL, "time of the day"},
    {"peak-shape", KEY_NUMBER, BAGS, AT(bags.peak_shape), 0.05, 1e3, NULL,
     "seconds between bags in the peak: Weibull's shape"},
    {"peak-scale", KEY_NUMBER, BAGS, AT(bags.peak_scale), 1e-3, 1e6, NULL, "and scale"},
    {"quiet-shape", KEY_NUMBER, BAGS, AT(bags.quiet_shape), 0.05, 1e3, NULL,
     "bags in half an hour out of the peak: Weibull's shape"},
    {"quiet-scale", KEY_NUMBER, BAGS, AT(bags.quiet_scale), 0, 1e5, NULL, "and scale"},
    {"bag-shape", KEY_NUMBER, BAGS, AT(bags.size_shape), 0.05, 1e3, NULL,
     "log2 of tasks: Weibull's shape"},
    {"bag-scale", KEY_NUMBER, BAGS, AT(bags.size_scale), 0, 20, NULL, "and scale"},
    {"run-mean", KEY_NUMBER, BAGS, AT(bags.run_mean), -20, 30, NULL,
     "log2 of a task's seconds: mean"},
    {"run-deviation", KEY_NUMBER, BAGS, AT(bags.run_deviation), 0, 20, NULL,
     "and standard deviation"},

    {"rho", KEY_NUMBER, RESERVATIONS, AT(rho), 0, 1, NULL,
     "share of the site's time until the last request, 0 to 1"},
    {"delta", KEY_DURATION, RESERVATIONS, AT(delta), 1, 1e10, NULL, "mean duration"},
    {"delta-spread", KEY_DURATION, RESERVATIONS, AT(delta_spread), 0, 1e10, NULL,
     "variation of durations, up and down"},
    {"gap-spread", KEY_DURATION, RESERVATIONS, AT(gap_spread), 0, 1e10, NULL,
     "variation of gaps, up and down; their mean follows from rho, delta and vms"},
};

enum { KEYS = sizeof keys / sizeof *keys };

static void stream_init(struct generate_stream *stream, enum generate_model model)
{
    const char *class = model == GENERATE_RESERVATIONS ? "local"
                        : model == GENERATE_BAGS       ? "suspendable"
                                                       : "best-effort";

    *stream = (struct generate_stream){
        .model = model,
        .seed = -1,
        .classes = {{find_class(class, strlen(class)), 1}},
        .n_classes = 1,
        .kind = -1,
        .overestimate = 1,
        .cpu = 100,
        .memory = 1024,
        .gap_factor = 1,
        .time_factor = 1,
        .urgent_slack = {1.5, 1.5},
        .gap = 60,
        .time = 600,
        .vms = {1, 1},
        .delta = 3600,
        .delta_spread = 1800,
        .gap_spread = 3600,
        .lublin = {model == GENERATE_TYPELESS      ? lublin_typeless
                   : model == GENERATE_INTERACTIVE ? lublin_interactive
                                                   : lublin_batch,
                   lublin_interactive},
        /* From Iosup et al., HPDC 2008, as cited by later papers; not compared with the original.
         */
        .bags = {.peak_from = 8 * 3600,
                 .peak_until = 17 * 3600,
                 .peak_shape = 4.25,
                 .peak_scale = 7.86,
                 .quiet_shape = 1.79,
                 .quiet_scale = 24.16,
                 .size_shape = 1.76,
                 .size_scale = 2.11,
                 .run_mean = 2.73,
                 .run_deviation = 6.1},
    };
    if (model == GENERATE_BAGS)
        stream->most_time = 86400;
    if (model == GENERATE_RESERVATIONS)
        stream->lead = (struct generate_range){86400, 86400};
}

static int read_value(const struct key *key, struct generate_stream *stream, const char *text,
                      struct error *err)
{
    double *place = (double *)(void *)((char *)stream + key->offset);
    bool is_range = key->type == KEY_RANGE || key->type == KEY_DURATIONS;
    bool is_time = key->type == KEY_DURATION || key->type == KEY_DURATIONS;
    char low[VALUE_MAX];
    const char *high = is_range ? strchr(text, ':') : NULL;
    double values[2];

    snprintf(low, sizeof low, "%.*s", (int)(high ? high - text : (ptrdiff_t)strlen(text)), text);
    high = high ? high + 1 : low;
    if (!(is_time ? read_duration(low, &values[0]) && read_duration(high, &values[1])
                  : decimal_parse_real(low, &values[0]) == 0 &&
                        decimal_parse_real(high, &values[1]) == 0))
        return error_set(err, EINVAL, "%s: '%.40s', expected a %s%s", key->name, text,
                         is_time ? "time such as 90, 15m, 2h or 7d" : "number",
                         is_range ? ", or two as LOW:HIGH" : "");
    if (values[0] < key->least || values[1] > key->most || values[0] > values[1])
        return error_set(err, EINVAL, "%s: '%.40s', expected %.15g to %.15g%s", key->name, text,
                         key->least, key->most, is_range ? ", the lower one first" : "");
    if (key->type == KEY_WHOLE && values[0] != floor(values[0]))
        return error_set(err, EINVAL, "%s: '%.40s', expected a whole number", key->name, text);
    place[0] = values[0];
    if (is_range)
        place[1] = values[1];
    /* The key applies to both kinds of jobs of a stream. */
    if (key->offset >= AT(lublin[0]) && key->offset < AT(lublin[1]))
        *(double *)(void *)((char *)place + sizeof stream->lublin[0]) = values[0];
    return 0;
}

static const struct key *find_key(enum generate_model model, const char *name, struct error *err)
{
    struct suggestion suggestion;

    suggestion_init(&suggestion, name);
    for (size_t i = 0; i < KEYS; i++) {
        if (!(keys[i].models >> model & 1))
            continue;
        suggestion_offer(&suggestion, keys[i].name);
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    }
    return error_null(err, EINVAL, "'%.40s' is not a key of %s%s", name, models[model].name,
                      suggestion_text(&suggestion));
}

/* Rounded: 32 gives exactly 5. */
static double log2_of(double x)
{
    return floor(generate_log(x) / generate_log(2) * 1e9 + 0.5) / 1e9;
}

/* Derives values from several keys together. */
static int finish_lublin(struct generate_stream *stream, bool has_middle, bool has_high,
                         struct error *err)
{
    int n = stream->model == GENERATE_TWO_TYPES ? 2 : 1;
    double least, most;

    for (int i = 0; i < n; i++) {
        struct lublin_parameters *p = &stream->lublin[i];

        if (stream->nodes > 0 && !has_high)
            p->size_high = log2_of(stream->nodes);
        if (stream->nodes > 0 && !has_middle)
            p->size_middle = fmax(p->size_low, p->size_high - 2.5);
        if (p->serial + p->power_of_two > 1)
            return error_set(err, EINVAL,
                             "serial and power-of-two are %g and %g, more than 1 together",
                             p->serial, p->power_of_two);
        if (!(p->size_low <= p->size_middle && p->size_middle <= p->size_high))
            return error_set(err, EINVAL,
                             "size-low, size-middle and size-high are %g, %g and %g: "
                             "expected them to ascend",
                             p->size_low, p->size_middle, p->size_high);
        if (stream->mean_vms > 0 && !lublin_set_mean_vms(p, stream->mean_vms, &least, &most))
            return error_set(err, EINVAL,
                             "mean-vms: %g cannot be reached, only %.4g to %.4g can "
                             "(see nodes and size-high)",
                             stream->mean_vms, least, most);
    }
    return 0;
}

static int find_model(const char *text, size_t length, struct error *err)
{
    struct suggestion suggestion;
    char word[40];

    snprintf(word, sizeof word, "%.*s", (int)(length < 39 ? length : 39), text);
    suggestion_init(&suggestion, word);
    for (int i = 0; i < GENERATE_MODELS; i++) {
        if (strcmp(models[i].name, word) == 0)
            return i;
        suggestion_offer(&suggestion, models[i].name);
    }
    return error_set(err, EINVAL,
                     "'%s' is not a model%s; a stream begins with typeless, batch, "
                     "interactive, two-types, poisson, bags or reservations",
                     word, suggestion_text(&suggestion));
}

static int check_stream(const struct generate_stream *stream, struct error *err)
{
    if (stream->model == GENERATE_RESERVATIONS) {
        if (!(stream->rho > 0))
            return error_set(err, EINVAL,
                             "rho is missing: the share of the site's time, such as rho=0.1");
        return 0;
    }
    if (!(stream->jobs > 0) && !(stream->span > 0))
        return error_set(err, EINVAL, "the stream has no end: set jobs=N or span=TIME");
    return 0;
}

int generate_stream_parse(struct generate_stream *stream, const char *text, struct error *err)
{
    size_t length = strcspn(text, ",");
    int model = find_model(text, length, err);
    bool has_middle = false, has_high = false, given[KEYS] = {false};

    if (model < 0)
        return -1;
    stream_init(stream, (enum generate_model)model);
    while (text[length]) {
        char pair[VALUE_MAX], *value;
        const struct key *key;

        text += length + 1;
        length = strcspn(text, ",");
        if (length >= sizeof pair)
            return error_set(err, EINVAL, "'%.40s...' is too long", text);
        snprintf(pair, sizeof pair, "%.*s", (int)length, text);
        value = strchr(pair, '=');
        if (!value)
            return error_set(err, EINVAL, "'%.40s': expected KEY=VALUE", pair);
        *value++ = '\0';
        key = find_key(stream->model, pair, err);
        if (!key)
            return -1;
        if (given[key - keys])
            return error_set(err, EINVAL, "%s is given twice", key->name);
        given[key - keys] = true;
        if ((key->read ? key->read(stream, value, err) : read_value(key, stream, value, err)) < 0)
            return -1;
        has_middle = has_middle || strcmp(pair, "size-middle") == 0;
        has_high = has_high || strcmp(pair, "size-high") == 0;
    }
    if (stream->model <= GENERATE_TWO_TYPES && finish_lublin(stream, has_middle, has_high, err) < 0)
        return -1;
    return check_stream(stream, err);
}

static void print_default(FILE *file, const struct key *key, enum generate_model model)
{
    struct generate_stream stream;
    const double *place;

    stream_init(&stream, model);
    place = (const double *)(const void *)((const char *)&stream + key->offset);
    if (key->type != KEY_SPECIAL && strcmp(key->name, "seed") != 0)
        fprintf(file, " (%.15g)", *place);
}

void generate_print_keys(FILE *file)
{
    static const struct {
        const char *title;
        unsigned models;
        enum generate_model shown; /* whose defaults are printed */
    } groups[] = {
        {"Keys of every model", ALL, GENERATE_TYPELESS},
        {"Keys of typeless, batch, interactive and two-types (default: of typeless)", LUBLIN,
         GENERATE_TYPELESS},
        {"Keys of poisson", POISSON, GENERATE_POISSON},
        {"Keys of bags", BAGS, GENERATE_BAGS},
        {"Keys of reservations, which have no jobs, gap-factor and time-factor", RESERVATIONS,
         GENERATE_RESERVATIONS},
    };

    fprintf(file, "Models:\n");
    for (int i = 0; i < GENERATE_MODELS; i++)
        fprintf(file, "  %-16s %s\n", models[i].name, models[i].description);
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        fprintf(file, "\n%s:\n", groups[g].title);
        for (size_t i = 0; i < KEYS; i++) {
            bool general = (keys[i].models | RESERVATIONS) == ALL;

            if (g == 0 ? !general : general || !(keys[i].models & groups[g].models))
                continue;
            fprintf(file, "  %-16s %s", keys[i].name, keys[i].description);
            print_default(file, &keys[i], groups[g].shown);
            fputc('\n', file);
        }
    }
    fprintf(file, "\nClasses:\n");
    for (size_t i = 0; i < CLASSES; i++)
        fprintf(file, "  %-16s %s, %s, %s\n", classes[i].name, lease_kind_words[classes[i].kind],
                lease_terms_name(classes[i].terms), lease_origin_name(classes[i].origin));
}
