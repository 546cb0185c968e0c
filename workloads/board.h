/* Boards with queens, of cilk_queens and queens, host and kernels: what these can hold, and what is published of the
 * number of ways. */
#ifndef LOCKSTEP_WORKLOADS_BOARD_H
#define LOCKSTEP_WORKLOADS_BOARD_H

/* Queens at most; rows that a work-item searches alone, at most. */
#define BOARD_MOST 15
#define BOARD_ROWS 12

#ifndef __OPENCL_VERSION__
#include <stdint.h>

/* Fails unless `got` is the number of ways to place n queens: sequence A000170 of the OEIS. */
void board_check(uint32_t n, uint32_t got);
#endif

#endif
