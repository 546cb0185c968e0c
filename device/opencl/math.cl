/* Mathematical functions that libclc lacks, or has as intrinsics that the PTX back end cannot make.
 *
 * native_ and half_ functions are PTX's approximate instructions.  A vector is done element by element. */

#define LOG2_E 0x1.715476p+0f
#define LN_2 0x1.62e43p-1f
#define LOG10_2 0x1.344136p-2f
#define LOG2_10 0x1.a934f0p+1f

INLINE float ex2(float x)
{
	float r;
	__asm__("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}

INLINE float lg2(float x)
{
	float r;
	__asm__("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}

INLINE float sine(float x)
{
	float r;
	__asm__("sin.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}

INLINE float cosine(float x)
{
	float r;
	__asm__("cos.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}

INLINE float divide(float x, float y)
{
	float r;
	__asm__("div.full.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
	return r;
}

INLINE float reciprocal(float x)
{
	float r;
	__asm__("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}

INLINE float root(float x)
{
	float r;
	__asm__("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}

INLINE float inverse_root(float x)
{
	float r;
	__asm__("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}

#define UNARY_VECTOR(name, n, ...)                                                                                     \
	OVERLOAD float##n name(float##n x)                                                                             \
	{                                                                                                              \
		return (float##n)(__VA_ARGS__);                                                                        \
	}
#define UNARY(name, expression)                                                                                        \
	OVERLOAD float name(float x)                                                                                   \
	{                                                                                                              \
		return expression;                                                                                     \
	}                                                                                                              \
	UNARY_VECTOR(name, 2, name(x.x), name(x.y))                                                                    \
	UNARY_VECTOR(name, 3, name(x.x), name(x.y), name(x.z))                                                         \
	UNARY_VECTOR(name, 4, name(x.lo), name(x.hi))                                                                  \
	UNARY_VECTOR(name, 8, name(x.lo), name(x.hi))                                                                  \
	UNARY_VECTOR(name, 16, name(x.lo), name(x.hi))
#define BINARY_VECTOR(name, n, ...)                                                                                    \
	OVERLOAD float##n name(float##n x, float##n y)                                                                 \
	{                                                                                                              \
		return (float##n)(__VA_ARGS__);                                                                        \
	}
#define BINARY(name, expression)                                                                                       \
	OVERLOAD float name(float x, float y)                                                                          \
	{                                                                                                              \
		return expression;                                                                                     \
	}                                                                                                              \
	BINARY_VECTOR(name, 2, name(x.x, y.x), name(x.y, y.y))                                                         \
	BINARY_VECTOR(name, 3, name(x.x, y.x), name(x.y, y.y), name(x.z, y.z))                                         \
	BINARY_VECTOR(name, 4, name(x.lo, y.lo), name(x.hi, y.hi))                                                     \
	BINARY_VECTOR(name, 8, name(x.lo, y.lo), name(x.hi, y.hi))                                                     \
	BINARY_VECTOR(name, 16, name(x.lo, y.lo), name(x.hi, y.hi))

UNARY(native_cos, cosine(x))
UNARY(native_exp, ex2(x *LOG2_E))
UNARY(native_exp2, ex2(x))
UNARY(native_exp10, ex2(x *LOG2_10))
UNARY(native_log, lg2(x) * LN_2)
UNARY(native_log2, lg2(x))
UNARY(native_log10, lg2(x) * LOG10_2)
UNARY(native_recip, reciprocal(x))
UNARY(native_rsqrt, inverse_root(x))
UNARY(native_sin, sine(x))
UNARY(native_sqrt, root(x))
UNARY(native_tan, divide(sine(x), cosine(x)))
BINARY(native_divide, divide(x, y))
BINARY(native_powr, ex2(y *lg2(x)))

/* half_ functions may be 8192 ulp off, but over the whole range (of sin, cos and tan: up to 2^16): only the exact ones will do. */
UNARY(half_cos, cos(x))
UNARY(half_exp, exp(x))
UNARY(half_exp2, exp2(x))
UNARY(half_exp10, exp10(x))
UNARY(half_log, log(x))
UNARY(half_log2, log2(x))
UNARY(half_log10, log10(x))
UNARY(half_recip, reciprocal(x))
UNARY(half_rsqrt, inverse_root(x))
UNARY(half_sin, sin(x))
UNARY(half_sqrt, root(x))
UNARY(half_tan, tan(x))
BINARY(half_divide, divide(x, y))
BINARY(half_powr, powr(x, y))

#define SMOOTHSTEP(n)                                                                                                  \
	OVERLOAD double##n smoothstep(double low, double high, double##n x)                                            \
	{                                                                                                              \
		double##n t = clamp((x - low) / (high - low), 0.0, 1.0);                                               \
		return t * t * (3.0 - 2.0 * t);                                                                        \
	}
SMOOTHSTEP(2)
SMOOTHSTEP(3)
SMOOTHSTEP(4)
SMOOTHSTEP(8)
SMOOTHSTEP(16)
