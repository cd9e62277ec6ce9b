/* site_text.h: a site in one line.
 *
 * "144,cpu=100,memory=1024" as on the command line, or "144  CPU:100 Memory:1024" as in Haizea's
 * files: a number of hosts, then TYPE and AMOUNT, separated by blanks or commas, `=` or `:` between
 * them. CPU is in percent of one processor, memory and disk in MB. CPU and memory are required;
 * disk and network are ample (1000000) by default. Further types (gpu=2) keep their spelling.
 * Different hosts are joined by '+': "100,cpu=100,memory=1024 + 4,cpu=400,memory=8192,gpu=2".
 */
#pragma once

#include "core/site.h"

/* The most hosts of a site: ids have 32 bits, and each host has its own profile in memory. */
#define SITE_TEXT_HOSTS_MAX 1000000

/* Parses text and initializes *site, which is empty on errors. Errors: EINVAL with the position and
 * the expected input. */
int site_text_parse(const char *text, struct site *site, struct error *err);
