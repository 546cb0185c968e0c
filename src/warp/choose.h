/* From a decoded instruction to the function that carries it out: the choosers of WARP rows that are compiled once, for
 * any warp size and processor.  Those compiled per variant are in lanes/lanes.h.  Each returns null when it has no
 * function for the instruction's types and modifiers, which a unit test rules out. */
#ifndef LOCKSTEP_WARP_CHOOSE_H
#define LOCKSTEP_WARP_CHOOSE_H

#include "warp/warp.h"

exec_function *choose_predicate_logic(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_cvt_pack(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_mixed(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_video(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_video_simd(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_vote(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_match(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_redux(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_activemask(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_elect(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_matrix(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_movmatrix(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_nothing(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_participant(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_mapa(const struct insn *i, const struct insn_extra *extra);
exec_function *choose_getctarank(const struct insn *i, const struct insn_extra *extra);

/* Float rows with .rz .rm .rp, and every conversion: exact, lane by lane.  See rounding.c and convert.c. */
exec_function *choose_rounded(const struct insn *i);
exec_function *choose_conversion(const struct insn *i);

#endif
