/* Documents of PCI devices and NUMA nodes. */
#include "sandbox/hardware_view.h"

static void write_devices(const struct oned *oned, const struct oned_host *host,
                          struct oned_text *text)
{
    const struct oned_attributes *device;

    oned_text_put(text, "<PCI_DEVICES>");
    for (size_t i = 0; (device = oned_attributes_vector(&host->hardware, "PCI", i)); i++) {
        oned_text_put(text, "<PCI>");
        oned_attributes_write(device, text);
        oned_text_cdata_number(text, "VMID", oned_device_user(oned, host, device));
        oned_text_put(text, "</PCI>");
    }
    oned_text_put(text, "</PCI_DEVICES>");
}

static void write_core(const struct oned_hardware *view, const struct oned_core *core,
                       struct oned_text *text)
{
    struct oned_text list = {0};
    int64_t n = 0;

    for (size_t i = core->first; i < core->first + core->count; i++) {
        n += view->cpus[i].vm == NO_VM;
        oned_text_format(&list, "%s%d:%d", list.size ? "," : "", view->cpus[i].id,
                         view->cpus[i].vm);
    }
    oned_text_put(text, "<CORE>");
    oned_text_cdata(text, "CPUS", list.bytes ? list.bytes : "");
    oned_text_cdata(text, "DEDICATED", core->dedicated ? "YES" : "NO");
    oned_text_cdata_number(text, "FREE", core->dedicated ? 0 : n);
    oned_text_cdata_number(text, "ID", core->id);
    oned_text_put(text, "</CORE>");
    oned_text_finish(&list);
}

static void write_node(const struct oned_hardware *view, const struct oned_node *node,
                       struct oned_text *text)
{
    const char *distance = node->reported ? oned_attributes_get(node->reported, "DISTANCE") : NULL;

    oned_text_put(text, "<NODE>");
    for (size_t i = 0; i < view->n_cores; i++)
        if (view->cores[i].node == node->id)
            write_core(view, &view->cores[i], text);
    for (size_t i = 0; i < view->n_pages; i++) {
        const struct oned_pages *pages = &view->pages[i];

        if (pages->node != node->id)
            continue;
        oned_text_put(text, "<HUGEPAGE>");
        oned_text_cdata_number(text, "PAGES", pages->count);
        oned_text_cdata_number(text, "SIZE", pages->size);
        oned_text_cdata_number(text, "USAGE", pages->used);
        oned_text_put(text, "</HUGEPAGE>");
    }
    oned_text_put(text, "<MEMORY>");
    oned_text_cdata(text, "DISTANCE", distance ? distance : "");
    oned_text_cdata_number(text, "TOTAL", node->memory);
    oned_text_cdata_number(text, "USAGE", node->used);
    oned_text_put(text, "</MEMORY>");
    oned_text_cdata_number(text, "NODE_ID", node->id);
    oned_text_put(text, "</NODE>");
}

void oned_hardware_document(const struct oned *oned, const struct oned_host *host,
                            struct oned_text *text)
{
    struct oned_hardware view = oned_hardware_view(oned, host);

    write_devices(oned, host, text);
    oned_text_put(text, "<NUMA_NODES>");
    for (size_t i = 0; i < view.n_nodes; i++)
        write_node(&view, &view.nodes[i], text);
    oned_text_put(text, "</NUMA_NODES>");
    oned_hardware_view_finish(&view);
}
