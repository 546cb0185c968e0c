/* A[i + 32] = A[i] + independent_computation(i) (paper 3, Listing 10): WARPS warps of one work-group, each of which waits for what the warp
 * before has stored, under five schemes (Listings 9 and 11 to 13).  Each thread notes the cycles at which it begins and ends.
 *
 * Data are volatile, and no fence is between them and the lock, as in the paper: a core's local memory takes the accesses of a thread in
 * their order. */
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#ifndef WITHOUT_BITS
#include "lockstep_lock_bits.h"
#endif

#ifndef WARPS
#define WARPS 16
#endif
#define WARP 32
#define THREADS (WARP * WARPS)

#if defined __LOCKSTEP__ || defined __NV_CL_C_VERSION
#define HAS_PTX
#endif
#if defined __LOCKSTEP__ || (__OPENCL_C_VERSION__ >= 200 && defined cl_khr_subgroups)
#define HAS_WARPS
#endif

/* Orders the lanes of a warp, where they have program counters of their own. */
void warp_barrier(void)
{
#ifdef __LOCKSTEP__
	asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
#elif defined HAS_WARPS
	sub_group_barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

ulong cycle(void)
{
	ulong now = 0;
#ifdef HAS_PTX
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(now) : : "memory");
#endif
	return now;
}

int independent_computation(uint thread)
{
	return (int)thread;
}

void read_first(volatile local int *a, global const int *first, uint thread)
{
	if (thread < WARP)
		a[thread] = first[thread];
}

void write_all(volatile local int *a, global int *result, global ulong *times, uint thread, ulong begin, ulong end)
{
	result[thread] = a[thread + WARP];
	times[2 * thread] = begin;
	times[2 * thread + 1] = end;
}

/* For devices that have not what a scheme is made of: all warps in turn. */
void in_turn(volatile local int *a, uint thread)
{
	for (uint warp = 0; warp < WARPS; warp++) {
		if (thread / WARP == warp)
			a[thread + WARP] = a[thread] + independent_computation(thread);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}

/* ---- Listing 11: a mutex for each element ---- */

/* Listing 2.  The lanes of a warp have mutexes of their own: they need not wait for each other. */
void mutex_lock(volatile local int *mutex)
{
	while (atomic_cmpxchg(mutex, 0, 1) != 0)
		;
}

void mutex_unlock(volatile local int *mutex)
{
	atomic_xchg(mutex, 0);
}

kernel void atom_lock(global const int *first, global int *result, global ulong *times)
{
	volatile local int a[WARP + THREADS], mutex[THREADS];
	uint thread = get_local_id(0), warp = thread / WARP;
	read_first(a, first, thread);
	mutex[thread] = 0;
	mutex_lock(&mutex[thread]);
	barrier(CLK_LOCAL_MEM_FENCE);

	ulong begin = cycle();
	if (warp > 0)
		mutex_lock(&mutex[thread - WARP]);
	a[thread + WARP] = a[thread] + independent_computation(thread);
	mutex_unlock(&mutex[thread]);
	if (warp > 0)
		mutex_unlock(&mutex[thread - WARP]);
	write_all(a, result, times, thread, begin, cycle());
}

/* ---- Listing 12: a barrier of 64 threads between each two warps ---- */

kernel void warp_barr(global const int *first, global int *result, global ulong *times)
{
	volatile local int a[WARP + THREADS];
	uint thread = get_local_id(0), warp = thread / WARP;
	read_first(a, first, thread);
	barrier(CLK_LOCAL_MEM_FENCE);

	ulong begin = cycle();
#ifdef HAS_PTX
	if (warp > 0)
		asm volatile("bar.sync %0, %1;" : : "r"(warp - 1), "r"(2 * WARP) : "memory");
	a[thread + WARP] = a[thread] + independent_computation(thread);
	if (warp < WARPS - 1) /* nobody waits for the last */
		asm volatile("bar.arrive %0, %1;" : : "r"(warp), "r"(2 * WARP) : "memory");
#else
	in_turn(a, thread);
#endif
	write_all(a, result, times, thread, begin, cycle());
}

/* ---- A mutex for each warp, which its first lane takes ---- */

kernel void shrd_lock(global const int *first, global int *result, global ulong *times)
{
	volatile local int a[WARP + THREADS], mutex[WARP]; /* as many as a work-group can have warps */
	uint thread = get_local_id(0), warp = thread / WARP;
	read_first(a, first, thread);
	if (thread < WARP)
		mutex[thread] = thread < WARPS;
	barrier(CLK_LOCAL_MEM_FENCE);

	ulong begin = cycle();
#ifdef HAS_WARPS
	bool is_first = thread % WARP == 0;
	if (warp > 0) {
		if (is_first)
			mutex_lock(&mutex[warp - 1]);
		warp_barrier();
	}
	a[thread + WARP] = a[thread] + independent_computation(thread);
	warp_barrier();
	if (is_first) {
		mutex_unlock(&mutex[warp]);
		if (warp > 0)
			mutex_unlock(&mutex[warp - 1]);
	}
#else
	in_turn(a, thread);
#endif
	write_all(a, result, times, thread, begin, cycle());
}

#ifndef WITHOUT_BITS

/* ---- Listing 13: the lock bit of each element ---- */

kernel void tiny_lock(global const int *first, global int *result, global ulong *times)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int a[WARP + THREADS];
	uint thread = get_local_id(0), warp = thread / WARP;
	read_first(a, first, thread);
	lockstep_bit_lock(&a[thread + WARP]);
	barrier(CLK_LOCAL_MEM_FENCE);

	ulong begin = cycle();
	int before = warp > 0 ? lockstep_bit_wait(&a[thread]) : a[thread];
	lockstep_bit_unlock(&a[thread + WARP], before + independent_computation(thread));
	if (warp > 0)
		lockstep_bit_unlock(&a[thread], before);
	write_all(a, result, times, thread, begin, cycle());
}

/* ---- Listing 9: one lock bit for each warp, that of its first element ---- */

kernel void warp_vote(global const int *first, global int *result, global ulong *times)
{
	LOCKSTEP_LOCK_UNIT();
	volatile local int a[WARP + THREADS];
	uint thread = get_local_id(0), warp = thread / WARP;
	read_first(a, first, thread);
#ifdef HAS_WARPS
	lockstep_warp_lock(&a[WARP * (warp + 1)]);
#endif
	barrier(CLK_LOCAL_MEM_FENCE);

	ulong begin = cycle();
#ifdef HAS_WARPS
	if (warp > 0)
		lockstep_warp_wait(&a[WARP * warp]);
	int before = a[thread], now = before + independent_computation(thread);
	a[thread + WARP] = now;
	lockstep_warp_unlock(&a[WARP * (warp + 1)], now);
	if (warp > 0)
		lockstep_warp_unlock(&a[WARP * warp], before);
#else
	in_turn(a, thread);
#endif
	write_all(a, result, times, thread, begin, cycle());
}

#endif
