/* VMs that have not changed since the last listing are told again without parsing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapters/opennebula/known_vms.h"
#include "adapters/opennebula/pool.h"
#include "adapters/opennebula/rpc_text.h"
#include "util/memory.h"

enum { VMS_MOST = 400, TEXT_MOST = 1 << 20 };

/* --- a listing as a text ---------------------------------------------------------------------- */

struct listing {
    char text[TEXT_MOST];
    size_t n;
};

static void begin(struct listing *listing)
{
    listing->n = (size_t)sprintf(listing->text, "<VM_POOL>");
}

static void end(struct listing *listing)
{
    listing->n += (size_t)sprintf(listing->text + listing->n, "</VM_POOL>");
}

/* A running VM on a host; `name` is in CDATA. */
static void add(struct listing *listing, int id, int host, const char *name, long polled)
{
    listing->n += (size_t)snprintf(
        listing->text + listing->n, TEXT_MOST - listing->n,
        "<VM><ID>%d</ID><UID>3</UID><GID>1</GID><UNAME>u</UNAME><GNAME>g</GNAME>"
        "<NAME><![CDATA[%s]]></NAME><LAST_POLL>%ld</LAST_POLL><STATE>3</STATE>"
        "<LCM_STATE>3</LCM_STATE><RESCHED>0</RESCHED><STIME>1700000000</STIME><ETIME>0</ETIME>"
        "<DEPLOY_ID/><TEMPLATE><CPU>0.5</CPU><MEMORY>1024</MEMORY></TEMPLATE><MONITORING/>"
        "<USER_TEMPLATE><VM><![CDATA[%s]]></VM></USER_TEMPLATE><HISTORY_RECORDS><HISTORY>"
        "<OID>%d</OID><SEQ>0</SEQ><HID>%d</HID><CID>0</CID><DS_ID>100</DS_ID></HISTORY>"
        "</HISTORY_RECORDS></VM>",
        id, name, polled, name, id, host);
    assert_true(listing->n < TEXT_MOST - 1);
}

/* --- what is told of it ----------------------------------------------------------------------- */

struct told {
    struct vm vms[VMS_MOST];
    size_t n, n_again; /* VMs; those told without parsing */
    size_t n_errors;
};

static void batch(void *context, struct vm_pool *pool)
{
    struct told *told = context;

    told->n_errors += pool->errors.n;
    for (size_t i = 0; i < pool->n; i++) {
        assert_true(told->n < VMS_MOST);
        told->n_again += !*pool->items[i].user;
        told->vms[told->n++] = pool->items[i];
    }
}

static void feed(void *context, const char *text, size_t length)
{
    vm_batches_feed(context, text, length);
}

static size_t part(void *context, const char *text, size_t length, bool *is_known)
{
    return vm_batches_part(context, text, length, is_known);
}

