/* Parts of `lockstep gpus`. */
#ifndef LOCKSTEP_CLI_GPUS_H
#define LOCKSTEP_CLI_GPUS_H

struct lockstep;

/* Prints what the model's fields permit at most, and its latencies without contention, each with the fields it is from.
 */
void gpus_print_peaks(const struct lockstep *gpu);

#endif
