/* data.h: the files of data/, as texts. */
#pragma once

extern const char data_blue_30days[], data_reservations_10[], data_reservations_20[],
    data_reservations_30[];
