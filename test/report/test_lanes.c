/* Boxes of a picture that are on one host at the same time: none hides another. */
#include "report/gantt_lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { HOSTS = 5, BOXES = 60 };

struct scene {
    struct gantt_boxes boxes;
    bool wanted[BOXES];
    struct gantt_lanes lanes;
};

static void begin(struct scene *scene, size_t n_hosts)
{
    *scene = (struct scene){0};
    gantt_boxes_init(&scene->boxes);
    gantt_boxes_set_hosts(&scene->boxes, n_hosts);
}

static void add(struct scene *scene, int64_t lease, int64_t from, int64_t until, uint32_t first,
                uint32_t count)
{
    const struct gantt_box box = {.from = from, .until = until, .lease = lease};
    uint32_t hosts[HOSTS];

    for (uint32_t i = 0; i < count; i++)
        hosts[i] = first + i;
    gantt_boxes_add(&scene->boxes, &box, hosts, count);
    scene->wanted[scene->boxes.n_boxes - 1] = true;
}

static struct gantt_piece piece(const struct scene *scene, size_t box, uint32_t host)
{
    return scene->lanes.pieces[scene->lanes.first[box] + host - scene->boxes.boxes[box].first];
}

static void end(struct scene *scene)
{
    gantt_lanes_finish(&scene->lanes);
    gantt_boxes_finish(&scene->boxes);
}

static void whoever_is_alone_has_the_row(void **state)
{
    struct scene scene;

    begin(&scene, HOSTS);
    add(&scene, 1, 0, 10, 0, 3);
    add(&scene, 2, 10, 20, 0, 3); /* one ends when the other begins */
    gantt_lanes_init(&scene.lanes, &scene.boxes, scene.wanted);
    for (uint32_t host = 0; host < 3; host++) {
        assert_int_equal(piece(&scene, 0, host).lanes, 1);
        assert_int_equal(piece(&scene, 1, host).lanes, 1);
    }
    assert_int_equal(scene.lanes.most, 1);
    end(&scene);
}

/* On one of three hosts another lease runs too, and is suspended there. */
static void a_shared_row_is_split_while_it_is_shared(void **state)
{
    struct scene scene;

    begin(&scene, HOSTS);
    add(&scene, 1, 0, 100, 0, 3);
    add(&scene, 2, 50, 60, 1, 1);
    add(&scene, 2, 60, 65, 1, 1);
    add(&scene, 3, 100, 110, 1, 1);
    gantt_lanes_init(&scene.lanes, &scene.boxes, scene.wanted);
    assert_int_equal(piece(&scene, 0, 0).lanes, 1);
    assert_int_equal(piece(&scene, 0, 1).lanes, 2);
    assert_int_equal(piece(&scene, 0, 2).lanes, 1);
    assert_int_equal(piece(&scene, 1, 1).lane, 1);
    assert_int_equal(piece(&scene, 2, 1).lane, 1); /* it keeps its lane */
    assert_int_equal(piece(&scene, 3, 1).lanes, 1);
    assert_int_equal(scene.lanes.most, 2);
    end(&scene);
}

/* Above and below each other, or before and after. */
static bool are_apart(const struct scene *scene, size_t a, size_t b, uint32_t host)
{
    const struct gantt_box *x = &scene->boxes.boxes[a], *y = &scene->boxes.boxes[b];
    struct gantt_piece p = piece(scene, a, host), q = piece(scene, b, host);

    if (x->from >= y->until || y->from >= x->until)
        return true;
    assert_int_equal(p.lanes, q.lanes);
    return p.lane != q.lane && p.lane < p.lanes && q.lane < q.lanes;
}

static bool is_on(const struct scene *scene, size_t box, uint32_t host)
{
    const struct gantt_box *b = &scene->boxes.boxes[box];

    return host >= b->first && host < b->first + b->count;
}

static void none_hides_another(void **state)
{
    srand(7);
    for (int round = 0; round < 200; round++) {
        struct scene scene;

        begin(&scene, HOSTS);
        for (int i = 0; i < BOXES; i++) {
            int64_t from = rand() % 100;
            uint32_t first = (uint32_t)(rand() % HOSTS);

            add(&scene, i, from, from + 1 + rand() % 30, first,
                1 + (uint32_t)rand() % (HOSTS - first));
        }
        gantt_lanes_init(&scene.lanes, &scene.boxes, scene.wanted);
        for (size_t a = 0; a < BOXES; a++)
            for (size_t b = a + 1; b < BOXES; b++)
                for (uint32_t host = 0; host < HOSTS; host++)
                    if (is_on(&scene, a, host) && is_on(&scene, b, host))
                        assert_true(are_apart(&scene, a, b, host));
        end(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_is_alone_has_the_row),
        cmocka_unit_test(a_shared_row_is_split_while_it_is_shared),
        cmocka_unit_test(none_hides_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
