/* Sub-group functions: cl_khr_subgroups and its extensions.
 *
 * A sub-group is 32 neighbours, half a warp where warps have 64 lanes.  Functions that all its work-items must reach wait for
 * all; the non-uniform ones and the shuffles are for those that are there. */

INLINE uint active_mask(void)
{
	uint mask;
	__asm__ volatile("activemask.b32 %0;" : "=r"(mask)::"memory");
	return mask;
}

INLINE uint me(void)
{
	return linear_thread() % 32;
}

INLINE uint ballot_of(uint mask, bool predicate)
{
	uint lanes;
	__asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
			 : "=r"(lanes)
			 : "r"((uint)predicate), "r"(mask)
			 : "memory");
	return lanes;
}

INLINE uint first_of(uint mask)
{
	return 31 - clz(mask & -mask);
}

/* --- A value of another lane --- */

#define MOVE static __attribute__((overloadable, always_inline))

MOVE uint move(uint x, uint lane, uint mask)
{
	uint r;
	__asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, %3;" : "=r"(r) : "r"(x), "r"(lane), "r"(mask) : "memory");
	return r;
}

#define MOVE_NARROW(T)                                                                                                 \
	MOVE T move(T x, uint lane, uint mask)                                                                         \
	{                                                                                                              \
		return (T)move((uint)x, lane, mask);                                                                   \
	}
MOVE_NARROW(char)
MOVE_NARROW(uchar)
MOVE_NARROW(short)
MOVE_NARROW(ushort)
MOVE_NARROW(int)

MOVE float move(float x, uint lane, uint mask)
{
	return as_float(move(as_uint(x), lane, mask));
}

MOVE ulong move(ulong x, uint lane, uint mask)
{
	uint low = move((uint)x, lane, mask), high = move((uint)(x >> 32), lane, mask);
	return (ulong)high << 32 | low;
}

MOVE long move(long x, uint lane, uint mask)
{
	return (long)move((ulong)x, lane, mask);
}

MOVE double move(double x, uint lane, uint mask)
{
	return as_double(move(as_ulong(x), lane, mask));
}

/* --- Votes and masks --- */

OVERLOAD int sub_group_all(int predicate)
{
	uint mask = sub_group_mask();
	return ballot_of(mask, predicate) == mask;
}

OVERLOAD int sub_group_any(int predicate)
{
	return ballot_of(sub_group_mask(), predicate) != 0;
}

OVERLOAD int sub_group_elect(void)
{
	return first_of(active_mask()) == me();
}

OVERLOAD int sub_group_non_uniform_all(int predicate)
{
	uint mask = active_mask();
	return ballot_of(mask, predicate) == mask;
}

OVERLOAD int sub_group_non_uniform_any(int predicate)
{
	return ballot_of(active_mask(), predicate) != 0;
}

OVERLOAD uint4 sub_group_ballot(int predicate)
{
	return (uint4)(ballot_of(active_mask(), predicate), 0, 0, 0);
}

/* What counts of a ballot that is given: bits below get_max_sub_group_size(), also in a sub-group that has fewer work-items (OpenCL C
 * 3.0.9, Sub-group Ballots). */
INLINE uint ballot_mask(void)
{
	return ~0u >> (32 - get_max_sub_group_size());
}

OVERLOAD int sub_group_inverse_ballot(uint4 lanes)
{
	return lanes.x >> me() & 1;
}

OVERLOAD int sub_group_ballot_bit_extract(uint4 lanes, uint lane)
{
	return lane < 32 ? lanes.x >> lane & 1 : 0;
}

OVERLOAD uint sub_group_ballot_bit_count(uint4 lanes)
{
	return popcount(lanes.x & ballot_mask());
}

OVERLOAD uint sub_group_ballot_inclusive_scan(uint4 lanes)
{
	return popcount(lanes.x & (~0u >> (31 - me())));
}

OVERLOAD uint sub_group_ballot_exclusive_scan(uint4 lanes)
{
	return popcount(lanes.x & ((1u << me()) - 1));
}

OVERLOAD uint sub_group_ballot_find_lsb(uint4 lanes)
{
	return first_of(lanes.x & ballot_mask());
}

OVERLOAD uint sub_group_ballot_find_msb(uint4 lanes)
{
	return 31 - clz(lanes.x & ballot_mask());
}

OVERLOAD uint4 get_sub_group_eq_mask(void)
{
	return (uint4)(1u << me(), 0, 0, 0);
}

OVERLOAD uint4 get_sub_group_ge_mask(void)
{
	return (uint4)(~0u << me() & ballot_mask(), 0, 0, 0);
}

