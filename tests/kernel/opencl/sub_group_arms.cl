// Two calls in two arms of a branch are two calls, though they are spelled alike: each is for the lanes of its own arm.
// OpenCL Extension Specification, cl_khr_subgroup_ballot and its neighbours: the non-uniform functions work over the work-items that
// reach the call.
// launch: --block 50 --arg buf:arms:s32:1200:zero --arg buf:called:s32:400:zero --dump arms --dump called
#define BOTH(F)                                                                                                        \
	if (lane < 4)                                                                                                  \
		*o++ = F;                                                                                              \
	else                                                                                                           \
		*o++ = F;

int inlined(int x)
{
	return sub_group_broadcast_first(x);
}

__attribute__((noinline)) int not_inlined(int x)
{
	return sub_group_broadcast_first(x) + 100 * sub_group_non_uniform_reduce_add(1);
}

uint by_hand(void)
{
	uint mask;
	__asm__ volatile("activemask.b32 %0;" : "=r"(mask)::"memory");
	return mask;
}

kernel void arms(global int *arms, global int *called)
{
	int lane = get_sub_group_local_id(), id = get_local_id(0), own = lane < 4 ? 2 : 6;
	global int *o = arms + 24 * id;
	BOTH(sub_group_broadcast_first(lane))
	BOTH((int)sub_group_ballot(1).x)
	BOTH(sub_group_ballot_bit_count(sub_group_ballot(lane & 1)))
	BOTH(sub_group_elect())
	BOTH(sub_group_non_uniform_all(lane < 4))
	BOTH(sub_group_non_uniform_any(lane < 4))
	BOTH(sub_group_non_uniform_all_equal(lane / 4))
	BOTH(sub_group_non_uniform_broadcast(lane, own))
	BOTH(sub_group_shuffle(lane, own))
	BOTH(sub_group_shuffle_xor(lane, 1))
	BOTH(sub_group_non_uniform_reduce_add(1))
	BOTH(sub_group_non_uniform_reduce_min(lane))
	BOTH((int)sub_group_non_uniform_reduce_max((double)-lane))
	BOTH(sub_group_non_uniform_reduce_mul(lane < 2 ? lane + 2 : 1))
	BOTH(sub_group_non_uniform_reduce_or(lane))
	BOTH(sub_group_non_uniform_reduce_logical_and(lane < 4))
	BOTH(sub_group_non_uniform_scan_inclusive_add(1))
	BOTH(sub_group_non_uniform_scan_exclusive_add(1))
	BOTH(sub_group_non_uniform_scan_exclusive_xor(lane))
	BOTH(sub_group_clustered_reduce_add(1, 8))
	BOTH((int)sub_group_broadcast_first((long)lane))
	BOTH(sub_group_non_uniform_broadcast((int4)(1, 2, 3, lane), own).w)

	o = called + 8 * id;
	BOTH(inlined(lane))
	BOTH(not_inlined(lane))
	BOTH((int)by_hand())
	if (lane < 4) { /* different code behind the calls */
		int first = sub_group_broadcast_first(lane);
		o[0] = first + 1;
	} else {
		int first = sub_group_broadcast_first(lane);
		o[0] = first * 3;
	}
	if (lane >= 4) /* one arm, and the code behind both */
		o[1] = sub_group_broadcast_first(lane);
	sub_group_barrier(CLK_LOCAL_MEM_FENCE); /* threads that are scheduled independently need not have met again */
	o[1] += sub_group_broadcast_first(lane);
	sub_group_barrier(CLK_LOCAL_MEM_FENCE);
	switch (lane % 3) {
	case 0: o[2] = sub_group_ballot(1).x; break;
	case 1: o[2] = sub_group_ballot(1).x; break;
	default: o[2] = sub_group_ballot(1).x; break;
	}
	sub_group_barrier(CLK_LOCAL_MEM_FENCE);
	int rounds = lane / 8 + 1, sum = 0; /* lanes leave from the front */
	for (;;) {
		sum += sub_group_non_uniform_reduce_add(1);
		if (!--rounds)
			break;
	}
	o[3] = sum;
	sub_group_barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = 0; k < 8; k++)
		if (lane % 8 == k)
			o[4] = sub_group_ballot(1).x;
}
