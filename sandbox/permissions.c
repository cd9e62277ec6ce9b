/* Access control: sessions, permissions of objects. */
#include "sandbox/permissions.h"

#include <stdio.h>
#include <string.h>

#include "util/memory.h"

/* Takes the same time wherever the texts differ. */
static bool same_secret(const char *a, const char *b)
{
    size_t size = strlen(a);
    unsigned char difference = 0;

    if (size != strlen(b))
        return false;
    for (size_t i = 0; i < size; i++)
        difference |= (unsigned char)(a[i] ^ b[i]);
    return difference == 0;
}

static bool has_token(const struct oned *oned, const struct oned_user *user, const char *secret)
{
    for (size_t i = 0; i < user->token_count; i++)
        if (same_secret(user->tokens[i].text, secret) &&
            (user->tokens[i].expires < 0 || user->tokens[i].expires > oned_seconds(oned)))
            return true;
    return false;
}

struct oned_user *oned_authenticate(const struct oned *oned, const char *session)
{
    const char *colon = strchr(session, ':');

    if (!colon)
        return NULL;
    for (int id = 0; id < oned->pools[KIND_USER].count; id++) {
        struct oned_user *user = oned_user(oned, id);

        if (user && user->enabled && strlen(user->name) == (size_t)(colon - session) &&
            !strncmp(user->name, session, (size_t)(colon - session)))
            return same_secret(user->password, colon + 1) || has_token(oned, user, colon + 1)
                       ? user
                       : NULL;
    }
    return NULL;
}

const char *oned_token_add(struct oned *oned, struct oned_user *user, int64_t seconds)
{
    struct oned_token token = {.expires = seconds < 0 ? -1 : oned_seconds(oned) + seconds};
    char text[72];

    for (int i = 0; i < 4; i++)
        snprintf(text + 16 * i, sizeof text - (size_t)(16 * i), "%016llx",
                 (unsigned long long)oned_random(oned));
    token.text = memory_text(text);
    MEMORY_GROW(user->tokens, user->tokens_allocated, user->token_count + 1);
    user->tokens[user->token_count++] = token;
    oned_touch(oned, KIND_USER, user->id);
    return token.text;
}

bool oned_is_admin(const struct oned_user *user)
{
    return user->id == 0 || user->gid == 0;
}

bool oned_may(const struct oned_user *user, const struct oned_owner *owner, enum oned_right right)
{
    return oned_is_admin(user) || (owner->uid == user->id && owner->rights[OWNER_U + (int)right]) ||
           (owner->gid == user->gid && owner->rights[GROUP_U + (int)right]) ||
           owner->rights[OTHER_U + (int)right];
}

const char *oned_right_name(enum oned_right right)
{
    static const char *const names[] = {"USE", "MANAGE", "ADMIN"};

    return names[right];
}