OVERLOAD uint4 get_sub_group_gt_mask(void)
{
	return (uint4)(~1u << me() & ballot_mask(), 0, 0, 0);
}

OVERLOAD uint4 get_sub_group_le_mask(void)
{
	return (uint4)(~0u >> (31 - me()), 0, 0, 0);
}

OVERLOAD uint4 get_sub_group_lt_mask(void)
{
	return (uint4)((1u << me()) - 1, 0, 0, 0);
}

/* --- Broadcasts and shuffles --- */

#define BROADCAST_2(x, lane) broadcast(x[0]), broadcast(x[1])
#define BROADCAST_3(x, lane) BROADCAST_2(x, lane), broadcast(x[2])
#define BROADCAST_4(x, lane) BROADCAST_3(x, lane), broadcast(x[3])
#define BROADCAST_8(x, lane) BROADCAST_4(x, lane), broadcast(x[4]), broadcast(x[5]), broadcast(x[6]), broadcast(x[7])
#define BROADCAST_16(x, lane)                                                                                          \
	BROADCAST_8(x, lane), broadcast(x[8]), broadcast(x[9]), broadcast(x[10]), broadcast(x[11]),                    \
		broadcast(x[12]), broadcast(x[13]), broadcast(x[14]), broadcast(x[15])
