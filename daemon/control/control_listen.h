/* control_listen.h: creates the control socket, and identifies peers. */
#pragma once

#include "daemon/control/control.h"

/* A group by name or number. Errors: EINVAL. */
int control_find_group(const char *group, gid_t *gid, struct error *err);

/* A listening, non-blocking socket with mode 0600, or 0660 and the group (-1: none). -1 with err:
 * as control_create(). */
int control_listen(const char *path, gid_t group, struct error *err);

/* Fill in the peer's user and trust; false: the kernel cannot identify the peer. */
bool control_identify(int fd, gid_t group, struct control_peer *peer);
