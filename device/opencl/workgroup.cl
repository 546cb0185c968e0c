/* Work-group functions, async copies of vectors of three, prefetch.
 *
 * A reduction or scan is one of each sub-group, whose sums then meet in local memory. */

/* One word for each sub-group of 32; a group has at most 2,048 work-items.  A function, since OpenCL C has no other way to
 * have local memory outside of a kernel; not inlined, so that all of a kernel's calls share the words. */
static __attribute__((noinline, const)) volatile local ulong *group_words(void)
{
	ulong address;
	__asm__("{ .shared .align 8 .b64 lockstep_group_words[64]; mov.u64 %0, lockstep_group_words; }" : "=l"(address));
	return (volatile local ulong *)address;
}

INLINE void meet(void)
{
	__asm__ volatile("bar.sync 0;" ::: "memory");
}

OVERLOAD int work_group_all(int predicate)
{
	uint r;
	__asm__ volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.and.pred q, 0, p; selp.u32 %0, 1, 0, q; }"
			 : "=r"(r)
			 : "r"(predicate)
			 : "memory");
	return r;
}

OVERLOAD int work_group_any(int predicate)
{
	uint r;
	__asm__ volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.or.pred q, 0, p; selp.u32 %0, 1, 0, q; }"
			 : "=r"(r)
			 : "r"(predicate)
			 : "memory");
	return r;
}

#define WORDS(T) ((volatile local T *)group_words())

#define GROUP_FUNCTION(name, OP, T, identity)                                                                          \
	OVERLOAD T work_group_reduce_##name(T x)                                                                       \
	{                                                                                                              \
		uint groups = get_num_sub_groups();                                                                    \
		T sum = sub_group_reduce_##name(x);                                                                    \
		if (!me())                                                                                             \
			WORDS(T)[get_sub_group_id()] = sum;                                                            \
		meet();                                                                                                \
		sum = WORDS(T)[0];                                                                                     \
		for (uint k = 1; k < groups; k++)                                                                      \
			sum = OP(sum, WORDS(T)[k]);                                                                    \
		meet();                                                                                                \
		return sum;                                                                                            \
	}                                                                                                              \
	/* What the sub-groups before this one have; `inclusive` is this lane's within its own. */                    \
	MOVE T before_##name(T inclusive)                                                                              \
	{                                                                                                              \
		uint group = get_sub_group_id();                                                                       \
		T sum = (T)(identity);                                                                                 \
		if (me() == get_sub_group_size() - 1)                                                                  \
			WORDS(T)[group] = inclusive;                                                                   \
		meet();                                                                                                \
		for (uint k = 0; k < group; k++)                                                                       \
			sum = OP(sum, WORDS(T)[k]);                                                                    \
		meet();                                                                                                \
		return sum;                                                                                            \
	}                                                                                                              \
	OVERLOAD T work_group_scan_inclusive_##name(T x)                                                               \
	{                                                                                                              \
		T inclusive = sub_group_scan_inclusive_##name(x);                                                      \
		return OP(before_##name(inclusive), inclusive);                                                        \
	}                                                                                                              \
	OVERLOAD T work_group_scan_exclusive_##name(T x)                                                               \
	{                                                                                                              \
		T inclusive = sub_group_scan_inclusive_##name(x);                                                      \
		T own = move(inclusive, me() - 1, sub_group_mask()), before = before_##name(inclusive);                \
		return me() ? OP(before, own) : before;                                                                \
	}

#define GROUP_ON(T, least, greatest, MIN, MAX)                                                                         \
	GROUP_FUNCTION(add, ADD, T, 0)                                                                                 \
	GROUP_FUNCTION(min, MIN, T, greatest)                                                                          \
	GROUP_FUNCTION(max, MAX, T, least)                                                                             \
	OVERLOAD T work_group_broadcast(T x, size_t a, size_t b, size_t c)                                             \
	{                                                                                                              \
		if (get_local_id(0) == a && get_local_id(1) == b && get_local_id(2) == c)                              \
			WORDS(T)[0] = x;                                                                               \
		meet();                                                                                                \
		x = WORDS(T)[0];                                                                                       \
		meet();                                                                                                \
		return x;                                                                                              \
	}                                                                                                              \
	OVERLOAD T work_group_broadcast(T x, size_t a, size_t b)                                                       \
	{                                                                                                              \
		return work_group_broadcast(x, a, b, (size_t)0);                                                       \
	}                                                                                                              \
	OVERLOAD T work_group_broadcast(T x, size_t a)                                                                 \
	{                                                                                                              \
		return work_group_broadcast(x, a, (size_t)0, (size_t)0);                                               \
	}

GROUP_ON(int, INT_MIN, INT_MAX, min, max)
GROUP_ON(uint, 0, UINT_MAX, min, max)
GROUP_ON(long, LONG_MIN, LONG_MAX, min, max)
GROUP_ON(ulong, 0, ULONG_MAX, min, max)
GROUP_ON(float, -INFINITY, INFINITY, fmin, fmax)
GROUP_ON(double, -INFINITY, INFINITY, fmin, fmax)

/* --- Copies and prefetches of vectors of three, which take the room of four --- */

#define COPY(T)                                                                                                        \
	OVERLOAD event_t async_work_group_copy(local T *to, const global T *from, size_t count, event_t event)         \
	{                                                                                                              \
		for (size_t k = linear_thread(), step = thread_count(); k < count; k += step)                          \
			to[k] = from[k];                                                                               \
		return event;                                                                                          \
	}                                                                                                              \
	OVERLOAD event_t async_work_group_copy(global T *to, const local T *from, size_t count, event_t event)         \
	{                                                                                                              \
		for (size_t k = linear_thread(), step = thread_count(); k < count; k += step)                          \
			to[k] = from[k];                                                                               \
		return event;                                                                                          \
	}                                                                                                              \
	OVERLOAD event_t async_work_group_strided_copy(                                                                \
		local T *to, const global T *from, size_t count, size_t stride, event_t event)                         \
	{                                                                                                              \
		for (size_t k = linear_thread(), step = thread_count(); k < count; k += step)                          \
			to[k] = from[k * stride];                                                                      \
		return event;                                                                                          \
	}                                                                                                              \
	OVERLOAD event_t async_work_group_strided_copy(                                                                \
		global T *to, const local T *from, size_t count, size_t stride, event_t event)                         \
	{                                                                                                              \
		for (size_t k = linear_thread(), step = thread_count(); k < count; k += step)                          \
			to[k * stride] = from[k];                                                                      \
		return event;                                                                                          \
	}                                                                                                              \
	OVERLOAD void prefetch(const global T *from, size_t count)                                                     \
	{                                                                                                              \
	}
COPY(char3)
COPY(uchar3)
COPY(short3)
COPY(ushort3)
COPY(int3)
COPY(uint3)
COPY(long3)
COPY(ulong3)
COPY(float3)
COPY(double3)
