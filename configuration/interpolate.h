/* interpolate.h: values that refer to other values, as in Python's ConfigParser.
 *
 * What [DEFAULT] sets holds in every section that does not set it. `%(name)s` in a value stands for
 * the value of the option of that name in the same section or [DEFAULT], which may contain others;
 * in a value with such a name, `%%` stands for `%`.
 */
#pragma once

#include "configuration/ini.h"

#define INI_DEFAULT_SECTION "DEFAULT"

/* Spread [DEFAULT] over the sections and put values for names. Errors: EINVAL with file:line (an
 * unknown name, circular references, a value longer than INI_LINE_MAX). */
int ini_interpolate(struct ini *ini, struct error *err);
