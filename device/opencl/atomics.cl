/* C11 atomics, with order and scope, as PTX has them.
 *
 * A sequentially consistent access is fence.sc and then the access with acquire: the mapping that NVIDIA's memory model
 * paper proves (Lustig, Sahasrabuddhe, Giroux 2019).  On local memory no scope is wider than the work-group, since nobody
 * else sees it.  Floating-point minimum and maximum are loops of compare-and-swap. */

#define LOW static __attribute__((overloadable, always_inline))

#define PTX_generic ""
#define PTX_global ".global"
#define PTX_local ".shared"
#define NARROW_generic
#define NARROW_global
#define NARROW_local scope = memory_scope_work_group

/* One instruction, its order and scope put behind `head`; they are constants nearly always, so one branch is left. */
#define IN_SCOPE(head, order_, tail, out, ...)                                                                         \
	if (scope == memory_scope_device)                                                                              \
		__asm__ volatile(head order_ ".gpu" tail:out:__VA_ARGS__ : "memory");                                  \
	else if (scope == memory_scope_all_svm_devices)                                                                \
		__asm__ volatile(head order_ ".sys" tail:out:__VA_ARGS__ : "memory");                                  \
	else                                                                                                           \
		__asm__ volatile(head order_ ".cta" tail:out:__VA_ARGS__ : "memory")

#define IN_ORDER(head, tail, out, ...)                                                                                 \
	if (order == memory_order_seq_cst)                                                                             \
		fence_order(order, scope);                                                                             \
	if (order == memory_order_relaxed) {                                                                           \
		IN_SCOPE(head, ".relaxed", tail, out, __VA_ARGS__);                                                    \
	} else if (order == memory_order_release) {                                                                    \
		IN_SCOPE(head, ".release", tail, out, __VA_ARGS__);                                                    \
	} else if (order == memory_order_acq_rel) {                                                                    \
		IN_SCOPE(head, ".acq_rel", tail, out, __VA_ARGS__);                                                    \
	} else {                                                                                                       \
		IN_SCOPE(head, ".acquire", tail, out, __VA_ARGS__);                                                    \
	}

/* --- One function for each space, type and instruction --- */

