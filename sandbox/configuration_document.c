/* The answer to one.system.config. */

#include "sandbox/site_document.h"

/* The part of oned.conf that a scheduler may need. */
static const char common[] =
    "API_LIST_ORDER=DESC\nDATASTORE_LOCATION=\"/var/lib/one//datastores\"\n"
    "DB=[BACKEND=sqlite,TIMEOUT=2500]\nDEFAULT_UMASK=177\nENABLE_OTHER_PERMISSIONS=YES\n"
    "FEDERATION=[MASTER_ONED=\"\",MODE=STANDALONE,SERVER_ID=\"-1\",ZONE_ID=0]\n"
    "LOG=[DEBUG_LEVEL=3,SYSTEM=FILE,USE_VMS_LOCATION=NO]\nMANAGER_TIMER=15\nMAX_CONN=15\n"
    "MAX_CONN_BACKLOG=15\nMESSAGE_SIZE=1073741824\nMONITORING_INTERVAL_DATASTORE=300\n"
    "MONITORING_INTERVAL_HOST=180\nSCRIPTS_REMOTE_DIR=\"/var/tmp/one\"\n"
    "SESSION_EXPIRATION_TIME=900\nTIMEOUT=60\n"
    "VM_MAD=[EXECUTABLE=one_vmm_dummy,NAME=dummy,TYPE=xml]\n";

static const char since_7[] =
    "ACTION_TIMEOUT=300\nCOLD_MIGRATE_MODE=0\nDRS_INTERVAL=\"-1\"\nLIVE_RESCHEDS=0\n"
    "MAX_ACTIONS_PER_CLUSTER=30\nMAX_ACTIONS_PER_HOST=1\n"
    "SCHED_MAD=[ARGUMENTS=\"-t 15 -p dummy -o dummy\",EXECUTABLE=one_sched]\n";

void oned_configuration_document(const struct oned *oned, struct oned_text *text)
{
    const struct oned_options *options = &oned->options;
    struct oned_attributes list = {0}, own = {0};

    oned_attributes_parse(&list, common, NULL);
    oned_attributes_add(&list, "VM_SUBMIT_ON_HOLD", options->submit_on_hold ? "YES" : "NO");
    if (options->version >= ONED_7_4) {
        oned_attributes_parse(&list, since_7, NULL);
        oned_attributes_add_number(&list, "SCHED_MAX_WND_LENGTH", options->window_length);
        oned_attributes_add_number(&list, "SCHED_MAX_WND_TIME", options->window_time / 1000);
        oned_attributes_add_number(&list, "SCHED_RETRY_TIME", options->retry_time / 1000);
    }
    if (options->configuration && !oned_attributes_parse(&own, options->configuration, NULL))
        oned_attributes_merge(&list, &own);
    oned_text_put(text, "<OPENNEBULA_CONFIGURATION>");
    oned_attributes_write(&list, text);
    oned_text_put(text, "</OPENNEBULA_CONFIGURATION>");
    oned_attributes_finish(&own);
    oned_attributes_finish(&list);
}
