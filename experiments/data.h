/* data.h: the files of data/, as texts. */
#ifndef GALERNA_EXPERIMENTS_DATA_H
#define GALERNA_EXPERIMENTS_DATA_H

extern const char data_blue_30days[], data_reservations_10[], data_reservations_20[],
    data_reservations_30[];

#endif
