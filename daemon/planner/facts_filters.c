/* Host filters, and the columns that their ranks refer to, as facts: what many VMs share is sent
 * once. */
#include "daemon/planner/planner_inside.h"

/* The number of something that was sent before; else it gets the next one, and *is_new. */
static int32_t number_of(struct map *sent, const void *object, int32_t next, bool *is_new)
{
    size_t before = sent->n;
    int32_t *number = map_value(sent, map_add(sent, (int64_t)(intptr_t)object));

    *is_new = sent->n > before;
    if (*is_new)
        *number = next;
    return *number;
}

/* Eight bytes for each host, or NULL. */
static void put_column(struct facts *facts, const void *column)
{
    int32_t number = -1;
    bool is_new = false;

    if (column)
        number = number_of(&facts->sent->columns, column, (int32_t)facts->sent->columns.n, &is_new);
    if (is_new) {
        wire_put_raw(&facts->column_section, column,
                     facts->picture->hosts->pool.n * sizeof(int64_t));
        facts->n_new_columns++;
    }
    wire_put(&facts->filter_section, number);
}

static void put_rank(struct facts *facts, const struct host_rank *rank)
{
    struct wire_writer *section = &facts->filter_section;

    wire_put(section, (int64_t)rank->n);
    for (size_t i = 0; i < rank->n; i++) {
        wire_put(section, rank->steps[i].operation);
        if (rank->steps[i].operation == RANK_NUMBER)
            wire_put_raw(section, &rank->steps[i].number, sizeof rank->steps[i].number);
        else if (rank->steps[i].operation == RANK_COLUMN)
            put_column(facts, rank->steps[i].column);
    }
    put_column(facts, rank->added);
    put_column(facts, rank->preferences);
}

int32_t facts_put_filter(struct facts *facts, const struct host_filter *filter)
{
    struct wire_writer *section = &facts->filter_section;
    size_t words = bitmap_words(facts->picture->hosts->pool.n);

    wire_put(section, filter->allowed != NULL);
    if (filter->allowed)
        wire_put_raw(section, filter->allowed, words * sizeof *filter->allowed);
    wire_put(section, filter->rank != NULL);
    if (filter->rank)
        put_rank(facts, filter->rank);
    wire_put(section, filter->rank_per_vm);
    facts->n_new_filters++;
    return (int32_t)facts->sent->n_filters++;
}

int32_t facts_shared_filter(struct facts *facts, const struct host_filter *filter)
{
    bool is_new;
    int32_t number =
        number_of(&facts->sent->filters, filter, (int32_t)facts->sent->n_filters, &is_new);

    if (is_new)
        facts_put_filter(facts, filter);
    return number;
}
