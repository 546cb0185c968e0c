/* fmod, remainder and remquo of float: libclc's take subnormal numbers for 0. */

/* A finite magnitude but 0: the leading bit of `significand` is bit 23, its unit is 2 to the power of exponent - 150. */
struct magnitude {
	uint significand;
	int exponent;
};

INLINE struct magnitude magnitude_of(float x)
{
	uint bits = as_uint(x) & 0x7fffffff, significand = bits & 0x7fffff;
	int exponent = bits >> 23, up = exponent ? 0 : clz(significand) - 8;
	return (struct magnitude){exponent ? significand | 0x800000 : significand << up, exponent ? exponent : 1 - up};
}

/* Of x by y, which has a remainder; with `nearest` the multiple of y is the one nearest to x, the even one of two.  Bit by bit: exact. */
INLINE float divide_whole(float x, float y, bool nearest, uint *quotient)
{
	struct magnitude a = magnitude_of(x), b = magnitude_of(y);
	uint left = a.significand;
	*quotient = 0;
	if (a.exponent < b.exponent - (nearest ? 1 : 0))
		return x;
	if (a.exponent < b.exponent) { /* x may be more than half of y */
		b.significand <<= 1;
		b.exponent--;
	}
	for (int k = a.exponent - b.exponent;; k--) {
		bool fits = left >= b.significand;
		left -= fits ? b.significand : 0;
		*quotient = *quotient << 1 | fits;
		if (k == 0)
			break;
		left <<= 1;
	}
	int rest = (int)left;
	if (nearest && (2 * left > b.significand || (2 * left == b.significand && (*quotient & 1)))) {
		rest -= (int)b.significand;
		*quotient += 1;
	}
	/* Exact in both steps: the result is a float. */
	int first = (b.exponent - 150) >> 1, second = b.exponent - 150 - first;
	float size = (float)rest * as_float((uint)(first + 127) << 23) * as_float((uint)(second + 127) << 23);
	return rest ? as_float(as_uint(size) ^ (as_uint(x) & 0x80000000)) : copysign(0.0f, x);
}

INLINE float divide_any(float x, float y, bool nearest, int *quotient)
{
	uint count = 0;
	float left = isnan(x) || isnan(y) || isinf(x) || y == 0 ? NAN
		     : isinf(y) || x == 0                       ? x
								: divide_whole(x, y, nearest, &count);
	/* Seven bits, with the sign of x / y; more are not asked for. */
	*quotient = (as_int(x) ^ as_int(y)) < 0 ? -(int)(count & 127) : (int)(count & 127);
	return left;
}

INLINE float remquo_of(float x, float y, int *quotient)
{
	return divide_any(x, y, true, quotient);
}

INLINE float remainder_of(float x, float y)
{
	int quotient;
	return divide_any(x, y, true, &quotient);
}

INLINE float fmod_of(float x, float y)
{
	int quotient;
	return divide_any(x, y, false, &quotient);
}

#define OF_VECTOR(name, n)                                                                                             \
	OVERLOAD float##n name(float##n x, float##n y)                                                                 \
	{                                                                                                              \
		float##n r;                                                                                            \
		_Pragma("unroll") for (int k = 0; k < n; k++) r[k] = name##_of(x[k], y[k]);                            \
		return r;                                                                                              \
	}
#define OF_ALL(name)                                                                                                   \
	OVERLOAD float name(float x, float y)                                                                          \
	{                                                                                                              \
		return name##_of(x, y);                                                                                \
	}                                                                                                              \
	OF_VECTOR(name, 2)                                                                                             \
	OF_VECTOR(name, 3)                                                                                             \
	OF_VECTOR(name, 4)                                                                                             \
	OF_VECTOR(name, 8)                                                                                             \
	OF_VECTOR(name, 16)
OF_ALL(fmod)
OF_ALL(remainder)

#define REMQUO_VECTOR(space, n)                                                                                        \
	OVERLOAD float##n remquo(float##n x, float##n y, space int##n *quotients)                                      \
	{                                                                                                              \
		float##n r;                                                                                            \
		int##n all;                                                                                            \
		_Pragma("unroll") for (int k = 0; k < n; k++)                                                          \
		{                                                                                                      \
			int quotient;                                                                                  \
			r[k] = remquo_of(x[k], y[k], &quotient);                                                       \
			all[k] = quotient;                                                                             \
		}                                                                                                      \
		*quotients = all;                                                                                      \
		return r;                                                                                              \
	}
#define REMQUO(space)                                                                                                  \
	OVERLOAD float remquo(float x, float y, space int *quotient)                                                   \
	{                                                                                                              \
		int q;                                                                                                 \
		float r = remquo_of(x, y, &q);                                                                         \
		*quotient = q;                                                                                         \
		return r;                                                                                              \
	}                                                                                                              \
	REMQUO_VECTOR(space, 2)                                                                                        \
	REMQUO_VECTOR(space, 3)                                                                                        \
	REMQUO_VECTOR(space, 4)                                                                                        \
	REMQUO_VECTOR(space, 8)                                                                                        \
	REMQUO_VECTOR(space, 16)
REMQUO(global)
REMQUO(local)
REMQUO(generic) /* private, too */
