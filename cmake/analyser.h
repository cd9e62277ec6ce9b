/* Macros of headers that cppcheck does not read. A definition on its command
 * line must not hold a semicolon: cppcheck takes it for the end of one and then checks nothing. */
#pragma once

#define json_object_foreach(object, key, value)                                                    \
    for (key = ""; (value = json_object_get(object, key));)
#define json_array_foreach(array, i, value) for (i = 0; (value = json_array_get(array, i)); i++)
