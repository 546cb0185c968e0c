/* DS: pulls the two particles of each constraint towards their rest distance, under the locks of both (paper 2, Fig. 6a): who does not get the
 * second gives the first back.  `turns` counts how often each particle was moved, `order` notes for each constraint what it found there. */
kernel void solve(global const int2 *pairs, global const float *rests, volatile global int *locks, volatile global float4 *positions,
	volatile global int *turns, global int2 *order, uint count)
{
	for (uint k = get_global_id(0); k < count; k += get_global_size(0)) {
		/* In one order: two lanes that take each other's first lock in step would do so for ever. */
		int first = min(pairs[k].x, pairs[k].y), second = max(pairs[k].x, pairs[k].y);
		bool done = false;
		while (!done) {
			if (atomic_cmpxchg(&locks[first], 0, 1) == 0) {
				if (atomic_cmpxchg(&locks[second], 0, 1) == 0) {
					mem_fence(CLK_GLOBAL_MEM_FENCE);
					float4 a = positions[first], b = positions[second], apart = b - a;
					float distance = sqrt(apart.x * apart.x + apart.y * apart.y + apart.z * apart.z);
					float4 move = 0.25f * (distance - rests[k]) / distance * apart;
					positions[first] = a + move;
					positions[second] = b - move;
					order[k] = (int2)(turns[first]++, turns[second]++);
					mem_fence(CLK_GLOBAL_MEM_FENCE);
					atomic_xchg(&locks[second], 0);
					atomic_xchg(&locks[first], 0);
					done = true;
				} else {
					atomic_xchg(&locks[first], 0);
				}
			}
		}
	}
}
