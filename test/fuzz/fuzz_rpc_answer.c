/* Any bytes as the body of an XML-RPC answer. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "adapters/opennebula/rpc_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rpc_reply answer;

    rpc_answer_decode(&answer, (const char *)data, size);
    /* What is done has a value, what is not says why. */
    if ((answer.outcome == RPC_DONE) != (answer.message == NULL))
        abort();
    if (answer.text && (answer.outcome != RPC_DONE || answer.text[answer.length] != '\0'))
        abort();
    rpc_answer_finish(&answer);
    return 0;
}
