/* What programs that solve the same problem in different ways compare their results with. */
#ifndef LOCKSTEP_WORKLOADS_ANSWERS_H
#define LOCKSTEP_WORKLOADS_ANSWERS_H

#include <stddef.h>
#include <stdint.h>

/* Fails unless `got` is the n-th Fibonacci number, modulo 2^32. */
void fibonacci_check(uint32_t n, uint32_t got);
/* Fails unless `got` are the `values` in order; sorts these. */
void sorted_check(uint32_t *values, const uint32_t *got, size_t count);

#endif
