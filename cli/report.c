/* galerna report: a page about finished runs. */
#include <stddef.h>

#include "cli/command.h"
#include "report/page.h"
#include "util/file.h"

struct report_arguments {
    const char *output, *title;
};

#define AT(member) offsetof(struct report_arguments, member)

static const struct command_option report_options[] = {
    {"output", .letter = 'o', .type = ARGUMENT_TEXT, .argument = "FILE", .offset = AT(output),
     .otherwise = "-", .help = "Write to FILE; - is standard output"},
    {"title", .type = ARGUMENT_TEXT, .argument = "TEXT", .offset = AT(title), .otherwise = "Report",
     .help = "Title of the page"},
};

const struct command_line report_line = {
    .name = "galerna report",
    .summary = "Create a page about replays and sweeps",
    .purpose = "Write an HTML page about runs: their figures side by side, the distributions of "
               "waits and slowdowns, utilization and queue over time, and the hosts over time with "
               "each lease. RESULTS are databases of 'galerna replay --results' and of 'galerna "
               "sweep', not records of 'galerna replay --record'. The page is a single file that "
               "needs no network.",
    .operands = "RESULTS...",
    .groups = {OPTION_GROUP(report_options)},
    .codes = {{EXIT_DONE, "Success"},
              {EXIT_FAILED, "Results cannot be read, or the page cannot be written"}},
    .size = sizeof(struct report_arguments),
};

int command_report(const struct call *call)
{
    const struct report_arguments *arguments = call->arguments;
    const struct page_options options = {.path = arguments->output,
                                         .title = arguments->title,
                                         .inputs = (const char *const *)call->operands,
                                         .n_inputs = (size_t)call->n};
    struct error err;

    for (int i = 0; i < call->n; i++)
        if (file_keep_input(arguments->output, call->operands[i], &err) < 0)
            return command_failed(call->name, &err);
    return page_write(&options, &err) < 0 ? command_failed(call->name, &err) : EXIT_DONE;
}