#define broadcast(element) move(element, lane, mask)
#define BROADCAST_VECTOR(T, n)                                                                                         \
	OVERLOAD T##n sub_group_broadcast(T##n x, uint lane)                                                           \
	{                                                                                                              \
		uint mask = sub_group_mask();                                                                          \
		return (T##n)(BROADCAST_##n(x, lane));                                                                 \
	}                                                                                                              \
	OVERLOAD T##n sub_group_non_uniform_broadcast(T##n x, uint lane)                                               \
	{                                                                                                              \
		uint mask = active_mask();                                                                             \
		return (T##n)(BROADCAST_##n(x, lane));                                                                 \
	}
#define BROADCAST(T)                                                                                                   \
	OVERLOAD T sub_group_broadcast(T x, uint lane)                                                                 \
	{                                                                                                              \
		return move(x, lane, sub_group_mask());                                                                \
	}                                                                                                              \
	OVERLOAD T sub_group_non_uniform_broadcast(T x, uint lane)                                                     \
	{                                                                                                              \
		return move(x, lane, active_mask());                                                                   \
	}                                                                                                              \
	BROADCAST_VECTOR(T, 2)                                                                                         \
	BROADCAST_VECTOR(T, 3)                                                                                         \
	BROADCAST_VECTOR(T, 4)                                                                                         \
	BROADCAST_VECTOR(T, 8)                                                                                         \
	BROADCAST_VECTOR(T, 16)                                                                                        \
	OVERLOAD T sub_group_broadcast_first(T x)                                                                      \
	{                                                                                                              \
		uint mask = active_mask();                                                                             \
		return move(x, first_of(mask), mask);                                                                  \
	}                                                                                                              \
	OVERLOAD int sub_group_non_uniform_all_equal(T x)                                                              \
	{                                                                                                              \
		uint mask = active_mask();                                                                             \
		return ballot_of(mask, x == move(x, first_of(mask), mask)) == mask;                                    \
	}                                                                                                              \
	OVERLOAD T sub_group_shuffle(T x, uint lane)                                                                   \
	{                                                                                                              \
		return move(x, lane, active_mask());                                                                   \
	}                                                                                                              \
	OVERLOAD T sub_group_shuffle_xor(T x, uint lanes)                                                              \
	{                                                                                                              \
		return move(x, me() ^ lanes, active_mask());                                                           \
	}                                                                                                              \
	OVERLOAD T sub_group_shuffle_up(T x, uint lanes)                                                               \
	{                                                                                                              \
		return move(x, me() - lanes, active_mask());                                                           \
	}                                                                                                              \
	OVERLOAD T sub_group_shuffle_down(T x, uint lanes)                                                             \
	{                                                                                                              \
		return move(x, me() + lanes, active_mask());                                                           \
	}

/* --- Reductions and scans --- */

#define ADD(a, b) (a) + (b)
#define MUL(a, b) (a) * (b)
#define AND(a, b) (a) & (b)
#define OR(a, b) (a) | (b)
#define XOR(a, b) (a) ^ (b)
#define LOGICAL_AND(a, b) (a) && (b)
#define LOGICAL_OR(a, b) (a) || (b)
#define LOGICAL_XOR(a, b) !(a) != !(b)

/* All work-items of the sub-group, which are its first lanes: five steps.  `inclusive` gives a lane's own. */
#define UNIFORM(name, OP, T, identity)                                                                                 \
	MOVE T inclusive_##name(T x)                                                                                   \
	{                                                                                                              \
		uint mask = sub_group_mask();                                                                          \
		for (uint step = 1; step < 32; step *= 2) {                                                            \
			T before = move(x, me() - step, mask);                                                         \
			x = me() >= step ? (T)(OP(before, x)) : x;                                                     \
		}                                                                                                      \
		return x;                                                                                              \
	}                                                                                                              \
	OVERLOAD T sub_group_scan_inclusive_##name(T x)                                                                \
	{                                                                                                              \
		return inclusive_##name(x);                                                                            \
	}                                                                                                              \
	OVERLOAD T sub_group_scan_exclusive_##name(T x)                                                                \
	{                                                                                                              \
		T before = move(inclusive_##name(x), me() - 1, sub_group_mask());                                      \
		return me() ? before : (T)(identity);                                                                  \
	}                                                                                                              \
	OVERLOAD T sub_group_reduce_##name(T x)                                                                        \
	{                                                                                                              \
		return move(inclusive_##name(x), get_sub_group_size() - 1, sub_group_mask());                          \
	}

/* Those that are there, in order: a step for each. */
#define OVER(OP, T, identity, wanted)                                                                                  \
	{                                                                                                              \
		uint mask = active_mask(), lane;                                                                       \
		T sum = (T)(identity);                                                                                 \
		for (uint left = mask; left; left &= left - 1) {                                                       \
			lane = first_of(left);                                                                         \
			T value = move(x, lane, mask);                                                                 \
			if (wanted)                                                                                    \
				sum = (T)(OP(sum, value));                                                             \
		}                                                                                                      \
		return sum;                                                                                            \
	}
#define NON_UNIFORM(name, OP, T, identity)                                                                             \
	OVERLOAD T sub_group_non_uniform_reduce_##name(T x) OVER(OP, T, identity, true);                               \
	OVERLOAD T sub_group_non_uniform_scan_inclusive_##name(T x) OVER(OP, T, identity, lane <= me());               \
	OVERLOAD T sub_group_non_uniform_scan_exclusive_##name(T x) OVER(OP, T, identity, lane < me());                \
	OVERLOAD T sub_group_clustered_reduce_##name(T x, uint size) OVER(OP, T, identity, (lane ^ me()) < size)

#define ARITHMETIC_ON(T, least, greatest, MIN, MAX)                                                                    \
	BROADCAST(T)                                                                                                   \
	UNIFORM(add, ADD, T, 0)                                                                                        \
	UNIFORM(min, MIN, T, greatest)                                                                                 \
	UNIFORM(max, MAX, T, least)                                                                                    \
	NON_UNIFORM(add, ADD, T, 0)                                                                                    \
	NON_UNIFORM(mul, MUL, T, 1)                                                                                    \
	NON_UNIFORM(min, MIN, T, greatest)                                                                             \
	NON_UNIFORM(max, MAX, T, least)
#define BITS_ON(T)                                                                                                     \
	NON_UNIFORM(and, AND, T, -1)                                                                                   \
	NON_UNIFORM(or, OR, T, 0)                                                                                      \
	NON_UNIFORM(xor, XOR, T, 0)
#define INTEGER_ON(T, least, greatest)                                                                                 \
	ARITHMETIC_ON(T, least, greatest, min, max)                                                                    \
	BITS_ON(T)

INTEGER_ON(char, CHAR_MIN, CHAR_MAX)
INTEGER_ON(uchar, 0, UCHAR_MAX)
INTEGER_ON(short, SHRT_MIN, SHRT_MAX)
INTEGER_ON(ushort, 0, USHRT_MAX)
INTEGER_ON(int, INT_MIN, INT_MAX)
INTEGER_ON(uint, 0, UINT_MAX)
INTEGER_ON(long, LONG_MIN, LONG_MAX)
INTEGER_ON(ulong, 0, ULONG_MAX)
ARITHMETIC_ON(float, -INFINITY, INFINITY, fmin, fmax)
ARITHMETIC_ON(double, -INFINITY, INFINITY, fmin, fmax)
NON_UNIFORM(logical_and, LOGICAL_AND, int, 1)
NON_UNIFORM(logical_or, LOGICAL_OR, int, 0)
NON_UNIFORM(logical_xor, LOGICAL_XOR, int, 0)
