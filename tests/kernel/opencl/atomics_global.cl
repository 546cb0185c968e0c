// C11 atomics on global memory that 256 work-items change together: all types and operations, several orders and scopes.  Then
// what each operation returned: a counter's values are all there once.
// launch: --grid 4 --block 64 --arg buf:i:s32:8:fill=-1 --arg buf:u:u32:8:zero --arg buf:l:s64:8:zero --arg buf:m:u64:8:zero --arg buf:f:f32:4:zero --arg buf:d:f64:4:zero --arg buf:tickets:s32:256:zero --arg buf:chain:s32:256:zero --dump i --dump u --dump l --dump m --dump f --dump d --dump tickets --dump chain
kernel void atomics(global atomic_int *i, global atomic_uint *u, global atomic_long *l, global atomic_ulong *m,
	global atomic_float *f, global atomic_double *d, global int *tickets, global int *chain)
{
	int g = get_global_id(0);

	tickets[g] = atomic_fetch_add(&i[0], 1);
	atomic_fetch_sub_explicit(&i[1], g, memory_order_relaxed);
	atomic_fetch_or_explicit(&i[2], 1 << (g & 15), memory_order_acquire, memory_scope_device);
	atomic_fetch_xor_explicit(&i[3], 1 << (g & 31), memory_order_release, memory_scope_all_svm_devices);
	atomic_fetch_and_explicit(&i[4], ~(1 << (g & 15)), memory_order_acq_rel, memory_scope_device);
	atomic_fetch_min_explicit(&i[5], 100 - g, memory_order_seq_cst, memory_scope_device);
	atomic_fetch_max(&i[6], g - 100);
	chain[g] = atomic_exchange(&i[7], g);

	atomic_fetch_add_explicit(&u[0], 3u, memory_order_acq_rel);
	atomic_fetch_sub(&u[1], 1u);
	atomic_fetch_max_explicit(&u[2], 0x80000000u + g, memory_order_relaxed, memory_scope_device);
	atomic_store(&u[3], 77u);
	atomic_fetch_add(&u[4], atomic_load_explicit(&u[3], memory_order_acquire, memory_scope_device));
	uint seen = atomic_load(&u[5]);
	while (!atomic_compare_exchange_weak(&u[5], &seen, seen + 2))
		;
	uint expected = 12345; /* it is never there */
	if (!atomic_compare_exchange_strong_explicit(&u[6], &expected, 1u, memory_order_acq_rel, memory_order_acquire, memory_scope_device))
		atomic_fetch_add(&u[7], expected + 1);

	atomic_fetch_add(&l[0], 1L << 33);
	atomic_fetch_sub_explicit(&l[1], (long)g, memory_order_relaxed, memory_scope_device);
	atomic_fetch_min(&l[2], -(1L << 40) - g);
	atomic_fetch_max_explicit(&l[3], (1L << 40) + g, memory_order_release);
	atomic_fetch_or(&l[4], 1L << (g & 63));
	atomic_fetch_xor(&l[5], 1L << (g % 63));
	atomic_store_explicit(&l[6], -5L, memory_order_release, memory_scope_device);
	long was = 0;
	if (atomic_compare_exchange_strong(&l[7], &was, 1L + g))
		was = 1 + g;
	if (was != atomic_load(&l[7]))
		atomic_store(&l[6], 0L);

	atomic_fetch_add(&m[0], 1ul << 40);
	atomic_fetch_max(&m[1], ~0ul - g);
	atomic_fetch_and_explicit((global atomic_ulong *)&l[4], ~0ul, memory_order_relaxed);
	atomic_fetch_add((volatile global atomic_uintptr_t *)&m[2], (ptrdiff_t)2);
	atomic_fetch_sub((volatile global atomic_size_t *)&m[3], (size_t)2);

	atomic_fetch_add_explicit(&f[0], 0.5f, memory_order_relaxed);
	atomic_fetch_max_explicit(&f[1], (float)g, memory_order_relaxed);
	atomic_fetch_min_explicit(&f[2], -(float)g, memory_order_seq_cst, memory_scope_device);
	atomic_store(&f[3], 1.25f);
	atomic_fetch_add_explicit(&d[0], 0.25, memory_order_relaxed);
	atomic_fetch_max_explicit(&d[1], (double)g, memory_order_relaxed);
	double half_ = atomic_load(&d[2]);
	while (!atomic_compare_exchange_weak(&d[2], &half_, half_ + 0.5))
		;
	atomic_exchange(&d[3], -2.0);
}
