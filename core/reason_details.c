/* The details of reasons: kept in lines of a text, and their sentences. */
#include "core/reason_details.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/reason_fill.h"
#include "util/append.h"
#include "util/instant.h"
#include "util/words.h"

/* ROW(id, word, before, template): `before` stands between the detail and the one before it. An
 * item of a list, NULL, comes after ", ", the first one after what opens the list. */
#define DETAIL_ROWS(ROW)                                                                           \
    ROW(LATE_VM, "late-vm", "; ", "VM %n on host %n is %s")                                        \
    ROW(LATE_VM_STARTS, "late-vm-starts", "; ", "VM %n is %s and is to start on host %n")          \
    ROW(DEPARTING, "departing", "; ", "VM %n (%s) has not left host %n")                           \
    ROW(NO_HOSTS, "no-hosts", "; ", "OpenNebula has no hosts")                                     \
    ROW(NONE_LEFT, "none-left", "; ", "none of the %n hosts can be used")                          \
    ROW(OUT_OF_SERVICE, "out-of-service", NULL, "%kare disabled, offline or in error")             \
    ROW(NOT_PERMITTED, "not-permitted", NULL, "%kare not permitted to the owner (MANAGE)")         \
    ROW(OTHER_DATASTORE, "other-datastore", NULL,                                                  \
        "%kdo not have the system datastore that the VM's disks are on")                           \
    ROW(NO_DATASTORE, "no-datastore", NULL,                                                        \
        "%khave no enabled system datastore that the VM may use")                                  \
    ROW(DATASTORES_FULL, "datastores-full", NULL,                                                  \
        "%khave no system datastore with room for %n MB")                                          \
    ROW(NO_NETWORKS, "no-networks", NULL, "%kare in clusters without networks for the VM")         \
    ROW(ROLE_EXCLUDES, "role-excludes", NULL, "%kare excluded by role %s of VM group %n")          \
    ROW(AUTOMATIC, "automatic-requirements", NULL,                                                 \
        "%kdo not meet OpenNebula's AUTOMATIC_REQUIREMENTS %o%s")                                  \
    ROW(REQUIREMENT, "requirements", NULL, "%kdo not meet SCHED_REQUIREMENTS %o%s")                \
    ROW(UNKNOWN_ATTRIBUTE, "unknown-attribute", "; ", "no host has an attribute %s")               \
    ROW(SUGGESTION, "suggestion", ", ", "did you mean '%s'?")                                      \
    ROW(PART_UNMET, "part-unmet", "; ", "no host meets %o%o%s")                                    \
    ROW(EACH_PART_MET, "each-part-met", "; ",                                                      \
        "each part is met by some host, but no host meets all of them")                            \
    ROW(TOO_LONG, "too-long", "; ",                                                                \
        "the waiting VMs of user %n have more than %n bytes of different SCHED_REQUIREMENTS and "  \
        "SCHED_RANK")                                                                              \
    ROW(TOO_LONG_OF_NICS, "too-long-of-nics", "; ",                                                \
        "the waiting VMs of user %n have more than %n bytes of different SCHED_REQUIREMENTS and "  \
        "SCHED_RANK of NICs")                                                                      \
    ROW(NO_VIRTUAL_NETWORKS, "no-virtual-networks", "; ", "OpenNebula has no virtual networks")    \
    ROW(NIC, "nic", "; ", "no network suits automatic NIC %n of %n%o")                             \
    ROW(NETWORK_ELSEWHERE, "network-elsewhere", NULL, "%kare in other clusters")                   \
    ROW(NETWORK_NOT_PERMITTED, "network-not-permitted", NULL,                                      \
        "%kare not permitted to the owner (USE)")                                                  \
    ROW(NETWORK_UNSUITABLE, "network-unsuitable", NULL, "%kdo not meet its SCHED_REQUIREMENTS")    \
    ROW(NETWORK_FULL, "network-full", NULL, "%khave no free address")                              \
    ROW(TOO_MANY_NICS, "too-many-nics", "; ", "it has more than %n NICs with NETWORK_MODE=auto")   \
    ROW(TOO_FEW_NETWORKS, "too-few-networks", "; ",                                                \
        "too few networks for its %n automatic NICs%o")                                            \
    ROW(IMAGES_FULL, "images-full", "; ",                                                          \
        "image datastore %n has no room for %n MB of its disks: %n MB are free")                   \
    ROW(HOST_NO_DATASTORE, "host-no-datastore", "; ",                                              \
        "no enabled system datastore in the cluster of host %n that the VM may use")               \
    ROW(HOST_DATASTORES_FULL, "host-datastores-full", "; ",                                        \
        "no system datastore for host %n has room for %n MB (of %n, datastore %n has the most: "   \
        "%n MB)")                                                                                  \
    ROW(ARRIVALS, "arrivals", "; ",                                                                \
        "its requirement on CURRENT_VMS excludes a VM on its way to host %n")                      \
    ROW(HOST_GONE, "host-gone", "; ", "host %n is gone")                                           \
    ROW(ONLY_HOST, "only-host", "", " on host %n, the only one of %n that it may use")             \
    ROW(HOSTS, "hosts", "", " on the %n of %n hosts that it may use")                              \
    ROW(QUARANTINED, "quarantined", NULL, "%kare quarantined")                                     \
    ROW(NO_DEVICE, "no-device", NULL, "%khave no PCI device %p")                                   \
    ROW(ONLY_HOST_HAS, "only-host-has", ": ", "only host %n has them")                             \
    ROW(HOSTS_HAVE, "hosts-have", ": ", "%n of %n hosts have them")                                \
    ROW(HOST_DRAINED, "host-drained", ": ", "host %n is drained until %t")                         \
    ROW(HOST_BOOKED, "host-booked", ": ", "host %n is booked for '%s' until %t")                   \
    ROW(HOSTS_CLOSED, "hosts-closed", ": ",                                                        \
        "%n of %n hosts are drained or booked, host %n until %t")                                  \
    ROW(REBALANCED, "rebalanced", "; ", "its cluster is rebalanced")                               \
    ROW(FOR_LEASE, "for-lease", "; ", "lease %n starts there")                                     \
    ROW(BOOKING_ENDS, "booking-ends", "; ", "booking '%s' ends on its host")                       \
    ROW(HOST_IS_BOOKED, "host-is-booked", "; ", "its host is booked for '%s'")                     \
    ROW(HOST_IS_DRAINED, "host-is-drained", "; ", "host %n is drained")                            \
    ROW(HOST_IS_DISABLED, "host-is-disabled", "; ",                                                \
        "host %n is disabled and VM %n marked RESCHED")                                            \
    ROW(RESCHED, "resched", "; ", "VM %n is marked RESCHED")                                       \
    ROW(MIGRATION_FAILED, "migration-failed", "; ", "its migration failed")                        \
    ROW(NO_OTHER_HOST, "no-other-host", "; ", "no other usable host meets its requirements")       \
    ROW(ROLE, "role", ", ", "role %s of VM group %n")                                              \
    ROW(VM_GROUP, "vm-group", ", ", "a VM group")                                                  \
    ROW(NEAR, "near", ", ", "VM %n on host %n")                                                    \
    ROW(TOO_MANY_RULES, "too-many-rules", "; ", "its VM group has too many rules for it")          \
    ROW(TOO_MANY_GROUPS, "too-many-groups", "; ",                                                  \
        "it is in %n VM groups, and Galerna reads at most %n")                                     \
    ROW(GROUP_NOT_READ, "group-not-read", "; ",                                                    \
        "its VM group %n could not be read from OpenNebula")                                       \
    ROW(RULE_EXCLUDES, "rule-excludes", "; ", "role %s of VM group %n excludes the host")          \
    ROW(RULE_APART, "rule-apart", "; ", "role %s of VM group %n keeps it apart from VM %n")        \
    ROW(RULE_TOGETHER, "rule-together", "; ",                                                      \
        "role %s of VM group %n keeps it together with VM %n")                                     \
    ROW(NO_BOOKING, "no-booking", "; ", "booking '%s' does not exist or has ended")                \
    ROW(NOT_ADMITTED, "not-admitted", "; ", "booking '%s' admits neither")                         \
    ROW(USER, "user", " ", "user '%s'")                                                            \
    ROW(USER_GROUP, "user-group", " ", "nor group '%s'")                                           \
    ROW(NO_END, "no-end", "; ",                                                                    \
        "it has no end, but booking '%s' does: set DURATION or PREEMPTIBLE=yes")                   \
    ROW(BOOKING_TOO_SHORT, "booking-too-short", "; ",                                              \
        "no host of booking '%s' is booked for as long as it runs")                                \
    ROW(NOT_BOOKED_FROM, "not-booked-from", "; ",                                                  \
        "no host of booking '%s' is booked from %t for as long as it runs")                        \
    ROW(NOT_ALLOWED, "not-allowed", "; ", "not allowed by the site's rules")                       \
    ROW(NO_RESERVATIONS, "no-reservations", NULL,                                                  \
        "you may not make advance reservations (START at an exact time)")                          \
    ROW(NO_IMMEDIATE, "no-immediate", NULL,                                                        \
        "you may not request immediate leases (START=now); use best_effort")                       \
    ROW(NO_DEADLINE, "no-deadline", NULL, "you may not request a DEADLINE")                        \
    ROW(TERM_LIMIT, "term-limit", NULL, "%s is %n, at most %n is allowed%o")                       \
    ROW(TERM_DENIED, "term-denied", NULL, "%s is not allowed")                                     \
    ROW(RIGHT, "right", " ", "(%s)")                                                               \
    ROW(RIGHT_OF, "right-of", " ", "(%s of")                                                       \
    ROW(OWNER, "owner", " ", "%s)")                                                                \
    ROW(NOT_PREEMPTIBLE, "not-preemptible", NULL,                                                  \
        "leases that cannot be preempted are not allowed: request PREEMPTIBLE=yes "                \
        "(non-preemptible)")                                                                       \
    ROW(MAX_AHEAD, "max-ahead", NULL, "%s is %e ahead, at most %e is allowed (max-ahead)")         \
    ROW(MAX_RESERVATIONS, "max-reservations", NULL,                                                \
        "you have %n reservations and leases with a deadline, %w (max-reservations)")              \
    ROW(MAX_CLOUD_TIME, "max-cloud-time", NULL,                                                    \
        "your reservations and leases with a deadline would take the whole cloud for %e, at most " \
        "%e is allowed (max-cloud-time)")                                                          \
    ROW(MAX_SHARE, "max-share", NULL,                                                              \
        "you would hold %n%% of the cloud at %t, at most %n%% is allowed %d or more ahead "        \
        "(max-share)")                                                                             \
    ROW(SHARE_OF_VMS, "share-of-vms", ": ", "%n of its %n VMs")                                    \
    ROW(SHARE_POSSIBLE, "share-possible", ": ", "possible from %t")                                \
    ROW(MAX_DURATION, "max-duration", NULL,                                                        \
        "DURATION is %e, at most %e is allowed (max-duration)")                                    \
    ROW(MAX_CHANGES, "max-changes", NULL, "the lease has been changed %n times, %w (max-changes)") \
    ROW(MAX_EXTENSION, "max-extension", NULL,                                                      \
        "the lease would be extended by %e in all, at most %e is allowed (max-extension)")         \
    ROW(CHANGE_BEFORE, "change-before", NULL,                                                      \
        "the lease ends in %e, changes are allowed up to %e before the end (change-before)")       \
    ROW(MAX_VMS, "max-vms", NULL, "the lease has %v, %w (max-vms)")                                \
    ROW(ONLY_OPERATORS_BOOK, "only-operators-book", NULL,                                          \
        "only operators may book hosts (max-booked-hosts)")                                        \
    ROW(MAX_BOOKED_HOSTS, "max-booked-hosts", NULL,                                                \
        "you would have %n hosts booked at the same time, %w (max-booked-hosts)")                  \
    ROW(MAX_BOOKED_TIMES, "max-booked-times", NULL,                                                \
        "you would have booked hosts for %n windows, %w (max-reservations)")                       \
    ROW(MAX_BOOKED_DURATION, "max-booked-duration", NULL,                                          \
        "the booking lasts %e, at most %e is allowed (max-duration)")