#define LOW_READ_WRITE(space, T, bits, c)                                                                              \
	LOW T low_load(volatile space T *p, memory_order order, memory_scope scope)                                    \
	{                                                                                                              \
		T v;                                                                                                   \
		NARROW_##space;                                                                                        \
		if (order == memory_order_seq_cst)                                                                     \
			fence_order(order, scope);                                                                     \
		if (order == memory_order_relaxed) {                                                                   \
			IN_SCOPE("ld", ".relaxed", PTX_##space "." bits " %0, [%1];", "=" c(v), "l"(p));               \
		} else {                                                                                               \
			IN_SCOPE("ld", ".acquire", PTX_##space "." bits " %0, [%1];", "=" c(v), "l"(p));               \
		}                                                                                                      \
		return v;                                                                                              \
	}                                                                                                              \
	LOW void low_store(volatile space T *p, T v, memory_order order, memory_scope scope)                           \
	{                                                                                                              \
		NARROW_##space;                                                                                        \
		if (order == memory_order_seq_cst)                                                                     \
			fence_order(order, scope);                                                                     \
		if (order == memory_order_release) {                                                                   \
			IN_SCOPE("st", ".release", PTX_##space "." bits " [%0], %1;", , "l"(p), c(v));                 \
		} else {                                                                                               \
			IN_SCOPE("st", ".relaxed", PTX_##space "." bits " [%0], %1;", , "l"(p), c(v));                 \
		}                                                                                                      \
	}                                                                                                              \
	LOW T low_exchange(volatile space T *p, T v, memory_order order, memory_scope scope)                           \
	{                                                                                                              \
		T old;                                                                                                 \
		NARROW_##space;                                                                                        \
		IN_ORDER("atom", PTX_##space ".exch." bits " %0, [%1], %2;", "=" c(old), "l"(p), c(v))                 \
		return old;                                                                                            \
	}                                                                                                              \
	LOW T low_cas(volatile space T *p, T compare, T v, memory_order order, memory_scope scope)                     \
	{                                                                                                              \
		T old;                                                                                                 \
		NARROW_##space;                                                                                        \
		IN_ORDER("atom", PTX_##space ".cas." bits " %0, [%1], %2, %3;", "=" c(old), "l"(p), c(compare), c(v))  \
		return old;                                                                                            \
	}

#define LOW_CHANGE(name, op, space, T, type, c)                                                                        \
	LOW T low_##name(volatile space T *p, T v, memory_order order, memory_scope scope)                             \
	{                                                                                                              \
		T old;                                                                                                 \
		NARROW_##space;                                                                                        \
		IN_ORDER("atom", PTX_##space "." op "." type " %0, [%1], %2;", "=" c(old), "l"(p), c(v))               \
		return old;                                                                                            \
	}
#define LOW_SUBTRACT(space, T)                                                                                         \
	LOW T low_sub(volatile space T *p, T v, memory_order order, memory_scope scope)                                \
	{                                                                                                              \
		return low_add(p, (T)-v, order, scope);                                                                \
	}
#define LOW_INTEGER(space, T, bits, type, sum, c)                                                                      \
	LOW_READ_WRITE(space, T, bits, c)                                                                              \
	LOW_CHANGE(add, "add", space, T, sum, c)                                                                       \
	LOW_SUBTRACT(space, T)                                                                                         \
	LOW_CHANGE(or, "or", space, T, bits, c)                                                                        \
	LOW_CHANGE(xor, "xor", space, T, bits, c)                                                                      \
	LOW_CHANGE(and, "and", space, T, bits, c)                                                                      \
	LOW_CHANGE(min, "min", space, T, type, c)                                                                      \
	LOW_CHANGE(max, "max", space, T, type, c)

/* fmin and fmax of what is there; a value that stays is not written. */
#define LOW_CHOOSE(name, choose, space, T)                                                                             \
	LOW T low_##name(volatile space T *p, T v, memory_order order, memory_scope scope)                             \
	{                                                                                                              \
		T old = low_load(p, memory_order_relaxed, scope), seen;                                                \
		for (;; old = seen) {                                                                                  \
			seen = low_cas(p, old, choose(old, v), order, scope);                                          \
			if (SAME_##T(seen, old))                                                                       \
				return old;                                                                            \
		}                                                                                                      \
	}
#define SAME_float(a, b) (as_int(a) == as_int(b))
#define SAME_double(a, b) (as_long(a) == as_long(b))
#define SAME_int(a, b) ((a) == (b))
#define SAME_uint(a, b) ((a) == (b))
#define SAME_long(a, b) ((a) == (b))
#define SAME_ulong(a, b) ((a) == (b))
#define LOW_FLOATING(space, T, bits, type, c)                                                                          \
	LOW_READ_WRITE(space, T, bits, c)                                                                              \
	LOW_CHANGE(add, "add", space, T, type, c)                                                                      \
	LOW_SUBTRACT(space, T)                                                                                         \
	LOW_CHOOSE(min, fmin, space, T)                                                                                \
	LOW_CHOOSE(max, fmax, space, T)

#define LOW_SPACE(space)                                                                                               \
	LOW_INTEGER(space, int, "b32", "s32", "u32", "r")                                                              \
	LOW_INTEGER(space, uint, "b32", "u32", "u32", "r")                                                             \
	LOW_INTEGER(space, long, "b64", "s64", "u64", "l")                                                             \
	LOW_INTEGER(space, ulong, "b64", "u64", "u64", "l")                                                            \
	LOW_FLOATING(space, float, "b32", "f32", "f")                                                                  \
	LOW_FLOATING(space, double, "b64", "f64", "d")

LOW_SPACE(generic)
LOW_SPACE(global)
LOW_SPACE(local)

/* --- OpenCL's names --- */

#define DEFAULTS memory_order_seq_cst, memory_scope_device

#define FETCH(name, space, T, V)                                                                                       \
	OVERLOAD T atomic_fetch_##name(volatile space atomic_##T *p, V v)                                              \
	{                                                                                                              \
		return low_##name((volatile space T *)p, (T)v, DEFAULTS);                                              \
	}                                                                                                              \
	OVERLOAD T atomic_fetch_##name##_explicit(volatile space atomic_##T *p, V v, memory_order order)               \
	{                                                                                                              \
		return low_##name((volatile space T *)p, (T)v, order, memory_scope_device);                            \
	}                                                                                                              \
	OVERLOAD T atomic_fetch_##name##_explicit(                                                                     \
		volatile space atomic_##T *p, V v, memory_order order, memory_scope scope)                             \
	{                                                                                                              \
		return low_##name((volatile space T *)p, (T)v, order, scope);                                          \
	}

/* A private pointer is a generic one.  The order of failure matters only where it is stronger than that of success, which C11 forbids and C17 allows. */
#define COMPARE(name, space, T, expected_space)                                                                        \
	OVERLOAD bool atomic_compare_exchange_##name##_explicit(volatile space atomic_##T *p,                          \
		expected_space T *expected, T desired, memory_order order, memory_order failure, memory_scope scope)   \
	{                                                                                                              \
		T compare = *expected, old;                                                                            \
		bool same;                                                                                             \
		if (failure == memory_order_seq_cst)                                                                   \
			order = failure;                                                                               \
		else if (failure == memory_order_acquire && order == memory_order_relaxed)                             \
			order = failure;                                                                               \
		else if (failure == memory_order_acquire && order == memory_order_release)                             \
			order = memory_order_acq_rel;                                                                  \
		old = low_cas((volatile space T *)p, compare, desired, order, scope);                                  \
		same = SAME_##T(old, compare);                                                                         \
		if (!same)                                                                                             \
			*expected = old;                                                                               \
		return same;                                                                                           \
	}                                                                                                              \
	OVERLOAD bool atomic_compare_exchange_##name##_explicit(volatile space atomic_##T *p,                          \
		expected_space T *expected, T desired, memory_order order, memory_order failure)                       \
	{                                                                                                              \
		return atomic_compare_exchange_##name##_explicit(                                                      \
			p, expected, desired, order, failure, memory_scope_device);                                    \
	}                                                                                                              \
	OVERLOAD bool atomic_compare_exchange_##name(                                                                  \
		volatile space atomic_##T *p, expected_space T *expected, T desired)                                   \
	{                                                                                                              \
		return atomic_compare_exchange_##name##_explicit(                                                      \
			p, expected, desired, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device);        \
	}

#define READ_WRITE(space, T)                                                                                           \
	OVERLOAD void atomic_init(volatile space atomic_##T *p, T v)                                                   \
	{                                                                                                              \
		low_store((volatile space T *)p, v, memory_order_relaxed, memory_scope_work_group);                    \
	}                                                                                                              \
	OVERLOAD T atomic_load(volatile space atomic_##T *p)                                                           \
	{                                                                                                              \
		return low_load((volatile space T *)p, DEFAULTS);                                                      \
	}                                                                                                              \
	OVERLOAD T atomic_load_explicit(volatile space atomic_##T *p, memory_order order)                              \
	{                                                                                                              \
		return low_load((volatile space T *)p, order, memory_scope_device);                                    \
	}                                                                                                              \
	OVERLOAD T atomic_load_explicit(volatile space atomic_##T *p, memory_order order, memory_scope scope)          \
	{                                                                                                              \
		return low_load((volatile space T *)p, order, scope);                                                  \
	}                                                                                                              \
	OVERLOAD void atomic_store(volatile space atomic_##T *p, T v)                                                  \
	{                                                                                                              \
		low_store((volatile space T *)p, v, DEFAULTS);                                                         \
	}                                                                                                              \
	OVERLOAD void atomic_store_explicit(volatile space atomic_##T *p, T v, memory_order order)                     \
	{                                                                                                              \
		low_store((volatile space T *)p, v, order, memory_scope_device);                                       \
	}                                                                                                              \
	OVERLOAD void atomic_store_explicit(volatile space atomic_##T *p, T v, memory_order order, memory_scope scope) \
	{                                                                                                              \
		low_store((volatile space T *)p, v, order, scope);                                                     \
	}                                                                                                              \
	OVERLOAD T atomic_exchange(volatile space atomic_##T *p, T v)                                                  \
	{                                                                                                              \
		return low_exchange((volatile space T *)p, v, DEFAULTS);                                               \
	}                                                                                                              \
	OVERLOAD T atomic_exchange_explicit(volatile space atomic_##T *p, T v, memory_order order)                     \
	{                                                                                                              \
		return low_exchange((volatile space T *)p, v, order, memory_scope_device);                             \
	}                                                                                                              \
	OVERLOAD T atomic_exchange_explicit(volatile space atomic_##T *p, T v, memory_order order, memory_scope scope) \
	{                                                                                                              \
		return low_exchange((volatile space T *)p, v, order, scope);                                           \
	}                                                                                                              \
	COMPARE(strong, space, T, generic)                                                                             \
	COMPARE(strong, space, T, global)                                                                              \
	COMPARE(strong, space, T, local)                                                                               \
	COMPARE(weak, space, T, generic)                                                                               \
	COMPARE(weak, space, T, global)                                                                                \
	COMPARE(weak, space, T, local)

#define ARITHMETIC(space, T, V)                                                                                        \
	FETCH(add, space, T, V)                                                                                        \
	FETCH(sub, space, T, V)                                                                                        \
	FETCH(min, space, T, V)                                                                                        \
	FETCH(max, space, T, V)
#define INTEGER(space, T, V)                                                                                           \
	ARITHMETIC(space, T, V)                                                                                        \
	FETCH(or, space, T, V)                                                                                         \
	FETCH(xor, space, T, V)                                                                                        \
	FETCH(and, space, T, V)

/* atomic_flag is an atomic_int. */
#define FLAG(space)                                                                                                    \
	OVERLOAD bool atomic_flag_test_and_set(volatile space atomic_flag *p)                                          \
	{                                                                                                              \
		return low_exchange((volatile space int *)p, 1, DEFAULTS);                                             \
	}                                                                                                              \
	OVERLOAD bool atomic_flag_test_and_set_explicit(volatile space atomic_flag *p, memory_order order)             \
	{                                                                                                              \
		return low_exchange((volatile space int *)p, 1, order, memory_scope_device);                           \
	}                                                                                                              \
	OVERLOAD bool atomic_flag_test_and_set_explicit(                                                               \
		volatile space atomic_flag *p, memory_order order, memory_scope scope)                                 \
	{                                                                                                              \
		return low_exchange((volatile space int *)p, 1, order, scope);                                         \
	}                                                                                                              \
	OVERLOAD void atomic_flag_clear(volatile space atomic_flag *p)                                                 \
	{                                                                                                              \
		low_store((volatile space int *)p, 0, DEFAULTS);                                                       \
	}                                                                                                              \
	OVERLOAD void atomic_flag_clear_explicit(volatile space atomic_flag *p, memory_order order)                    \
	{                                                                                                              \
		low_store((volatile space int *)p, 0, order, memory_scope_device);                                     \
	}                                                                                                              \
	OVERLOAD void atomic_flag_clear_explicit(                                                                      \
		volatile space atomic_flag *p, memory_order order, memory_scope scope)                                 \
	{                                                                                                              \
		low_store((volatile space int *)p, 0, order, scope);                                                   \
	}

/* atomic_intptr_t and its like take the other kind of integer, too. */
#define ALL(space)                                                                                                     \
	READ_WRITE(space, int)                                                                                         \
	READ_WRITE(space, uint)                                                                                        \
	READ_WRITE(space, long)                                                                                        \
	READ_WRITE(space, ulong)                                                                                       \
	READ_WRITE(space, float)                                                                                       \
	READ_WRITE(space, double)                                                                                      \
	INTEGER(space, int, int)                                                                                       \
	INTEGER(space, uint, uint)                                                                                     \
	INTEGER(space, long, long)                                                                                     \
	INTEGER(space, long, ulong)                                                                                    \
	INTEGER(space, ulong, ulong)                                                                                   \
	INTEGER(space, ulong, long)                                                                                    \
	ARITHMETIC(space, float, float)                                                                                \
	ARITHMETIC(space, double, double)                                                                              \
	FLAG(space)

ALL(generic)
ALL(global)
ALL(local)

/* --- OpenCL 1.x: relaxed, for the whole GPU; libclc has those on 32 bits --- */

#define OLD(name, low, space, T)                                                                                       \
	OVERLOAD T atom_##name(volatile space T *p, T v)                                                               \
	{                                                                                                              \
		return low_##low(p, v, memory_order_relaxed, memory_scope_device);                                     \
	}
#define OLD_ALL(space, T)                                                                                              \
	OLD(add, add, space, T)                                                                                        \
	OLD(sub, sub, space, T)                                                                                        \
	OLD(xchg, exchange, space, T)                                                                                  \
	OLD(min, min, space, T)                                                                                        \
	OLD(max, max, space, T)                                                                                        \
	OLD(and, and, space, T)                                                                                        \
	OLD(or, or, space, T)                                                                                          \
	OLD(xor, xor, space, T)                                                                                        \
	OVERLOAD T atom_inc(volatile space T *p)                                                                       \
	{                                                                                                              \
		return low_add(p, (T)1, memory_order_relaxed, memory_scope_device);                                    \
	}                                                                                                              \
	OVERLOAD T atom_dec(volatile space T *p)                                                                       \
	{                                                                                                              \
		return low_add(p, (T)-1, memory_order_relaxed, memory_scope_device);                                   \
	}                                                                                                              \
	OVERLOAD T atom_cmpxchg(volatile space T *p, T compare, T v)                                                   \
	{                                                                                                              \
		return low_cas(p, compare, v, memory_order_relaxed, memory_scope_device);                              \
	}

OLD_ALL(global, long)
OLD_ALL(global, ulong)
OLD_ALL(local, long)
OLD_ALL(local, ulong)
