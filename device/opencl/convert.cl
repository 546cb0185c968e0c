/* Conversions that libclc has wrong: saturated ones of a NaN, which must give 0, and directed rounding of the largest
 * integers.  PTX's cvt does them; it clamps to the range of its own type. */

#define CVT(T, from, S, suffix, word, to, c, d)                                                                        \
	static __attribute__((overloadable, always_inline)) T cvt##suffix##_##T(S x)                                   \
	{                                                                                                              \
		T r;                                                                                                   \
		__asm__("cvt" word "." to "." from " %0, %1;" : "=" c(r) : d(x));                                      \
		return r;                                                                                              \
	}
#define TO_INTEGER(suffix, word)                                                                                       \
	CVT(long, "f32", float, suffix, word, "s64", "l", "f")                                                         \
	CVT(ulong, "f32", float, suffix, word, "u64", "l", "f")                                                        \
	CVT(long, "f64", double, suffix, word, "s64", "l", "d")                                                        \
	CVT(ulong, "f64", double, suffix, word, "u64", "l", "d")
TO_INTEGER(, ".rzi")
TO_INTEGER(_rtz, ".rzi")
TO_INTEGER(_rte, ".rni")
TO_INTEGER(_rtp, ".rpi")
TO_INTEGER(_rtn, ".rmi")

/* A scalar's function and those of vectors, which are made of the next smaller ones. */
#define ALL_WIDTHS(T, suffix, S, expression)                                                                           \
	OVERLOAD T convert_##T##suffix(S x)                                                                            \
	{                                                                                                              \
		return expression;                                                                                     \
	}                                                                                                              \
	OVERLOAD T##2 convert_##T##2##suffix(S##2 x)                                                                   \
	{                                                                                                              \
		return (T##2)(convert_##T##suffix(x.x), convert_##T##suffix(x.y));                                     \
	}                                                                                                              \
	OVERLOAD T##3 convert_##T##3##suffix(S##3 x)                                                                   \
	{                                                                                                              \
		return (T##3)(convert_##T##2##suffix(x.xy), convert_##T##suffix(x.z));                                 \
	}                                                                                                              \
	OVERLOAD T##4 convert_##T##4##suffix(S##4 x)                                                                   \
	{                                                                                                              \
		return (T##4)(convert_##T##2##suffix(x.lo), convert_##T##2##suffix(x.hi));                             \
	}                                                                                                              \
	OVERLOAD T##8 convert_##T##8##suffix(S##8 x)                                                                   \
	{                                                                                                              \
		return (T##8)(convert_##T##4##suffix(x.lo), convert_##T##4##suffix(x.hi));                             \
	}                                                                                                              \
	OVERLOAD T##16 convert_##T##16##suffix(S##16 x)                                                                \
	{                                                                                                              \
		return (T##16)(convert_##T##8##suffix(x.lo), convert_##T##8##suffix(x.hi));                            \
	}

/* `wide` is the 64-bit type by way of which it goes. */
#define SATURATED(T, wide, least, greatest, S)                                                                         \
	ALL_WIDTHS(T, _sat, S, x != x ? 0 : (T)clamp(cvt_##wide(x), (wide)(least), (wide)(greatest)))                  \
	ALL_WIDTHS(T, _sat_rtz, S, x != x ? 0 : (T)clamp(cvt_rtz_##wide(x), (wide)(least), (wide)(greatest)))          \
	ALL_WIDTHS(T, _sat_rte, S, x != x ? 0 : (T)clamp(cvt_rte_##wide(x), (wide)(least), (wide)(greatest)))          \
	ALL_WIDTHS(T, _sat_rtp, S, x != x ? 0 : (T)clamp(cvt_rtp_##wide(x), (wide)(least), (wide)(greatest)))          \
	ALL_WIDTHS(T, _sat_rtn, S, x != x ? 0 : (T)clamp(cvt_rtn_##wide(x), (wide)(least), (wide)(greatest)))
SATURATED(char, long, CHAR_MIN, CHAR_MAX, double)
SATURATED(uchar, long, 0, UCHAR_MAX, double)
SATURATED(short, long, SHRT_MIN, SHRT_MAX, double)
SATURATED(ushort, long, 0, USHRT_MAX, double)
SATURATED(int, long, INT_MIN, INT_MAX, double)
SATURATED(uint, long, 0, UINT_MAX, double)
SATURATED(long, long, LONG_MIN, LONG_MAX, double)
SATURATED(ulong, ulong, 0, ULONG_MAX, double)
SATURATED(long, long, LONG_MIN, LONG_MAX, float)
SATURATED(ulong, ulong, 0, ULONG_MAX, float)

#define TO_FLOATING(T, to, c, S, from, d)                                                                              \
	CVT(T, from, S, _near, ".rn", to, c, d)                                                                        \
	CVT(T, from, S, _zero, ".rz", to, c, d)                                                                        \
	CVT(T, from, S, _up, ".rp", to, c, d)                                                                          \
	CVT(T, from, S, _down, ".rm", to, c, d)                                                                        \
	ALL_WIDTHS(T, _rte, S, cvt_near_##T(x))                                                                        \
	ALL_WIDTHS(T, _rtz, S, cvt_zero_##T(x))                                                                        \
	ALL_WIDTHS(T, _rtp, S, cvt_up_##T(x))                                                                          \
	ALL_WIDTHS(T, _rtn, S, cvt_down_##T(x))
TO_FLOATING(float, "f32", "f", int, "s32", "r")
TO_FLOATING(float, "f32", "f", uint, "u32", "r")
TO_FLOATING(float, "f32", "f", long, "s64", "l")
TO_FLOATING(float, "f32", "f", ulong, "u64", "l")
TO_FLOATING(float, "f32", "f", double, "f64", "d") /* libclc: a negative number became +0 */
TO_FLOATING(double, "f64", "d", long, "s64", "l")
TO_FLOATING(double, "f64", "d", ulong, "u64", "l")