#define DETAIL_WORD(id, word, before, template) [DETAIL_##id] = (word),
#define DETAIL_ROW(id, word, before, template)  [DETAIL_##id] = {before, template},

const char *const detail_words[DETAILS] = {DETAIL_ROWS(DETAIL_WORD)};

static const struct {
    const char *before, *text;
} rows[DETAILS] = {DETAIL_ROWS(DETAIL_ROW)};

size_t details_numbers(enum detail_id id)
{
    return reason_fill_numbers(rows[id].text);
}

/* --- lines: "\nword 1 2 name" ----------------------------------------------------------------- */

void details_add(char *text, size_t size, const struct detail *detail)
{
    char line[DETAIL_NAME_MAX + 160];
    size_t length = append_text(line, sizeof line, 0, "\n%s", detail_words[detail->id]);
    size_t used = strlen(text);

    for (size_t i = 0; i < details_numbers(detail->id); i++)
        length = append_text(line, sizeof line, length, " %" PRId64, detail->n[i]);
    length = append_text(line, sizeof line, length, "%s%.*s", detail->name ? " " : "",
                         DETAIL_NAME_MAX - 1, detail->name ? detail->name : "");
    for (char *at = line + 1; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    if (used + length < size)
        memcpy(text + used, line, length + 1);
}

static bool read_line(const char *line, size_t length, struct detail *detail,
                      char name[DETAIL_NAME_MAX])
{
    const char *end = line + length;
    char word[40];
    int id;

    snprintf(word, sizeof word, "%.*s", (int)strcspn(line, " \n"), line);
    id = words_find(detail_words, DETAILS, word);
    if (id < 0)
        return false;
    *detail = (struct detail){.id = (enum detail_id)id, .name = name};
    line += strlen(word);
    for (size_t i = 0; i < details_numbers(detail->id); i++) {
        char *after;

        detail->n[i] = strtoll(line, &after, 10);
        if (after == line || after > end)
            return false;
        line = after;
    }
    line += line < end;
    snprintf(name, DETAIL_NAME_MAX, "%.*s", (int)(end - line), line);
    return true;
}

bool details_next(const char **text, struct detail *detail, char name[DETAIL_NAME_MAX])
{
    const char *line;
    size_t length;

    if (!*text || **text != '\n')
        return false;
    line = *text + 1;
    length = strcspn(line, "\n");
    *text = line + length;
    return read_line(line, length, detail, name);
}

void details_append(char *text, size_t size, const char *more)
{
    char name[DETAIL_NAME_MAX];
    struct detail detail;

    while (details_next(&more, &detail, name))
        details_add(text, size, &detail);
}

/* --- sentences -------------------------------------------------------------------------------- */

/* Replaces the usual sentence where a number would make it wrong. */
static const char *sentence_of(const struct detail *detail)
{
    const int64_t *n = detail->n;

    if (detail->id == DETAIL_LATE_VM && n[1] < 0)
        return "VM %n is%o %s";
    if (detail->id == DETAIL_NONE_LEFT && n[0] == 1)
        return "%othe only host cannot be used";
    if (detail->id == DETAIL_AUTOMATIC && !*detail->name)
        return n[2] ? "%kdo not meet OpenNebula's AUTOMATIC_REQUIREMENTS at present"
                    : "%kdo not meet OpenNebula's AUTOMATIC_REQUIREMENTS";
    if (detail->id == DETAIL_REQUIREMENT && n[2])
        return "%kdo not meet SCHED_REQUIREMENTS %o%s at present";
    if (detail->id == DETAIL_PART_UNMET && n[0])
        return n[1] ? "no host meets !(%s) at present" : "no host meets !(%s)";
    if (detail->id == DETAIL_PART_UNMET && n[1])
        return "no host meets %s at present";
    if (detail->id == DETAIL_NIC && n[2] == 1)
        return "the only network does not suit automatic NIC %n of %n";
    if (detail->id == DETAIL_TOO_FEW_NETWORKS && n[1])
        return "too few networks, each in another one, for its %n automatic NICs";
    if (detail->id == DETAIL_HOST_DRAINED && n[1] == INSTANT_NEVER)
        return "host %n is drained";
    if (detail->id == DETAIL_HOST_BOOKED && n[1] == INSTANT_NEVER)
        return "host %n is booked for '%s'";
    if (detail->id == DETAIL_HOSTS_CLOSED && n[3] == INSTANT_NEVER)
        return "%n of %n hosts are drained or booked, host %n";
    if (detail->id == DETAIL_TERM_LIMIT && n[2])
        return "%s is %m, at most %m is allowed";
    if (detail->id == DETAIL_MAX_RESERVATIONS && n[0] == 1)
        return "you have %n reservation or lease with a deadline, %w (max-reservations)";
    if (detail->id == DETAIL_MAX_CHANGES && n[0] == 1)
        return "the lease has been changed %n time, %w (max-changes)";
    if (detail->id == DETAIL_MAX_SHARE && n[3] < 0)
        return "you would hold %n%% of the cloud at %t, at most %n%% is allowed while others wait "
               "for room (max-share)";
    return rows[detail->id].text;
}

/* What opens the list that follows the detail; ": " closes one in parentheses. */
static const char *opens(enum detail_id id)
{
    if (id == DETAIL_ONLY_HOST || id == DETAIL_HOSTS)
        return " (";
    return id == DETAIL_NONE_LEFT || id == DETAIL_NIC || id == DETAIL_NOT_ALLOWED ? ": " : ", ";
}

const char *details_text(const char *text, char *buffer, size_t size,
                         void (*time_text)(int64_t instant, char *text, size_t size))
{
    char name[DETAIL_NAME_MAX];
    struct detail detail;
    const char *list = ", ", *before;
    size_t length = 0;
    bool open = false;

    if (!text || *text != '\n')
        return text;
    buffer[0] = '\0';
    while (details_next(&text, &detail, name)) {
        before = rows[detail.id].before ? rows[detail.id].before : list;
        if (open && *before == ':')
            length = append_text(buffer, size, length, ")");
        open = (before[0] && before[1] == '(') || (open && *before != ':');
        list = opens(detail.id);
        if (length)
            length = append_text(buffer, size, length, "%s", before);
        length += reason_fill(sentence_of(&detail), detail.n, detail.name, buffer + length,
                              size - length, time_text);
    }
    if (open)
        append_text(buffer, size, length, ")");
    return buffer;
}
