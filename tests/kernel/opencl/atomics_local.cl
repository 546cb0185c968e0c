// C11 atomics on local memory and through generic pointers, atomic_flag as a lock, atomic_init, OpenCL 1.x atomics of 64 bits.
// launch: --grid 3 --block 96 --arg buf:out:s64:30:zero --arg buf:old:u64:10:zero --dump out --dump old
bool take(volatile atomic_flag *flag)
{
	return !atomic_flag_test_and_set_explicit(flag, memory_order_acquire, memory_scope_work_group);
}

long count(volatile atomic_long *counter, volatile atomic_int *other)
{
	atomic_fetch_add_explicit(other, 1, memory_order_relaxed, memory_scope_work_group);
	return atomic_fetch_add(counter, 2L);
}

kernel void atomics(global long *out, global ulong *old)
{
	local atomic_int i, shared_i;
	local atomic_uint u;
	local atomic_long l;
	local atomic_double d;
	local atomic_float f;
	local atomic_flag flag;
	local int guarded;
	local long wide;
	int t = get_local_id(0);
	if (!t) {
		atomic_init(&i, 5);
		atomic_init(&shared_i, 0);
		atomic_init(&u, 0u);
		atomic_init(&l, 0L);
		atomic_init(&d, 0.0);
		atomic_init(&f, 0.0f);
		atomic_flag_clear(&flag);
		guarded = 0;
		wide = 0;
	}
	work_group_barrier(CLK_LOCAL_MEM_FENCE);
	atomic_fetch_add(&i, t);
	atomic_fetch_or_explicit(&u, 1u << (t & 31), memory_order_relaxed, memory_scope_work_group);
	count(&l, &shared_i);
	atomic_fetch_add_explicit(&d, 0.5, memory_order_relaxed, memory_scope_work_group);
	atomic_fetch_max_explicit(&f, (float)t, memory_order_relaxed, memory_scope_work_group);
	for (bool done = false; !done;)
		if (take(&flag)) {
			guarded += 1;
			atomic_flag_clear_explicit(&flag, memory_order_release, memory_scope_work_group);
			done = true;
		}
	atom_add(&wide, (1L << 34) + t);
	work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);
	if (!t) {
		global long *o = out + 10 * get_group_id(0);
		o[0] = atomic_load(&i);
		o[1] = atomic_load_explicit(&u, memory_order_relaxed, memory_scope_work_group);
		o[2] = atomic_load(&l);
		o[3] = atomic_load(&shared_i);
		o[4] = (long)(atomic_load(&d) * 2);
		o[5] = (long)atomic_load(&f);
		o[6] = guarded;
		o[7] = wide;
		o[8] = get_fence(&guarded) == CLK_LOCAL_MEM_FENCE;
		o[9] = get_fence(out) == CLK_GLOBAL_MEM_FENCE;
	}
	atom_add(&old[0], 1ul << 33);
	atom_sub(&old[1], 1ul);
	atom_inc(&old[2]);
	atom_dec(&old[3]);
	atom_min((volatile global long *)&old[4], -(long)get_global_id(0));
	atom_max(&old[5], 1ul << 50);
	atom_or(&old[6], 1ul << (t & 63));
	atom_xor(&old[7], 3ul);
	atom_xchg(&old[8], 9ul);
	if (!atom_cmpxchg(&old[9], 0ul, 8ul))
		atom_add(&old[9], 1ul << 32);
}
