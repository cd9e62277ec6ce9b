/* Orders hosts by the rank of a VM. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adapters/opennebula/eligibility_parts.h"
#include "util/memory.h"

#define RUNNING_VMS "RUNNING_VMS"

/* Keeps ranks from overflowing with any number of reported VMs. */
enum { VMS_MOST = 1000000 };

/* The growth of a rank with each VM on a host, if it is the same on all hosts. */
struct slope {
    bool is_constant; /* the value is a constant number */
    double constant;
    double slope; /* NAN: differs between hosts */
};

static struct slope slope_of_two(enum expression_operation operation, struct slope left,
                                 struct slope right)
{
    struct slope result = {.is_constant = left.is_constant && right.is_constant};

    switch (operation) {
    case OPERATION_ADD:
        result.constant = left.constant + right.constant;
        result.slope = left.slope + right.slope;
        break;
    case OPERATION_SUBTRACT:
        result.constant = left.constant - right.constant;
        result.slope = left.slope - right.slope;
        break;
    case OPERATION_MULTIPLY:
        result.constant = left.constant * right.constant;
        if (right.is_constant)
            result.slope = left.slope * right.constant;
        else if (left.is_constant)
            result.slope = right.slope * left.constant;
        else
            result.slope = left.slope == 0 && right.slope == 0 ? 0 : NAN;
        break;
    default:
        result.constant = left.constant / right.constant;
        if (right.is_constant)
            result.slope = left.slope / right.constant;
        else
            result.slope = left.slope == 0 && right.slope == 0 ? 0 : NAN;
        break;
    }
    return result;
}

/* The change of a rank when a host gets a VM; 0 if it does not change, or not uniformly. The stock
 * scheduler evaluates ranks once per cycle; a plan covers many cycles at once and needs the
 * slope. */
static int64_t growth_per_vm(const struct expression *rank)
{
    struct slope *stack = memory_new(rank->depth + 1, sizeof *stack), *top = stack;
    double slope;

    for (size_t i = 0; i < rank->n; i++) {
        const struct instruction *instruction = &rank->code[i];

        if (instruction->operation == OPERATION_NUMBER) {
            *top++ = (struct slope){.is_constant = true, .constant = instruction->number};
        } else if (instruction->operation == OPERATION_ATTRIBUTE) {
            *top++ = (struct slope){.slope = !strcmp(instruction->name, RUNNING_VMS)};
        } else if (instruction->operation == OPERATION_NEGATE) {
            top[-1].constant = -top[-1].constant;
            top[-1].slope = -top[-1].slope;
        } else {
            top--;
            top[-1] = slope_of_two(instruction->operation, top[-1], *top);
        }
    }
    slope = rank->n ? stack[0].slope : 0;
    free(stack);
    return isfinite(slope) && fabs(slope) <= 1e9 ? (int64_t)slope : 0;
}

/* Removes the share of the VMs currently on the hosts from ranks, because the engine adds the share
 * of the VMs present at its decision. */
static void take_out_vms(struct eligibility *eligibility, struct ranking *ranking)
{
    size_t n = eligibility->hosts->n;
    int64_t *shares = memory_new(n, sizeof *shares);

    for (size_t i = 0; i < n; i++) {
        int64_t vms = eligibility->hosts->items[i].running_vms;

        if (vms > 0)
            shares[i] = -ranking->per_vm * (vms < VMS_MOST ? vms : VMS_MOST);
    }
    ranking->rank.added = eligibility_kept(&eligibility->numbers, shares, n * sizeof *shares);
    free(shares);
}

/* A copy of the column, to keep later figures from changing the rank. */
static const double *kept_column(struct eligibility *eligibility, const double *column)
{
    uint32_t number = map_add(&eligibility->kept_columns, (int64_t)(intptr_t)column);
    const double **kept = map_value(&eligibility->kept_columns, number);

    if (!*kept)
        *kept =
            eligibility_kept(&eligibility->numbers, column, eligibility->hosts->n * sizeof *column);
    return *kept;
}

static int rank_by_text(struct eligibility *eligibility, const char *text, struct ranking *ranking,
                        struct error *err)
{
    struct expression *rank = expression_parse_rank(text, err);
    struct rank_step *steps;

