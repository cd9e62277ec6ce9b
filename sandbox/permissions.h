/* permissions.h: who may do what: sessions, permissions of objects. */
#pragma once

#include "sandbox/pools.h"

enum oned_right { RIGHT_USE, RIGHT_MANAGE, RIGHT_ADMIN, RIGHT_UNTESTED };

/* The user of a session "name:password" or "name:token", or NULL. */
struct oned_user *oned_authenticate(const struct oned *oned, const char *session);

/* A new login token; expires in so many seconds (-1: never). Valid until the user changes. */
const char *oned_token_add(struct oned *oned, struct oned_user *user, int64_t seconds);

/* oneadmin and its group may do everything. */
bool oned_is_admin(const struct oned_user *user);

bool oned_may(const struct oned_user *user, const struct oned_owner *owner, enum oned_right right);

/* "USE", "MANAGE", "ADMIN". */
const char *oned_right_name(enum oned_right right);
