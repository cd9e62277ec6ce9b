/* Reads the automatic NICs of a VM. */
#include "adapters/opennebula/pool_nic.h"

#include <strings.h>

void pool_nic_value(struct pool_reader *reader, struct nic_draft *draft,
                    const struct pool_value *given)
{
    if (given->n != 3 || given->length == 0)
        return;
    switch (given->elements[2]->word) {
    case WORD_NIC_ID:
        pool_read_int(reader, given, 0, &draft->nic.id);
        break;
    case WORD_NETWORK_MODE:
        draft->is_automatic = strcasecmp(given->text, "auto") == 0;
        break;
    case WORD_NETWORK_ID:
        draft->has_network = true;
        break;
    case WORD_SCHED_REQUIREMENTS:
        draft->nic.requirement = pool_read_text(reader, given);
        break;
    case WORD_SCHED_RANK:
        draft->nic.rank = pool_read_text(reader, given);
        break;
    default:
        break;
    }
}

static void add(struct pool_reader *reader, struct nic_draft *draft, struct vm *vm)
{
    size_t i = vm->n_nics;

    if (vm->n_nics > VM_NICS_MAX)
        return;
    vm->nics = pool_append(reader, vm->nics, i, &draft->allocated, sizeof *vm->nics);
    for (; i > 0 && vm->nics[i - 1].id > draft->nic.id; i--)
        vm->nics[i] = vm->nics[i - 1];
    vm->nics[i] = draft->nic;
    vm->n_nics++;
}

void pool_nic_end(struct pool_reader *reader, struct nic_draft *draft, struct vm *vm)
{
    if (draft->is_automatic && !draft->has_network)
        add(reader, draft, vm);
    *draft = (struct nic_draft){.allocated = draft->allocated};
}
