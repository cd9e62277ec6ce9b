/* pool_words.h: the names of elements that have a meaning to Galerna. */
#ifndef GALERNA_ADAPTERS_OPENNEBULA_POOL_WORDS_H
#define GALERNA_ADAPTERS_OPENNEBULA_POOL_WORDS_H

/* One line per name; the word of NAME is WORD_NAME. */
#define POOL_WORDS(X)                                                                              \
    X(ACTION)                                                                                      \
    X(CAPACITY)                                                                                    \
    X(CID)                                                                                         \
    X(CLONE)                                                                                       \
    X(CLONE_TARGET)                                                                                \
    X(CLUSTER)                                                                                     \
    X(CLUSTERS)                                                                                    \
    X(CLUSTER_ID)                                                                                  \
    X(CONTEXT)                                                                                     \
    X(CPU)                                                                                         \
    X(CPU_MODEL)                                                                                   \
    X(CPU_USAGE)                                                                                   \
    X(DATASTORES)                                                                                  \
    X(DISK)                                                                                        \
    X(DISK_SNAPSHOT_TOTAL_SIZE)                                                                    \
    X(DS)                                                                                          \
    X(DS_ID)                                                                                       \
    X(EETIME)                                                                                      \
    X(ENABLED)                                                                                     \
    X(ERROR)                                                                                       \
    X(ESTIME)                                                                                      \
    X(ETIME)                                                                                       \
    X(FEATURES)                                                                                    \
    X(FREE_DISK)                                                                                   \
    X(FREE_MB)                                                                                     \
    X(GID)                                                                                         \
    X(GNAME)                                                                                       \
    X(GRAPHICS)                                                                                    \
    X(GROUPS)                                                                                      \
    X(HID)                                                                                         \
    X(HISTORY)                                                                                     \
    X(HISTORY_RECORDS)                                                                             \
    X(HOST_SHARE)                                                                                  \
    X(HYPERV_OPTIONS)                                                                              \
    X(ID)                                                                                          \
    X(INPUT)                                                                                       \
    X(LCM_STATE)                                                                                   \
    X(LN_TARGET)                                                                                   \
    X(LOCK)                                                                                        \
    X(LOCKED)                                                                                      \
    X(MAX_CPU)                                                                                     \
    X(MAX_DISK)                                                                                    \
    X(MAX_MEM)                                                                                     \
    X(MEMORY)                                                                                      \
    X(MEM_USAGE)                                                                                   \
    X(MONITORING)                                                                                  \
    X(NAME)                                                                                        \
    X(NETWORK_MODE)                                                                                \
    X(NIC)                                                                                         \
    X(NIC_ALIAS)                                                                                   \
    X(NIC_DEFAULT)                                                                                 \
    X(NUMA_NODE)                                                                                   \
    X(OS)                                                                                          \
    X(PASSWORD)                                                                                    \
    X(PCI)                                                                                         \
    X(PERMISSIONS)                                                                                 \
    X(PETIME)                                                                                      \
    X(PIN_POLICY)                                                                                  \
    X(PSTIME)                                                                                      \
    X(RAW)                                                                                         \
    X(RESCHED)                                                                                     \
    X(RESERVED_CPU)                                                                                \
    X(RESERVED_MEM)                                                                                \
    X(RESOURCE)                                                                                    \
    X(RETIME)                                                                                      \
    X(RIGHTS)                                                                                      \
    X(RSTIME)                                                                                      \
    X(RUNNING_VMS)                                                                                 \
    X(SCHED_ACTION)                                                                                \
    X(SCHED_DS_RANK)                                                                               \
    X(SCHED_DS_REQUIREMENTS)                                                                       \
    X(SECURITY_GROUP_RULE)                                                                         \
    X(SEQ)                                                                                         \
    X(SHARED)                                                                                      \
    X(SIZE)                                                                                        \
    X(SNAPSHOT)                                                                                    \
    X(STATE)                                                                                       \
    X(STIME)                                                                                       \
    X(SYSTEM)                                                                                      \
    X(TEMPLATE)                                                                                    \
    X(TOPOLOGY)                                                                                    \
    X(TOTAL_MB)                                                                                    \
    X(TYPE)                                                                                        \
    X(UID)                                                                                         \
    X(UNAME)                                                                                       \
    X(USED_DISK)                                                                                   \
    X(USED_MB)                                                                                     \
    X(USER)                                                                                        \
    X(USER_TEMPLATE)                                                                               \
    X(VIDEO)                                                                                       \
    X(VMGROUP)                                                                                     \
    X(VMS)                                                                                         \
    X(ZONE)

#define POOL_WORD(name) WORD_##name,
enum pool_word { WORD_NONE, POOL_WORDS(POOL_WORD) WORD_COUNT };
#undef POOL_WORD

#endif
