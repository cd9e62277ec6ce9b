/* Mail through sendmail. The address follows "--" on its command line; in the headers, only that
 * address is from users, and the rest is the body. */
#include <stdlib.h>
#include <string.h>

#include "notify/notify.h"
#include "util/memory.h"
#include "util/output.h"
#include "util/printable.h"
#include "util/time_parse.h"
#include "util/time_text.h"

/* A line of the body. */
static void put_line(struct output *mail, const char *title, const char *text)
{
    char *line = memory_text(text);

    mask_controls(line, ' ');
    if (*line)
        output_format(mail, *title ? "%-8s %s\n" : "%s%s\n", title, line);
    free(line);
}

/* On this machine's clock, as in the other texts. */
static void put_time(struct output *mail, const char *title, const char *utc)
{
    char text[TIME_TEXT_MAX];
    int64_t instant;

    if (!time_parse_utc(utc, &instant))
        return;
    time_text_local(instant, text, sizeof text);
    put_line(mail, title, text);
}

/* Events as the subject names them; other events keep their words. */
static const char *happened(const char *event)
{
    static const struct {
        const char *event, *happened;
    } words[] = {
        {"start", "started"}, {"end", "ends soon"}, {"refusal", "refused"}, {"change", "changed"}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(event, words[i].event) == 0)
            return words[i].happened;
    return event;
}

static void put_headers(struct output *mail, const json_t *job, const json_t *notice)
{
    const char *from = notify_text(job, "from");

    if (*from)
        output_format(mail, "From: %s\n", from);
    output_format(mail, "To: %s\n", notify_text(job, "to"));
    output_format(mail, "Subject: Galerna: lease %lld: %s\n",
                  (long long)json_integer_value(json_object_get(notice, "lease")),
                  happened(notify_text(notice, "event")));
    output_text(mail, "Auto-Submitted: auto-generated\n"
                      "MIME-Version: 1.0\n"
                      "Content-Type: text/plain; charset=utf-8\n"
                      "Content-Transfer-Encoding: 8bit\n\n");
}

static void put_vms(struct output *mail, const json_t *notice)
{
    const json_t *vm;
    size_t i;

    output_format(mail, "%-8s", "VMs");
    json_array_foreach(json_object_get(notice, "vms"), i, vm)
        output_format(mail, " %lld", (long long)json_integer_value(vm));
    output_char(mail, '\n');
}

enum notify_end notify_mail(const json_t *job, struct error *err)
{
    const json_t *notice = json_object_get(job, "notice");
    char *sendmail = memory_text(notify_text(job, "sendmail"));
    char *to = memory_text(notify_text(job, "to"));
    char ignore_dots[] = "-i", no_options[] = "--";
    char *arguments[] = {sendmail, ignore_dots, no_options, to, NULL};
    struct output *mail = output_create_memory();
    enum notify_end end;
    const char *held;
    char *text;
    size_t n;

    put_headers(mail, job, notice);
    put_line(mail, "", notify_text(notice, "text"));
    output_char(mail, '\n');
    output_format(mail, "%-8s %lld\n", "Lease",
                  (long long)json_integer_value(json_object_get(notice, "lease")));
    put_line(mail, "Name", notify_text(notice, "name"));
    put_line(mail, "Owner", notify_text(notice, "user"));
    put_vms(mail, notice);
    put_time(mail, "Start", notify_text(notice, "start"));
    put_time(mail, "End", notify_text(notice, "end"));
    put_time(mail, "Time", notify_text(notice, "at"));
    held = output_held(mail, &n);
    text = memory_format("%.*s", (int)n, held);
    end = notify_pipe_to(arguments, text, err);
    output_destroy(mail);
    free(text);
    free(sendmail);
    free(to);
    return end;
}
