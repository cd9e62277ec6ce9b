/* interpolate.h: values that refer to other values, as in Python's ConfigParser.
 *
 * Options in [DEFAULT] apply to every section without these options. `%(name)s` in a value stands
 * for the value of the option of that name in the same section or [DEFAULT], which may contain
 * further names; in a value with names, `%%` stands for `%`.
 */
#pragma once

#include "configuration/ini.h"

#define INI_DEFAULT_SECTION "DEFAULT"

/* Adds the options of [DEFAULT] to the sections, and replaces names by values. Errors: EINVAL with
 * file:line (an unknown name, circular references, a value longer than INI_LINE_MAX). */
int ini_interpolate(struct ini *ini, struct error *err);
