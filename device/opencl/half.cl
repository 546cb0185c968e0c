/* Stores of half rounded up and down.  libclc's step away from zero is lost far below the least half number: a tiny
 * negative number rounded down became -0, where the least negative half number is right.  PTX's cvt rounds them all. */

#define SHORTEN(round, word, T, from, d)                                                                               \
	static __attribute__((overloadable, always_inline)) ushort shorten##round(T x)                                 \
	{                                                                                                              \
		ushort r;                                                                                              \
		__asm__("cvt" word ".f16." from " %0, %1;" : "=h"(r) : d(x));                                          \
		return r;                                                                                              \
	}
SHORTEN(_rtp, ".rp", float, "f32", "f")
SHORTEN(_rtn, ".rm", float, "f32", "f")
SHORTEN(_rtp, ".rp", double, "f64", "d")
SHORTEN(_rtn, ".rm", double, "f64", "d")

/* `stride` is that of a vector of n in memory, in half numbers. */
#define STORE_VECTOR(name, T, n, stride, space, round)                                                                 \
	OVERLOAD void name##n##round(T##n x, size_t offset, space half *p)                                             \
	{                                                                                                              \
		space ushort *at = (space ushort *)p + (stride)*offset;                                                \
		_Pragma("unroll") for (int k = 0; k < n; k++) at[k] = shorten##round(x[k]);                            \
	}
#define STORE_SCALAR(name, T, space, round)                                                                            \
	OVERLOAD void name##round(T x, size_t offset, space half *p)                                                   \
	{                                                                                                              \
		((space ushort *)p)[offset] = shorten##round(x);                                                       \
	}
#define STORES(name, three, T, space, round)                                                                           \
	STORE_SCALAR(name, T, space, round)                                                                            \
	STORE_VECTOR(name, T, 2, 2, space, round)                                                                      \
	STORE_VECTOR(name, T, 3, three, space, round)                                                                  \
	STORE_VECTOR(name, T, 4, 4, space, round)                                                                      \
	STORE_VECTOR(name, T, 8, 8, space, round)                                                                      \
	STORE_VECTOR(name, T, 16, 16, space, round)
#define STORES_IN(space, T, round)                                                                                     \
	STORES(vstore_half, 3, T, space, round)                                                                        \
	STORES(vstorea_half, 4, T, space, round)
/* A private pointer is a generic one. */
#define STORES_ROUNDED(T, round)                                                                                       \
	STORES_IN(global, T, round)                                                                                    \
	STORES_IN(local, T, round)                                                                                     \
	STORES_IN(generic, T, round)
STORES_ROUNDED(float, _rtp)
STORES_ROUNDED(float, _rtn)
STORES_ROUNDED(double, _rtp)
STORES_ROUNDED(double, _rtn)
