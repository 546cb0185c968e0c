/* Integer functions that libclc lacks: ctz, mad_hi, cl_khr_extended_bit_ops, cl_khr_integer_dot_product. */

INLINE uint bits_of(uint bytes)
{
	return bytes * 8;
}

#define ONE_SCALAR(T, U)                                                                                               \
	OVERLOAD T ctz(T x)                                                                                            \
	{                                                                                                              \
		U u = (U)x;                                                                                            \
		return (T)(bits_of(sizeof(T)) - (u ? (uint)clz((U)(u & (U)-u)) + 1 : 0));                              \
	}                                                                                                              \
	OVERLOAD T mad_hi(T a, T b, T c)                                                                               \
	{                                                                                                              \
		return (T)((U)mul_hi(a, b) + (U)c);                                                                    \
	}                                                                                                              \
	OVERLOAD T bit_reverse(T x)                                                                                    \
	{                                                                                                              \
		ulong r;                                                                                               \
		__asm__("brev.b64 %0, %1;" : "=l"(r) : "l"((ulong)(U)x));                                              \
		return (T)(r >> (64 - bits_of(sizeof(T))));                                                            \
	}                                                                                                              \
	OVERLOAD T bitfield_insert(T base, T insert, uint offset, uint count)                                          \
	{                                                                                                              \
		ulong mask = (count >= 64 ? ~0ul : (1ul << count) - 1) << (offset & 63);                               \
		return (T)(((ulong)(U)base & ~mask) | (((ulong)(U)insert << (offset & 63)) & mask));                   \
	}                                                                                                              \
	OVERLOAD U bitfield_extract_unsigned(T x, uint offset, uint count)                                             \
	{                                                                                                              \
		return (U)(count ? ((ulong)(U)x << ((64 - offset - count) & 63)) >> ((64 - count) & 63) : 0);          \
	}
ONE_SCALAR(char, uchar)
ONE_SCALAR(uchar, uchar)
ONE_SCALAR(short, ushort)
ONE_SCALAR(ushort, ushort)
ONE_SCALAR(int, uint)
ONE_SCALAR(uint, uint)
ONE_SCALAR(long, ulong)
ONE_SCALAR(ulong, ulong)

#define EXTRACT_SIGNED(T, S, U)                                                                                        \
	OVERLOAD S bitfield_extract_signed(T x, uint offset, uint count)                                               \
	{                                                                                                              \
		return (S)(count ? ((long)((ulong)(U)x << ((64 - offset - count) & 63))) >> ((64 - count) & 63) : 0);  \
	}
EXTRACT_SIGNED(char, char, uchar)
EXTRACT_SIGNED(uchar, char, uchar)
EXTRACT_SIGNED(short, short, ushort)
EXTRACT_SIGNED(ushort, short, ushort)
EXTRACT_SIGNED(int, int, uint)
EXTRACT_SIGNED(uint, int, uint)
EXTRACT_SIGNED(long, long, ulong)
EXTRACT_SIGNED(ulong, long, ulong)

