// A flag between work-groups with fences for local memory, which are for a work-group alone.
// launch: --kernel handed --grid 2 --block 32 --check races --arg buf:w:u32:64:zero
kernel void handed(volatile global uint *w)
{
	global uint *box = (global uint *)w + 8;

	if (get_local_id(0))
		return;
	if (get_group_id(0) == 0) {
		*box = 9;
		mem_fence(CLK_LOCAL_MEM_FENCE);
		atomic_xchg(w, 1u);
	} else {
		while (atomic_add(w, 0u) == 0)
			;
		mem_fence(CLK_LOCAL_MEM_FENCE);
		w[16] = *box;
	}
}
