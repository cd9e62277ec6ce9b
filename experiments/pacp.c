#include "experiments/experiment.h"
static int run(const struct experiment_bench *bench, struct findings *findings, struct error *err)
{
    (void)bench, (void)findings, (void)err;
    return 0;
}
const struct experiment experiment_pacp = {
    .name = "pacp", .title = "pacp", .paper = "", .summary = "", .run = run};
