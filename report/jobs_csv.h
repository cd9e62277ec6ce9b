/* jobs_csv.h: writes one line per lease, with the columns expected by evalys and users of Batsim:
 *
 *   job_id, workload_name, submission_time, requested_number_of_resources, requested_time, success,
 *   starting_time, execution_time, finish_time, waiting_time, turnaround_time, stretch,
 *   allocated_resources
 *
 * Times are seconds since the start of the run. A line is written when its lease ends; unfinished
 * leases come last. requested_number_of_resources is the number of VMs; success is 1 for a lease
 * that ran to its end; execution_time is finish - start, including suspensions; stretch is
 * turnaround / execution; allocated_resources are ids of hosts, for example "0-3 7". Missing values
 * are left empty.
 */
#pragma once

#include "core/observer.h"

struct jobs_csv; /* opaque */

/* path "-": standard output. workload: the name in the second column; copied. */
struct jobs_csv *jobs_csv_create(const char *path, const char *workload, struct error *err);

/* The observer writes the remaining lines and closes the file at the end of the run. */
struct observer jobs_csv_observer(struct jobs_csv *jobs);

void jobs_csv_destroy(struct jobs_csv *jobs); /* NULL is allowed */
