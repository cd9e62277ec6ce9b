/* Recognizes VMs that have not changed since the last listing. */
#include "adapters/opennebula/known_vms.h"

#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/keyed_sum.h"
#include "util/map.h"
#include "util/memory.h"

enum {
    ELEMENT_MOST = 256 * 1024, /* bytes of a VM; a longer one ends the comparison */
    ID_DIGITS = 10,
};

static const char vm_begins[] = "<VM>", id_begins[] = "<VM><ID>", id_ends[] = "</ID>";
static const char coded_begins[] = "&lt;VM&gt;&lt;ID&gt;", coded_id_ends[] = "&lt;/ID&gt;",
                  coded_ends[] = "&lt;/VM&gt;", coded_polled[] = "&lt;LAST_POLL&gt;";
static const char root[] = "VM_POOL", polled[] = "LAST_POLL", cdata[] = "<![CDATA[",
                  cdata_end[] = "]]>";

/* A VM's text. */
struct element {
    uint64_t sum;
    uint32_t length;
    uint32_t polled_at, polled_length; /* the text in LAST_POLL, which is not in the sum */
};

/* The short form of a VM, whose history has no times. */
struct known_vm {
    struct element text, coded; /* coded: before decoding; length 0: did not arrive as a whole */
    uint32_t listing;           /* the last one with the VM */
    bool learned;               /* the rest is valid */
    bool twice;                 /* twice in that listing: treated as unknown */
    bool resched, locked;
    int32_t uid, gid, n_records;
    enum vm_state state;
    const char *state_name;
    int64_t stime, etime, cpu, memory, ran_for;
    int32_t sequence, host, cluster, datastore;
};

struct known_vms {
    struct map vms; /* by id */
    struct sum_key key;
    uint32_t listing; /* number of the current one */
    bool is_open;
    enum { BEFORE_ROOT, INSIDE, PLAIN } where; /* PLAIN: all text is parsed */
    struct known_vms_told told;
    int64_t last;          /* the last VM taken; -1: none */
    struct element coming; /* a part that begins where a VM may, while it is fed; length 0: none */
    char *rest;            /* of the last piece: an incomplete element */
    size_t n_rest, rest_allocated;
};

struct known_vms *known_vms_create(void)
{
    struct known_vms *known = memory_new(1, sizeof *known);

    map_init(&known->vms, sizeof(struct known_vm));
    return known;
}

void known_vms_destroy(struct known_vms *known)
{
    if (!known)
        return;
    map_finish(&known->vms);
    free(known->rest);
    free(known);
}

/* --- markup ----------------------------------------------------------------------------------- */

