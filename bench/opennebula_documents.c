/* opennebula_documents.c: what it costs to read OpenNebula's answers: CPU milliseconds, least of
 * several runs, for decoding the XML-RPC answer and for reading the document in it.
 *
 *   bench-opennebula-documents [RECORDINGS]
 *
 * The answers are made up from those that a real daemon gave (test/opennebula/recordings/7.4),
 * repeated with other ids.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "adapters/opennebula/pool.h"
#include "adapters/opennebula/rpc_answer.h"
#include "util/memory.h"

enum { RUNS = 7, FILE_MAX = 1 << 20 };

struct text {
    char *bytes;
    size_t length, allocated;
};

static void append(struct text *text, const char *bytes, size_t length)
{
    text->bytes = memory_grow(text->bytes, &text->allocated, text->length + length + 1, 1);
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

static double cpu_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench-opennebula-documents: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

/* The document in a recorded answer. */
static char *recorded(const char *folder, const char *name)
{
    struct rpc_reply answer;
    char path[4096], *bytes = memory_new(FILE_MAX, 1), *document;
    size_t length;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (!file)
        stop(path, "cannot be opened");
    length = fread(bytes, 1, FILE_MAX, file);
    fclose(file);
    rpc_answer_decode(&answer, bytes, length);
    if (!answer.text)
        stop(path, "no document in it");
    document = memory_text(answer.text);
    rpc_answer_finish(&answer);
    free(bytes);
    return document;
}

/* Objects of the recorded pool again and again, with ids of their own. */
static struct text repeated(const char *document, const char *object, size_t n)
{
    const char *first = strchr(document, '>') + 1, *last = strrchr(document, '<');
    char begin[32], id[64];
    struct text text = {0};
    const char *at = first;

    snprintf(begin, sizeof begin, "<%s><ID>", object);
    append(&text, document, (size_t)(first - document));
    for (size_t i = 0; i < n; i++) {
        const char *values = strstr(at, "</ID>"), *next = strstr(values, begin);

        if (!next)
            next = last;
        append(&text, begin, strlen(begin));
        snprintf(id, sizeof id, "%zu", n - i - 1);
        append(&text, id, strlen(id));
        append(&text, values, (size_t)(next - values));
        at = next == last ? first : next;
    }
    append(&text, last, strlen(last));
    return text;
}

static struct text as_answer(const struct text *document)
{
    static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<methodResponse>\r\n"
                               "<params>\r\n<param><value><array><data>\r\n<value><boolean>1"
                               "</boolean></value>\r\n<value><string>";
    static const char tail[] = "</string></value>\r\n<value><i4>0</i4></value>\r\n</data></array>"
                               "</value></param>\r\n</params>\r\n</methodResponse>\r\n";
    struct text answer = {0};

    append(&answer, head, sizeof head - 1);
    for (size_t i = 0; i < document->length; i++) {
        char c = document->bytes[i];

        if (c == '<')
            append(&answer, "&lt;", 4);
        else if (c == '>')
            append(&answer, "&gt;", 4);
        else if (c == '&')
            append(&answer, "&amp;", 5);
        else
            append(&answer, &c, 1);
    }
    append(&answer, tail, sizeof tail - 1);
    return answer;
}

static size_t read_vms(const char *document, size_t length)
{
    struct vm_pool pool;
    struct error err;
    size_t n;

    if (vm_pool_parse(&pool, document, length, &err) < 0)
        stop("VMs", err.text);
    n = pool.n;
    vm_pool_finish(&pool);
    return n;
}

static size_t read_hosts(const char *document, size_t length)
{
    struct host_pool pool;
    struct error err;
    size_t n;

    if (host_pool_parse(&pool, document, length, &err) < 0)
        stop("hosts", err.text);
    n = pool.n;
    host_pool_finish(&pool);
    return n;
}

struct measured {
    const char *name, *recording, *object;
    size_t n;
    size_t (*read)(const char *document, size_t length);
};

static void measure(const char *folder, const struct measured *measured)
{
    char *document = recorded(folder, measured->recording);
    struct text text = repeated(document, measured->object, measured->n);
    struct text body = as_answer(&text);
    double decoding = 1e9, reading = 1e9;

    for (int run = 0; run < RUNS; run++) {
        struct rpc_reply answer;
        double begun = cpu_ms(), decoded, done;

        rpc_answer_decode(&answer, body.bytes, body.length);
        decoded = cpu_ms();
        if (!answer.text || measured->read(answer.text, answer.length) != measured->n)
            stop(measured->name, "objects are missing");
        done = cpu_ms();
        rpc_answer_finish(&answer);
        decoding = decoded - begun < decoding ? decoded - begun : decoding;
        reading = done - decoded < reading ? done - decoded : reading;
    }
    printf("%-28s %8.1f %8.1f %10.1f %10.1f %10.1f\n", measured->name, (double)body.length / 1e6,
           (double)text.length / 1e6, decoding, reading, decoding + reading);
    free(document);
    free(text.bytes);
    free(body.bytes);
}

int main(int argc, char **argv)
{
    static const struct measured all[] = {
        {"10,000 VMs, short", "vmpool.info.filter-2.rpc.xml", "VM", 10000, read_vms},
        {"1,000 VMs, extended", "vmpool.infoextended.all.rpc.xml", "VM", 1000, read_vms},
        {"10,000 VMs, extended", "vmpool.infoextended.all.rpc.xml", "VM", 10000, read_vms},
        {"1,000 hosts", "hostpool.info.rpc.xml", "HOST", 1000, read_hosts},
    };
    const char *folder = argc > 1 ? argv[1] : "test/opennebula/recordings/7.4";

    printf("%-28s %8s %8s %10s %10s %10s\n", "", "MB sent", "MB", "decode ms", "read ms", "all ms");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        measure(folder, &all[i]);
    return EXIT_SUCCESS;
}
