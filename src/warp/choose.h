/* From a decoded instruction to the function that carries it out: the choosers of WARP rows that are compiled once, for
 * any warp size and processor.  Those compiled per variant are in lanes/lanes.h.  Each returns null when it has no
 * function for the instruction's types and modifiers, which a unit test rules out. */
#ifndef LOCKSTEP_WARP_CHOOSE_H
#define LOCKSTEP_WARP_CHOOSE_H

#include "warp/warp.h"

chooser choose_predicate_logic, choose_cvt_pack, choose_cvt_small, choose_mixed, choose_video, choose_video_simd,
	choose_vote, choose_match, choose_redux, choose_activemask, choose_elect, choose_wave, choose_matrix,
	choose_movmatrix, choose_nothing, choose_participant, choose_policy, choose_mapa, choose_getctarank;

#define UNUSED __attribute__((unused))
/* The head of a chooser. */
#define CHOOSER(name) exec_function *choose_##name(const struct insn *i, UNUSED const struct insn_extra *extra)
/* The chooser of rows that have one function. */
#define CHOOSE_ALWAYS(name)                                                                                            \
	exec_function *choose_##name(UNUSED const struct insn *i, UNUSED const struct insn_extra *extra)               \
	{                                                                                                              \
		return exec_##name;                                                                                    \
	}

/* Float rows with .rz .rm .rp, and every conversion: exact, lane by lane.  See rounding.c and convert.c. */
exec_function *choose_rounded(const struct insn *i);
exec_function *choose_conversion(const struct insn *i);

#endif
