/* `--show lock-bits`: draws the lock bits of one core that programs have, after each ldslk and stsul.
 *
 * As --show stack does (show.h): the core makes the text while it runs, and what looks as an earlier drawing is
 * counted, not drawn again, so that a warp that spins is drawn once.  An observer; gpu->observe has its struct
 * show_bits_target. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_SHOW_BITS_H
#define LOCKSTEP_MACHINE_OBSERVE_SHOW_BITS_H

#include <stdint.h>

struct show_bits_target {
	uint32_t core;
};

#endif
