/* setup_inside.h: shared by the files of setup.h. */
#pragma once

#include "adapters/opennebula/setup.h"

/* The front-ends of a zone with more than one. */
void setup_ask_for_front_ends(struct setup_facts *facts, struct rpc *rpc);
