/* Requests of the daemon's parts to its loop, and problems: noted for the next cycle. */
#include <stdarg.h>
#include <stdio.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/live/daemon.h"
#include "daemon/live/guard.h"

#define LOG_SUBSYSTEM LOG_OF_DAEMON

void daemon_replan(struct daemon *daemon, const char *format, ...)
{
    va_list arguments;

    if (daemon->replan && !daemon_acts(daemon)) /* no cycle can plan: the loop would spin */
        return;
    daemon->cycle_due = true;
    if (daemon->replan)
        return;
    daemon->replan = true;
    va_start(arguments, format);
    vsnprintf(daemon->replan_why, sizeof daemon->replan_why, format, arguments);
    va_end(arguments);
}

void daemon_wake(struct daemon *daemon)
{
    daemon->cycle_due = true;
}

void daemon_answered(struct daemon *daemon)
{
    daemon->answers_due = true;
}

void daemon_planner_ready(void *context)
{
    struct daemon *daemon = context;

    daemon->next_plan = 0;
    daemon->cycle_due = true;
}

void daemon_modules_loaded(struct daemon *daemon)
{
    log_info("policy modules reloaded");
    daemon_replan(daemon, "policy modules reloaded");
}

void daemon_notice(struct daemon *daemon)
{
    world_poll(daemon->world, POLL_NOTICE);
}

bool daemon_acts(const struct daemon *daemon)
{
    return world_leads(daemon->world) && guard_holds(daemon->guard) && !daemon->fence.behind;
}

bool daemon_follows(const struct daemon *daemon)
{
    return daemon->polled && !world_leads(daemon->world);
}

const char *const problem_words[PROBLEMS] = {PROBLEM_ROWS(WORDS_WORD)};

void daemon_problem(struct daemon *daemon, enum problem_of of, const char *text)
{
    struct problem *problem = &daemon->problems[of];

    if (text && !problem->text[0])
        problem->since = clock_now();
    snprintf(problem->text, sizeof problem->text, "%s", text ? text : "");
}

const char *daemon_is_outdated(const struct daemon *daemon, struct problem *why)
{
    static const struct {
        enum problem_of of;
        const char *words;
    } stops[] = {{PROBLEM_OPENNEBULA, "OpenNebula does not answer: "},
                 {PROBLEM_STORE, "cannot write state: "},
                 {PROBLEM_MARK, ""},
                 {PROBLEM_PLAN, "planning failed: "}};

    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        const struct problem *problem = &daemon->problems[stops[i].of];

        if (!problem->text[0])
            continue;
        why->since = problem->since;
        snprintf(why->text, sizeof why->text, "%s%s", stops[i].words, problem->text);
        return problem_words[stops[i].of];
    }
    why->since = daemon->polled ? daemon->follows_since : daemon->started;
    if (!daemon->polled) {
        snprintf(why->text, sizeof why->text, "OpenNebula has not been read yet");
        return "not-read";
    }
    if (world_leads(daemon->world))
        return NULL;
    snprintf(why->text, sizeof why->text, "this oned does not lead its zone (%s)",
             world_leadership(daemon->world)->role);
    return "not-leading";
}
