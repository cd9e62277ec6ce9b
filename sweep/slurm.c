/* Carries out the cells of a sweep as a job array of Slurm. Tasks communicate only by files: each
 * writes its cells' files to the same folder as a local run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sweep/open_sweep.h"
#include "sweep/run_program.h"
#include "util/clock.h"
#include "util/memory.h"
#include "util/output.h"

enum {
    TASKS_MAX = 1000, /* the default of Slurm's MaxArraySize is 1001 */
    LOOK_MILLISECONDS = 500,
    ASK_EVERY = 4,     /* checks between two queries to Slurm */
    SILENCE_MAX = 120, /* consecutive queries that Slurm may leave unanswered */
    JOB_MAX = 64,
};

/* Files in the folder. */
static const char list_name[] = "pending", script_name[] = "task.sh", job_name[] = "job";

/* Writes a text as one word of the shell. */
static void shell_word(struct output *output, const char *text)
{
    output_char(output, '\'');
    for (; *text; text++)
        if (*text == '\'')
            output_text(output, "'\\''");
        else
            output_char(output, *text);
    output_char(output, '\'');
}

static int write_list(const struct session *session, const char *path, struct error *err)
{
    struct output *output = output_create(path, err);

    if (!output)
        return -1;
    for (size_t i = 0; i < session->n_pending; i++)
        output_format(output, "%zu\n", session->pending[i]);
    return output_close(output, err);
}

static int write_script(const struct session *session, const char *path, const char *program,
                        size_t tasks, struct error *err)
{
    struct output *output = output_create(path, err);
    char *list;

    if (!output)
        return -1;
    output_format(
        output,
        "#!/bin/sh\n"
        "# Written by galerna sweep. Each of %zu tasks carries out every %zu-th cell of the list.\n"
        "status=0\n"
        "for cell in $(awk -v task=\"$SLURM_ARRAY_TASK_ID\" '(NR - task) %% %zu == 0' ",
        tasks, tasks, tasks);
    list = folder_name(&session->folder, list_name);
    shell_word(output, list);
    free(list);
    output_text(output, "); do\n    ");
    shell_word(output, program);
    output_text(output, " sweep ");
    shell_word(output, session->sweep->file);
    output_text(output, " --results ");
    shell_word(output, session->options->results);
    output_text(output, " --cell \"$cell\" || status=1\ndone\nexit $status\n");
    return output_close(output, err);
}

/* The command line of sbatch. */
struct slurm_command {
    char **words;
    size_t n, allocated;
};

__attribute__((format(printf, 2, 3))) static void add_word(struct slurm_command *line,
                                                           const char *format, ...)
{
    va_list args;
    char *word;

    va_start(args, format);
    word = memory_vformat(format, args);
    va_end(args);
    MEMORY_GROW(line->words, line->allocated, line->n + 2);
    line->words[line->n++] = word;
    line->words[line->n] = NULL;
}

static void free_line(struct slurm_command *line)
{
    for (size_t i = 0; i < line->n; i++)
        free(line->words[i]);
    free(line->words);
}

/* In names of logs, sbatch replaces %x; a plain % is written %%. */
static void add_log(struct slurm_command *line, const char *folder)
{
    char *doubled = memory_new(2 * strlen(folder) + 1, 1), *to = doubled;

    for (; *folder; folder++) {
        if (*folder == '%')
            *to++ = '%';
        *to++ = *folder;
    }
    add_word(line, "--output=%s/task-%%a.log", doubled);
    free(doubled);
}

static void compose(struct slurm_command *line, const struct session *session, size_t tasks,
                    const char *script)
{
    const struct sweep *sweep = session->sweep;
    const char *slash = strrchr(sweep->file, '/');
    char limit[32] = "", *here = getcwd(NULL, 0);

    if (session->options->jobs)
        snprintf(limit, sizeof limit, "%%%u", session->options->jobs);
    add_word(line, "sbatch");
    add_word(line, "--parsable");
    add_word(line, "--job-name=galerna-%s", slash ? slash + 1 : sweep->file);
    add_word(line, "--ntasks=1");
    for (size_t i = 0; i < sweep->n_slurm; i++)
        add_word(line, "--%s%s%s", sweep->slurm[i].key, sweep->slurm[i].value[0] ? "=" : "",
                 sweep->slurm[i].value);
    add_word(line, "--array=1-%zu%s", tasks, limit);
    add_log(line, session->folder.path);
    if (here)
        add_word(line, "--chdir=%s", here);
    add_word(line, "%s", script);
    free(here);
}

/* Reads the job's number from sbatch; "": none. */
static void read_job(const struct folder *folder, char *job)
{
    char *path = folder_name(folder, job_name);
    FILE *stream = fopen(path, "r");

    job[0] = '\0';
    if (stream && fgets(job, JOB_MAX, stream))
        job[strspn(job, "0123456789")] = '\0';
    if (stream)
        fclose(stream);
    free(path);
}

static int write_job(const struct folder *folder, const char *job, struct error *err)
{
    char *path = folder_name(folder, job_name);
    struct output *output = output_create(path, err);
    int result = -1;

    if (output) {
        output_format(output, "%s\n", job);
        result = output_close(output, err);
    }
    free(path);
    return result;
}

static int run_sbatch(const struct session *session, const char *script, size_t tasks,
                      struct error *err)
{
    struct slurm_command line = {0};
    struct program_result answer;
    size_t digits;
    int result;