static bool is_of_name(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

/* One piece of markup. */
struct markup {
    enum { OPENS, CLOSES, EMPTY, CHARACTERS, INCOMPLETE, UNUSUAL } kind;
    const char *name;
    size_t name_length;
    const char *end; /* after the markup */
};

static struct markup read_characters(const char *text, const char *end)
{
    size_t length = (size_t)(end - text), n = sizeof cdata - 1;
    const char *close;

    if (memcmp(text, cdata, length < n ? length : n) != 0)
        return (struct markup){.kind = UNUSUAL};
    close = length < n ? NULL : memmem(text + n, length - n, cdata_end, sizeof cdata_end - 1);
    return close ? (struct markup){.kind = CHARACTERS, .end = close + sizeof cdata_end - 1}
                 : (struct markup){.kind = INCOMPLETE};
}

/* Reads the markup at the '<' of text. */
static struct markup read_markup(const char *text, const char *end)
{
    struct markup markup = {.kind = OPENS, .name = text + 1};
    const char *at = text + 1;

    if (at < end && *at == '!')
        return read_characters(text, end);
    if (at < end && *at == '/') {
        markup.kind = CLOSES;
        markup.name = ++at;
    }
    while (at < end && is_of_name(*at))
        at++;
    markup.name_length = (size_t)(at - markup.name);
    if (at < end && *at == '/' && markup.kind == OPENS) {
        markup.kind = EMPTY;
        at++;
    }
    if (at == end)
        return (struct markup){.kind = INCOMPLETE};
    markup.end = at + 1;
    if (*at != '>' || markup.name_length == 0)
        markup.kind = UNUSUAL;
    return markup;
}

static bool is_named(const struct markup *markup, const char *name)
{
    return markup->name_length == strlen(name) &&
           memcmp(markup->name, name, markup->name_length) == 0;
}

/* The sum of an element with known length and position of LAST_POLL. */
static uint64_t sum_of(const struct known_vms *known, const char *text, const struct element *it)
{
    struct keyed_sum sum = keyed_sum_begin(&known->key);
    uint32_t rest = it->polled_at + it->polled_length;

    keyed_sum_add(&sum, text, it->polled_at);
    keyed_sum_add(&sum, text + rest, it->length - rest);
    return keyed_sum_end(&sum);
}

/* Reads the element that begins at `text`. Kind EMPTY: the element is complete, and described by
 * *element. */
static struct markup read_element(const struct known_vms *known, const char *text, const char *end,
                                  struct element *element)
{
    const char *at = text;
    int depth = 0;

    *element = (struct element){0};

    while (at) {
        struct markup markup = read_markup(at, end);

        if (markup.kind == INCOMPLETE || markup.kind == UNUSUAL)
            return markup;
        depth += markup.kind == OPENS ? 1 : markup.kind == CLOSES ? -1 : 0;
        if (depth == 0) {
            element->length = (uint32_t)(markup.end - text);
            element->sum = sum_of(known, text, element);
            return (struct markup){.kind = EMPTY, .end = markup.end};
        }
        at = memchr(markup.end, '<', (size_t)(end - markup.end));
        if (at && depth == 2 && markup.kind == OPENS && is_named(&markup, polled)) {
            element->polled_at = (uint32_t)(markup.end - text);
            element->polled_length = (uint32_t)(at - markup.end);
        }
    }
    return (struct markup){.kind = INCOMPLETE};
}

/* --- VMs -------------------------------------------------------------------------------------- */

/* The id at the beginning of a VM's text; -1: none. */
static int64_t id_of(const char *text, size_t length, const char *begins, const char *ends)
{
    size_t n_begins = strlen(begins), n_ends = strlen(ends);
    const char *at = text + n_begins;
    int64_t id = 0;
    int digits = 0;

    if (length < n_begins + ID_DIGITS + n_ends || memcmp(text, begins, n_begins) != 0)
        return -1;
    for (; *at >= '0' && *at <= '9' && digits < ID_DIGITS; digits++)
        id = 10 * id + (*at++ - '0');
    return digits && id <= INT32_MAX && memcmp(at, ends, n_ends) == 0 ? id : -1;
}

static void tell_again(const struct known_vms *known, int32_t id, const struct known_vm *it)
{
    const struct vm vm = {.id = id,
                          .uid = it->uid,
                          .gid = it->gid,
                          .user = "",
                          .group = "",
                          .name = "",
                          .state = it->state,
                          .state_name = it->state_name,
                          .resched = it->resched,
                          .locked = it->locked,
                          .stime = it->stime,
                          .etime = it->etime,
                          .cpu = it->cpu,
                          .memory = it->memory,
                          .history = {.sequence = it->sequence,
                                      .host = it->host,
                                      .cluster = it->cluster,
                                      .datastore = it->datastore},
                          .n_records = it->n_records,
                          .ran_for = it->ran_for};

    known->told.again(known->told.context, &vm);
}

/* Does the text equal the previous one, except for LAST_POLL? Equal bytes around a time have the
 * same markup. markup: the character that begins markup, which the time must not contain. */
static bool is_again(const struct known_vms *known, const char *text, const char *end,
                     const struct element *before, char markup)
{
    return before->length > 0 && before->length <= (size_t)(end - text) &&
           !memchr(text + before->polled_at, markup, before->polled_length) &&
           sum_of(known, text, before) == before->sum;
}

/* A known VM that has not been listed yet; NULL: unknown, or already listed. */
static struct known_vm *known_of(const struct known_vms *known, int64_t id)
{
    struct known_vm *it = map_value(&known->vms, map_find(&known->vms, id));

    return it && it->learned && it->listing != known->listing ? it : NULL;
}

static void take_again(struct known_vms *known, int64_t id, struct known_vm *it)
{
    it->listing = known->listing;
    known->last = id;
    tell_again(known, (int32_t)id, it);
}

/* The length of a known VM's text; 0: another text. */
static size_t take_known(struct known_vms *known, const char *text, const char *end)
{
    int64_t id = id_of(text, (size_t)(end - text), id_begins, id_ends);
    struct known_vm *it = known_of(known, id);

    if (!it || !is_again(known, text, end, &it->text, '<'))
        return 0;
    take_again(known, id, it);
    return it->text.length;
}

/* Kind EMPTY: the VM is complete, and has been reported. */
static struct markup take_vm(struct known_vms *known, const char *text, const char *end)
{
    size_t again = take_known(known, text, end);
    struct element element;
    struct markup markup;
    struct known_vm *it;
    int64_t id;

    if (again)
        return (struct markup){.kind = EMPTY, .end = text + again};
    markup = read_element(known, text, end, &element);
    if (markup.kind != EMPTY)
        return markup;
    id = id_of(text, element.length, id_begins, id_ends);
    known->last = id;
    it = id < 0 ? NULL : map_value(&known->vms, map_add(&known->vms, id));
    if (it)
        *it = (struct known_vm){
            .text = element, .listing = known->listing, .twice = it->listing == known->listing};
    known->told.parse(known->told.context, text, element.length);
    return markup;
}

static bool has_times(const struct vm_history *record)
{
    return record->stime || record->etime || record->pstime || record->petime || record->rstime ||
           record->retime || record->estime || record->eetime || record->recreated;
}

void known_vms_learn(struct known_vms *known, const struct vm_pool *pool)
{
    for (size_t i = 0; i < pool->n; i++) {
        const struct vm *vm = &pool->items[i];
        struct known_vm *it = map_value(&known->vms, map_find(&known->vms, vm->id));

        if (!it || it->listing != known->listing || it->twice || it->learned || vm->is_extended ||
            vm->error || vm->size_unread || has_times(&vm->history))
            continue;
        it->learned = true;
        it->uid = vm->uid;
        it->gid = vm->gid;
        it->state = vm->state;
        it->state_name = vm->state_name;
        it->resched = vm->resched;
        it->locked = vm->locked;
        it->stime = vm->stime;
        it->etime = vm->etime;
        it->cpu = vm->cpu;
        it->memory = vm->memory;
        it->sequence = vm->history.sequence;
        it->host = vm->history.host;
        it->cluster = vm->history.cluster;
        it->datastore = vm->history.datastore;
        it->n_records = vm->n_records;
        it->ran_for = vm->ran_for;
    }
}

/* --- a listing -------------------------------------------------------------------------------- */

bool known_vms_begin(struct known_vms *known, const struct known_vms_told *told)
{
    if (known->is_open || !sum_key_draw(&known->key))
        return false;
    known->is_open = true;
    known->listing++;
    known->told = *told;
    known->where = BEFORE_ROOT;
    known->coming.length = 0;
    known->n_rest = 0;
    return true;
}

/* Takes complete elements. Returns their number of bytes. */
static size_t take_elements(struct known_vms *known, const char *text, size_t length)
{
    const char *at = text, *end = text + length;

    while (at < end && known->where != PLAIN) {
        struct markup markup = {.kind = UNUSUAL};

        if (*at == '<' && known->where == BEFORE_ROOT)
            markup = read_markup(at, end);
        else if ((size_t)(end - at) < sizeof vm_begins - 1)
            break;
        else if (memcmp(at, vm_begins, sizeof vm_begins - 1) == 0)
            markup = take_vm(known, at, end);
        if (markup.kind == INCOMPLETE)
            break;
        if (known->where == BEFORE_ROOT && markup.kind == OPENS && is_named(&markup, root)) {
            known->told.parse(known->told.context, at, (size_t)(markup.end - at));
            known->where = INSIDE;
        } else if (known->where != INSIDE || markup.kind != EMPTY) {
            known->where = PLAIN;
            break;
        }
        at = markup.end;
    }
    return (size_t)(at - text);
}

static void keep_rest(struct known_vms *known, const char *text, size_t length)
{
    known->rest = memory_grow(known->rest, &known->rest_allocated, known->n_rest + length + 1, 1);
    memcpy(known->rest + known->n_rest, text, length);
    known->n_rest += length;
}

static void tell_rest(struct known_vms *known)
{
    known->where = PLAIN;
    if (known->n_rest)
        known->told.parse(known->told.context, known->rest, known->n_rest);
    known->n_rest = 0;
}

void known_vms_feed(struct known_vms *known, const char *text, size_t length)
{
    size_t taken;

    if (known->where == PLAIN) {
        known->told.parse(known->told.context, text, length);
        return;
    }
    if (known->n_rest) {
        keep_rest(known, text, length);
        taken = take_elements(known, known->rest, known->n_rest);
        known->n_rest -= taken;
        memmove(known->rest, known->rest + taken, known->n_rest);
    } else {
        taken = take_elements(known, text, length);
        keep_rest(known, text + taken, length - taken);
    }
    if (known->where == PLAIN || known->n_rest > ELEMENT_MOST)
        tell_rest(known);
}

/* --- text before decoding --------------------------------------------------------------------- */

/* May a VM begin here? */
static bool is_between(const struct known_vms *known)
{
    return known->where == INSIDE && known->n_rest == 0;
}

/* Stores the text before decoding, if the fed part was exactly the VM taken. */
static void learn_coded(struct known_vms *known)
{
    struct known_vm *it = map_value(&known->vms, map_find(&known->vms, known->last));

    if (known->coming.length > 0 && is_between(known) && it)
        it->coded = known->coming;
    known->coming.length = 0;
    known->last = -1;
}

static const char *find_polled(const char *text, const char *end)
{
    const char *at = memmem(text, (size_t)(end - text), coded_polled, sizeof coded_polled - 1);

    return at ? at + sizeof coded_polled - 1 : NULL;
}

/* Describes text that ends at a possible end of a VM; length 0: LAST_POLL is ambiguous. */
static struct element coded_element(const struct known_vms *known, const char *text, size_t length)
{
    struct element element = {.length = (uint32_t)length};
    const char *end = text + length, *at = find_polled(text, end), *next;

    if (at && find_polled(at, end))
        return (struct element){0};
    next = at ? memchr(at, '&', (size_t)(end - at)) : NULL;
    if (next) {
        element.polled_at = (uint32_t)(at - text);
        element.polled_length = (uint32_t)(next - at);
    }
    element.sum = sum_of(known, text, &element);
    return element;
}

size_t known_vms_part(struct known_vms *known, const char *text, size_t length, bool *is_known)
{
    const char *end = text + length, *close;
    struct known_vm *it;
    int64_t id;

    learn_coded(known);
    *is_known = false;
    if (known->where == PLAIN)
        return length;
    id = is_between(known) ? id_of(text, length, coded_begins, coded_id_ends) : -1;
    it = known_of(known, id);
    *is_known = it && is_again(known, text, end, &it->coded, '&');
    if (*is_known) {
        take_again(known, id, it);
        known->last = -1;
        return it->coded.length;
    }
    close = memmem(text, length, coded_ends, sizeof coded_ends - 1);
    if (!close)
        return length;
    length = (size_t)(close - text) + sizeof coded_ends - 1;
    if (id >= 0)
        known->coming = coded_element(known, text, length);
    return length;
}

void known_vms_end(struct known_vms *known)
{
    learn_coded(known);
    tell_rest(known);
    known->is_open = false;
    for (uint32_t i = 0; i < known->vms.n;) {
        const struct known_vm *it = map_value(&known->vms, i);

        if (it->listing == known->listing)
            i++;
        else
            map_remove(&known->vms, i);
    }
    free(known->rest);
    known->rest = NULL;
    known->rest_allocated = 0;
}