    if (!rank)
        return -1;
    steps = memory_new(rank->n, sizeof *steps);
    host_columns_rank(eligibility->columns, rank, steps);
    for (size_t i = 0; i < rank->n; i++)
        if (steps[i].column)
            steps[i].column = kept_column(eligibility, steps[i].column);
    *ranking = (struct ranking){.is_there = true,
                                .rank = {.steps = steps, .n = rank->n, .depth = rank->depth},
                                .per_vm = growth_per_vm(rank)};
    if (ranking->per_vm)
        take_out_vms(eligibility, ranking);
    expression_destroy(rank);
    return 0;
}

/* Each VM placed after the last measurement of FREE_CPU counts as one processor until the next one.
 */
static void rank_by_load(struct eligibility *eligibility, struct ranking *ranking)
{
    rank_by_text(eligibility, "FREE_CPU", ranking, NULL);
    ranking->per_vm = -100;
    take_out_vms(eligibility, ranking);
}

int eligibility_default_ranking(struct eligibility *eligibility, struct error *err)
{
    const char *text = eligibility->settings.rank;
    struct ranking *ranking;
    bool is_new;

    eligibility_number(&eligibility->ranking_texts, "", &is_new);
    MEMORY_GROW(eligibility->rankings, eligibility->rankings_allocated, 1);
    ranking = &eligibility->rankings[0];
    *ranking = (struct ranking){0};
    eligibility->settings.rank = NULL; /* belongs to the caller */
    switch (eligibility->settings.policy) {
    case HOST_POLICY_PACKING:
        ranking->per_vm = 1;
        return 0;
    case HOST_POLICY_STRIPING:
        ranking->per_vm = -1;
        return 0;
    case HOST_POLICY_LOAD_AWARE:
        rank_by_load(eligibility, ranking);
        return 0;
    case HOST_POLICY_CUSTOM:
        if (!text)
            return error_set(err, EINVAL, "the host policy 'custom' requires a rank expression");
        if (rank_by_text(eligibility, text, ranking, err) < 0)
            return error_prefix(err, "the rank '%.60s' of the host policy cannot be read", text);
        return 0;
    case HOST_POLICY_FIXED:
        return rank_by_text(eligibility, "PRIORITY", ranking, err);
    case HOST_POLICY_MODULE:
        return 0;
    }
    return error_set(err, EINVAL, "unknown host policy %d", (int)eligibility->settings.policy);
}

int eligibility_policy_rank(enum placement_policy policy, const char *text, const char *what,
                            struct expression **rank, struct error *err)
{
    *rank = NULL;
    switch (policy) {
    case PLACEMENT_PACKING:
    case PLACEMENT_STRIPING:
        return 0;
    case PLACEMENT_CUSTOM:
        if (!text)
            return error_set(err, EINVAL, "the %s policy 'custom' requires a rank expression",
                             what);
        *rank = expression_parse_rank(text, err);
        if (!*rank)
            return error_prefix(err, "the rank '%.60s' of the %s policy cannot be read", text,
                                what);
        return 0;
    case PLACEMENT_FIXED:
        *rank = expression_parse_rank("PRIORITY", err);
        return *rank ? 0 : -1;
    }
    return error_set(err, EINVAL, "unknown %s policy %d", what, (int)policy);
}

uint32_t eligibility_ranking_of(struct eligibility *eligibility, const struct vm *vm)
{
    const char *text = eligibility_text(vm, "SCHED_RANK");
    struct ranking *ranking;
    struct error fault = {0};
    bool is_new;
    uint32_t number;

    if (!text)
        text = eligibility_text(vm, "RANK");
    if (!text)
        return 0;
    number = eligibility_number(&eligibility->ranking_texts, text, &is_new);
    if (!is_new)
        return number;
    MEMORY_GROW(eligibility->rankings, eligibility->rankings_allocated, (size_t)number + 1);
    ranking = &eligibility->rankings[number];
    *ranking = (struct ranking){0};
    if (rank_by_text(eligibility, text, ranking, &fault) < 0) {
        *ranking = eligibility->rankings[0];
        ranking->fault = eligibility_fault("SCHED_RANK", text, &fault);
    }
    return number;
}