/* Vectors: element by element. */
#define EACH_2(f) f(0), f(1)
#define EACH_3(f) EACH_2(f), f(2)
#define EACH_4(f) EACH_3(f), f(3)
#define EACH_8(f) EACH_4(f), f(4), f(5), f(6), f(7)
#define EACH_16(f) EACH_8(f), f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15)
#define CTZ(k) ctz(x[k])
#define MAD_HI(k) mad_hi(a[k], b[k], c[k])
#define REVERSE(k) bit_reverse(x[k])
#define INSERT(k) bitfield_insert(base[k], insert[k], offset, count)
#define UNSIGNED(k) bitfield_extract_unsigned(x[k], offset, count)
#define SIGNED(k) bitfield_extract_signed(x[k], offset, count)
#define ONE_VECTOR(T, S, U, n)                                                                                         \
	OVERLOAD T##n ctz(T##n x)                                                                                      \
	{                                                                                                              \
		return (T##n)(EACH_##n(CTZ));                                                                          \
	}                                                                                                              \
	OVERLOAD T##n mad_hi(T##n a, T##n b, T##n c)                                                                   \
	{                                                                                                              \
		return (T##n)(EACH_##n(MAD_HI));                                                                       \
	}                                                                                                              \
	OVERLOAD T##n bit_reverse(T##n x)                                                                              \
	{                                                                                                              \
		return (T##n)(EACH_##n(REVERSE));                                                                      \
	}                                                                                                              \
	OVERLOAD T##n bitfield_insert(T##n base, T##n insert, uint offset, uint count)                                 \
	{                                                                                                              \
		return (T##n)(EACH_##n(INSERT));                                                                       \
	}                                                                                                              \
	OVERLOAD U##n bitfield_extract_unsigned(T##n x, uint offset, uint count)                                       \
	{                                                                                                              \
		return (U##n)(EACH_##n(UNSIGNED));                                                                     \
	}                                                                                                              \
	OVERLOAD S##n bitfield_extract_signed(T##n x, uint offset, uint count)                                         \
	{                                                                                                              \
		return (S##n)(EACH_##n(SIGNED));                                                                       \
	}
#define VECTORS(T, S, U)                                                                                               \
	ONE_VECTOR(T, S, U, 2)                                                                                         \
	ONE_VECTOR(T, S, U, 3)                                                                                         \
	ONE_VECTOR(T, S, U, 4)                                                                                         \
	ONE_VECTOR(T, S, U, 8)                                                                                         \
	ONE_VECTOR(T, S, U, 16)
VECTORS(char, char, uchar)
VECTORS(uchar, char, uchar)
VECTORS(short, short, ushort)
VECTORS(ushort, short, ushort)
VECTORS(int, int, uint)
VECTORS(uint, int, uint)
VECTORS(long, long, ulong)
VECTORS(ulong, long, ulong)

/* --- Dot products of four bytes --- */

#define DOT(R, A, B)                                                                                                   \
	OVERLOAD R dot(A a, B b)                                                                                       \
	{                                                                                                              \
		return (R)a.x * (R)b.x + (R)a.y * (R)b.y + (R)a.z * (R)b.z + (R)a.w * (R)b.w;                          \
	}                                                                                                              \
	OVERLOAD R dot_acc_sat(A a, B b, R c)                                                                          \
	{                                                                                                              \
		return add_sat(dot(a, b), c);                                                                          \
	}
DOT(uint, uchar4, uchar4)
DOT(int, char4, char4)
DOT(int, uchar4, char4)
DOT(int, char4, uchar4)

#define PACKED(R, name, A, B)                                                                                          \
	OVERLOAD R dot_4x8packed_##name(uint a, uint b)                                                                \
	{                                                                                                              \
		return dot(as_##A(a), as_##B(b));                                                                      \
	}                                                                                                              \
	OVERLOAD R dot_acc_sat_4x8packed_##name(uint a, uint b, R c)                                                   \
	{                                                                                                              \
		return dot_acc_sat(as_##A(a), as_##B(b), c);                                                           \
	}
PACKED(uint, uu_uint, uchar4, uchar4)
PACKED(int, ss_int, char4, char4)
PACKED(int, su_int, char4, uchar4)
PACKED(int, us_int, uchar4, char4)

/* --- Wrong in libclc --- */

OVERLOAD long mad_sat(long a, long b, long c)
{
	ulong low = (ulong)a * (ulong)b, sum = low + (ulong)c;
	long high = mul_hi(a, b) + (c < 0 ? -1 : 0) + (sum < low);
	if (high == (long)sum >> 63)
		return (long)sum;
	return high < 0 ? LONG_MIN : LONG_MAX;
}

#define MAD_SAT(k) mad_sat(a[k], b[k], c[k])
#define MAD_SAT_VECTOR(n)                                                                                              \
	OVERLOAD long##n mad_sat(long##n a, long##n b, long##n c)                                                      \
	{                                                                                                              \
		return (long##n)(EACH_##n(MAD_SAT));                                                                   \
	}
MAD_SAT_VECTOR(2)
MAD_SAT_VECTOR(3)
MAD_SAT_VECTOR(4)
MAD_SAT_VECTOR(8)
MAD_SAT_VECTOR(16)