/* As the text in an answer; its end shows that it is over. */
static size_t code(const struct listing *listing, char *coded)
{
    char *to = coded;

    for (size_t i = 0; i < listing->n; i++) {
        char c = listing->text[i];

        if (c == '<' || c == '>' || c == '&')
            to += sprintf(to, "%s", c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;");
        else
            *to++ = c;
    }
    *to++ = '<';
    return (size_t)(to - coded);
}

static void feed_coded(struct vm_batches *batches, const struct listing *listing, size_t piece)
{
    static char coded[5 * TEXT_MOST + 1];
    size_t n = code(listing, coded);
    struct rpc_text text;

    rpc_text_init(&text, feed, part, batches);
    text.where = TEXT_INSIDE;
    for (size_t at = 0; at < n; at += piece)
        rpc_text_take(&text, coded + at, n - at < piece ? n - at : piece);
    assert_false(text.broken);
    rpc_text_finish(&text);
}

/* In pieces of the given length. */
static int read_form(struct known_vms *known, const struct listing *listing, size_t piece,
                     bool is_coded, struct told *told)
{
    struct vm_batches batches = {.batch = batch, .context = told, .known = known};
    struct error err;

    *told = (struct told){0};
    vm_batches_begin(&batches);
    if (is_coded)
        feed_coded(&batches, listing, piece);
    for (size_t at = 0; at < listing->n && !is_coded; at += piece)
        vm_batches_feed(&batches, listing->text + at,
                        listing->n - at < piece ? listing->n - at : piece);
    return vm_batches_end(&batches, &err);
}

static int by_id(const void *a, const void *b)
{
    const struct vm *one = a, *other = b;

    return one->id < other->id ? -1 : one->id > other->id;
}

/* The same VMs as when the whole text is parsed. */
static void assert_true_to(struct told *told, const struct listing *listing)
{
    struct vm_pool pool;
    struct error err;

    assert_int_equal(vm_pool_parse(&pool, listing->text, listing->n, &err), 0);
    qsort(told->vms, told->n, sizeof *told->vms, by_id);
    assert_int_equal(told->n, pool.n);
    assert_int_equal(told->n_errors, pool.errors.n);
    for (size_t i = 0; i < pool.n; i++) {
        const struct vm *vm = &pool.items[i], *seen = &told->vms[i];

        assert_int_equal(seen->id, vm->id);
        assert_int_equal(seen->uid, vm->uid);
        assert_int_equal(seen->gid, vm->gid);
        assert_int_equal(seen->state, vm->state);
        assert_string_equal(seen->state_name, vm->state_name);
        assert_int_equal(seen->resched, vm->resched);
        assert_int_equal(seen->locked, vm->locked);
        assert_int_equal(seen->stime, vm->stime);
        assert_int_equal(seen->etime, vm->etime);
        assert_int_equal(seen->cpu, vm->cpu);
        assert_int_equal(seen->memory, vm->memory);
        assert_int_equal(seen->ran_for, vm->ran_for);
        assert_int_equal(seen->n_records, vm->n_records);
        assert_memory_equal(&seen->history, &vm->history, sizeof vm->history);
    }
    vm_pool_finish(&pool);
}

struct fixture {
    struct known_vms *known;
    bool is_coded;
    struct listing listing;
    struct told told;
};

static int set_up(void **state)
{
    struct fixture *f = memory_new(1, sizeof *f);

    f->known = known_vms_create();
    *state = f;
    return 0;
}

static int set_up_coded(void **state)
{
    set_up(state);
    ((struct fixture *)*state)->is_coded = true;
    return 0;
}

static int read_listing(struct fixture *f, const struct listing *listing, size_t piece)
{
    return read_form(f->known, listing, piece, f->is_coded, &f->told);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    known_vms_destroy(f->known);
    free(f);
    return 0;
}

static void expect(struct fixture *f, size_t piece, size_t n_again)
{
    assert_int_equal(read_listing(f, &f->listing, piece), 0);
    assert_int_equal(f->told.n_again, n_again);
    assert_true_to(&f->told, &f->listing);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void what_is_the_same_is_not_parsed_again(void **state)
{
    struct fixture *f = *state;

    begin(&f->listing);
    for (int id = 0; id < 300; id++)
        add(&f->listing, id, id % 7, "a", 0);
    end(&f->listing);
    expect(f, 16384, 0);
    expect(f, 16384, 300);
    expect(f, 1000, 300);
    expect(f, 7, 300);
}

static void what_has_changed_is_parsed(void **state)
{
    struct fixture *f = *state;

    for (int turn = 0; turn < 3; turn++) {
        begin(&f->listing);
        for (int id = 0; id < 50; id++)
            add(&f->listing, id, id == 20 ? turn : 9, "a", 0);
        end(&f->listing);
        expect(f, 4096, turn ? 49 : 0);
    }
}

static void when_a_vm_was_polled_does_not_matter(void **state)
{
    struct fixture *f = *state;

    for (long turn = 0; turn < 3; turn++) {
        begin(&f->listing);
        add(&f->listing, 1, 2, "a", 1700000000 + turn);
        end(&f->listing);
        expect(f, 4096, turn ? 1 : 0);
    }
    /* In a text of the owner's it is a text like any other. */
    for (int turn = 0; turn < 2; turn++) {
        begin(&f->listing);
        add(&f->listing, 1, 2, turn ? "<LAST_POLL>1</LAST_POLL>" : "<LAST_POLL>2</LAST_POLL>",
            1700000000);
        end(&f->listing);
        expect(f, 4096, 0);
    }
}

static void vms_come_and_go(void **state)
{
    struct fixture *f = *state;

    begin(&f->listing);
    add(&f->listing, 1, 1, "a", 0);
    add(&f->listing, 2, 1, "a", 0);
    end(&f->listing);
    expect(f, 4096, 0);
    begin(&f->listing);
    add(&f->listing, 3, 1, "a", 0);
    add(&f->listing, 2, 1, "a", 0);
    end(&f->listing);
    expect(f, 4096, 1);
    begin(&f->listing); /* it was forgotten */
    add(&f->listing, 1, 1, "a", 0);
    end(&f->listing);
    expect(f, 4096, 0);
    begin(&f->listing);
    end(&f->listing);
    expect(f, 4096, 0);
}

/* An owner writes the text of another VM into a text of their own. */
static void a_vm_in_a_text_is_no_vm(void **state)
{
    static struct listing inner;
    struct fixture *f = *state;
    char name[4096];

    begin(&inner);
    add(&inner, 1, 1, "", 0);
    begin(&f->listing);
    add(&f->listing, 1, 1, "", 0);
    end(&f->listing);
    expect(f, 4096, 0);
    snprintf(name, sizeof name, "</NAME></VM>%.*s<VM>", (int)(inner.n - strlen("<VM_POOL>")),
             inner.text + strlen("<VM_POOL>"));
    for (char *at = name; (at = strstr(at, "]]>")); at++)
        *at = ' ';
    for (int turn = 0; turn < 2; turn++) {
        begin(&f->listing);
        add(&f->listing, 1, 5, "", 0);
        add(&f->listing, 2, 3, name, 0);
        end(&f->listing);
        expect(f, turn ? 50 : 4096, turn ? 2 : 0);
    }
}

static void the_same_id_twice_is_never_known(void **state)
{
    struct fixture *f = *state;

    begin(&f->listing);
    add(&f->listing, 1, 1, "a", 0);
    add(&f->listing, 1, 2, "a", 0);
    end(&f->listing);
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(read_listing(f, &f->listing, 4096), 0);
        assert_int_equal(f->told.n_again, 0);
        assert_int_equal(f->told.n, 2);
    }
}

static void what_makes_no_sense_is_told_each_time(void **state)
{
    struct fixture *f = *state;

    begin(&f->listing);
    add(&f->listing, 1, 1, "a", 0);
    f->listing.n += (size_t)sprintf(f->listing.text + f->listing.n,
                                    "<VM><ID>2</ID><NAME>%0100d</NAME></VM>", 0);
    end(&f->listing);
    expect(f, 4096, 0);
    assert_int_equal(f->told.n_errors, 1);
    expect(f, 4096, 1);
    assert_int_equal(f->told.n_errors, 1);
}

static void a_failure_is_read_each_time(void **state)
{
    struct fixture *f = *state;

    begin(&f->listing);
    f->listing.n += (size_t)sprintf(
        f->listing.text + f->listing.n,
        "<VM><ID>2</ID><STATE>3</STATE><LCM_STATE>36</LCM_STATE><TEMPLATE><CPU>1</CPU>"
        "<MEMORY>1</MEMORY></TEMPLATE><USER_TEMPLATE><ERROR>the disk is full</ERROR>"
        "</USER_TEMPLATE></VM>");
    end(&f->listing);
    for (int turn = 0; turn < 2; turn++) {
        expect(f, 4096, 1); /* no owner's name: counted as told again, but it has its error */
        assert_string_equal(f->told.vms[0].error ? "error" : "none", "error");
    }
}

static void other_markup_is_parsed_as_ever(void **state)
{
    static const char *const unusual[] = {
        "<!-- a comment -->",
        "<VM id=\"1\"><ID>9</ID></VM>",
        "<?what ever?>",
        "<OTHER></OTHER>",
        " ",
        "text",
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof unusual / sizeof *unusual; i++)
        for (int turn = 0; turn < 2; turn++) {
            begin(&f->listing);
            add(&f->listing, 1, 1, "a", 0);
            f->listing.n += (size_t)sprintf(f->listing.text + f->listing.n, "%s", unusual[i]);
            add(&f->listing, 2, (int)i, "a", 0);
            end(&f->listing);
            expect(f, 13, i || turn ? 1 : 0); /* the one before it */
        }
}

static void a_document_cut_off_is_an_error(void **state)
{
    struct fixture *f = *state;

    begin(&f->listing);
    add(&f->listing, 1, 1, "a", 0);
    end(&f->listing);
    expect(f, 4096, 0);
    for (size_t n = 1; n < f->listing.n; n++) {
        struct listing *cut = memory_copy(&f->listing, sizeof f->listing);

        cut->n = n;
        assert_int_equal(read_listing(f, cut, 64), -1);
        free(cut);
    }
    read_listing(f, &f->listing, 4096);
    expect(f, 4096, 1);
}

static void one_listing_at_a_time(void **state)
{
    struct fixture *f = *state;
    struct told other = {0};
    struct vm_batches first = {.batch = batch, .context = &f->told, .known = f->known};
    struct error err;

    vm_batches_begin(&first);
    begin(&f->listing);
    add(&f->listing, 1, 1, "a", 0);
    end(&f->listing);
    assert_int_equal(read_form(f->known, &f->listing, 100, f->is_coded, &other), 0);
    assert_int_equal(other.n, 1);
    vm_batches_feed(&first, f->listing.text, f->listing.n);
    assert_int_equal(vm_batches_end(&first, &err), 0);
    assert_int_equal(f->told.n, 1);
}

int main(void)
{
#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, set_up, tear_down),                                      \
        cmocka_unit_test_setup_teardown(name, set_up_coded, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_is_the_same_is_not_parsed_again),
        TEST(what_has_changed_is_parsed),
        TEST(when_a_vm_was_polled_does_not_matter),
        TEST(vms_come_and_go),
        TEST(a_vm_in_a_text_is_no_vm),
        TEST(the_same_id_twice_is_never_known),
        TEST(what_makes_no_sense_is_told_each_time),
        TEST(a_failure_is_read_each_time),
        TEST(other_markup_is_parsed_as_ever),
        TEST(a_document_cut_off_is_an_error),
        TEST(one_listing_at_a_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
