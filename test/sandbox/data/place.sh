#!/bin/sh
# A scheduler driver that puts VM 0 on host 1 and keeps what it was given.
base64 -d >"$ONED_TEST_OUTPUT"
cat "$ONED_TEST_PLAN"