    compose(&line, session, tasks, script);
    result = program_run(line.words, &answer, err);
    free_line(&line);
    if (result < 0)
        return error_prefix(err, "Slurm's commands are required");
    digits = strspn(answer.output, "0123456789");
    if (answer.status != 0 || digits == 0 || digits >= JOB_MAX)
        return error_set(err, EIO, "sbatch rejected the job: %.300s",
                         answer.errors[0] ? answer.errors : answer.output);
    answer.output[digits] = '\0';
    return write_job(&session->folder, answer.output, err);
}

/* Queries the job: 1: in the queue, 0: ended, -1: no answer from Slurm, with the cause in
 * result->errors. */
static int ask_for_job(const char *job, struct program_result *result, struct error *err)
{
    struct slurm_command line = {0};
    int ran;

    add_word(&line, "squeue");
    add_word(&line, "--noheader");
    add_word(&line, "--format=%%i");
    add_word(&line, "--jobs=%s", job);
    ran = program_run(line.words, result, err);
    free_line(&line);
    if (ran < 0)
        return -1;
    if (result->status == 0)
        return result->output[0] != '\0';
    if (strstr(result->errors, "Invalid job id"))
        return 0;
    return error_set(err, EIO, "squeue: %.300s", result->errors);
}

static int refuse_second_job(const struct session *session, struct error *err)
{
    struct program_result result;
    char job[JOB_MAX];
    int there;

    read_job(&session->folder, job);
    there = job[0] ? ask_for_job(job, &result, err) : 0;
    if (there > 0)
        return error_set(err, EBUSY,
                         "job %s of this sweep is in the queue; collect its results with "
                         "--collect, or end it with scancel %s",
                         job, job);
    return there;
}

static int submit(const struct session *session, const char *program, size_t *tasks,
                  struct error *err)
{
    char *list = folder_name(&session->folder, list_name);
    char *script = folder_name(&session->folder, script_name);
    int result = refuse_second_job(session, err);

    *tasks = session->n_pending < TASKS_MAX ? session->n_pending : TASKS_MAX;
    if (result == 0 && *tasks > 0 &&
        (write_list(session, list, err) < 0 ||
         write_script(session, script, program, *tasks, err) < 0 ||
         run_sbatch(session, script, *tasks, err) < 0))
        result = -1;
    free(list);
    free(script);
    return result;
}

int sweep_submit(struct sweep *sweep, const struct sweep_options *options, const char *program,
                 size_t *tasks, struct error *err)
{
    struct session session;
    int result;

    *tasks = 0;
    if (!sweep->file)
        return error_set(err, EINVAL, "only a sweep that was read from a file can be submitted");
    result = session_init(&session, sweep, options, err);
    if (result == 0)
        result = submit(&session, program, tasks, err);
    if (session_finish(&session, NULL, result ? NULL : err) < 0)
        result = -1;
    return result;
}

/* Collects the files of missing cells and adds their number to *n_taken; cells without a file stay
 * pending. */
static int take_pending(struct session *session, size_t *n_taken, struct error *err)
{
    size_t left = 0;

    for (size_t i = 0; i < session->n_pending; i++) {
        int taken = session_take(session, session->pending[i], err);

        if (taken < 0)
            return -1;
        if (taken == 0)
            session->pending[left++] = session->pending[i];
        *n_taken += (size_t)taken;
    }
    session->n_pending = left;
    return 0;
}

/* The state of occasional queries whether the job has ended. */
struct slurm_question {
    char job[JOB_MAX];
    unsigned looks, silence;
};

/* 1: ended, 0: not ended, as far as known, -1: no answer from Slurm for a long time. */
static int job_is_over(struct slurm_question *question, struct error *err)
{
    struct program_result result;
    int there;

    if (!question->job[0])
        return 1;
    if (question->looks++ % ASK_EVERY)
        return 0;
    there = ask_for_job(question->job, &result, err);
    question->silence = there < 0 ? question->silence + 1 : 0;
    if (question->silence > SILENCE_MAX)
        return error_prefix(err, "job %s: Slurm does not answer; collect later with --collect",
                            question->job);
    return there == 0;
}

static int wait_for_job(struct session *session, struct error *err)
{
    const struct timespec pause = {.tv_nsec = LOOK_MILLISECONDS * 1000000L};
    struct slurm_question question = {0};
    size_t all = session->n_pending, taken = 0;
    int64_t begun = clock_microseconds(CLOCK_MONOTONIC);

    read_job(&session->folder, question.job);
    while (session->n_pending > 0) {
        int over = job_is_over(&question, err);

        if (over < 0 || take_pending(session, &taken, err) < 0)
            return -1;
        session_tell(session, taken, (double)taken / (double)all, begun);
        if (session->n_pending == 0)
            break;
        if (over)
            return error_set(err, ECHILD,
                             "the job has ended, but %zu of %zu cells left no result; its output "
                             "is in %s/task-*.log; repeat the command to submit them again",
                             session->n_pending, session->sweep->n_cells, session->folder.path);
        if (session->options->stop && *session->options->stop)
            return error_set(err, EINTR,
                             "interrupted; job %s continues: collect its results with --collect, "
                             "or end it with scancel %s",
                             question.job, question.job);
        nanosleep(&pause, NULL);
    }
    return 0;
}

int sweep_wait(struct sweep *sweep, const struct sweep_options *options,
               struct sweep_outcome *outcomes, struct error *err)
{
    struct sweep_options collecting = *options;
    struct session session;
    int result;

    collecting.again = false;
    result = session_init(&session, sweep, &collecting, err);
    if (result == 0)
        result = wait_for_job(&session, err);
    if (session_finish(&session, outcomes, result ? NULL : err) < 0)
        result = -1;
    return result;
}
