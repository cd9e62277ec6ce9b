#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "daemon/startup.h"

enum { EXIT_USAGE = 64 };

static const char usage[] =
    "Usage: galernad [options]\n"
    "Schedules the VMs of an OpenNebula as leases. See galernad(8).\n"
    "\n"
    "  -c FILE                 configuration (default: /etc/galerna/galerna.conf if there)\n"
    "      --foreground        stay in the foreground, log to standard error\n"
    "      --state-dir DIR     where the store of leases is kept\n"
    "      --simulate          simulated hosts and the real clock, without an OpenNebula\n"
    "      --check-configuration  read the configuration, say what is wrong, and end\n"
    "      --help, --version\n"
    "\n"
    "Exit codes: 0 stopped or configuration in order, 1 failed, 3 another daemon acts,\n"
    "4 credentials refused, 64 wrong usage, 78 wrong configuration or policy module.\n";

int main(int argc, char **argv)
{
    enum { FOREGROUND = 256, STATE_DIR, SIMULATE, CHECK, HELP, VERSION };
    static const struct option options[] = {{"configuration", required_argument, NULL, 'c'},
                                            {"foreground", no_argument, NULL, FOREGROUND},
                                            {"state-dir", required_argument, NULL, STATE_DIR},
                                            {"simulate", no_argument, NULL, SIMULATE},
                                            {"check-configuration", no_argument, NULL, CHECK},
                                            {"help", no_argument, NULL, HELP},
                                            {"version", no_argument, NULL, VERSION},
                                            {NULL, 0, NULL, 0}};
    struct startup startup = {0};
    int option;

    while ((option = getopt_long(argc, argv, "c:", options, NULL)) != -1) {
        switch (option) {
        case 'c':
            startup.file = optarg;
            break;
        case FOREGROUND:
            startup.foreground = true;
            break;
        case STATE_DIR:
            startup.state_directory = optarg;
            break;
        case SIMULATE:
            startup.simulate = true;
            break;
        case CHECK:
            startup.check_only = true;
            break;
        case HELP:
            fputs(usage, stdout);
            return EXIT_SUCCESS;
        case VERSION:
            puts("galernad " GALERNA_VERSION);
            return EXIT_SUCCESS;
        default:
            fputs("Try 'galernad --help'.\n", stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "galernad: unexpected argument '%s'\nTry 'galernad --help'.\n",
                argv[optind]);
        return EXIT_USAGE;
    }
    return startup_run(&startup);
}
