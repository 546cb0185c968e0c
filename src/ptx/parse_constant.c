/* Constant expressions: C's operators on 64-bit integers, and on doubles where C has them. */
#include "ptx/parser.h"

#include <string.h>

static struct constant integer(uint64_t bits, bool is_unsigned)
{
	return (struct constant){CONSTANT_INTEGER, is_unsigned, bits};
}

static struct constant from_double(double value)
{
	struct constant result = {.kind = CONSTANT_FLOAT64};

	memcpy(&result.bits, &value, sizeof value);
	return result;
}

double constant_to_double(struct constant value)
{
	double wide;
	float narrow;
	uint32_t low = (uint32_t)value.bits;

	if (value.kind == CONSTANT_INTEGER)
		return value.is_unsigned ? (double)value.bits : (double)(int64_t)value.bits;
	memcpy(&narrow, &low, sizeof narrow);
	memcpy(&wide, &value.bits, sizeof wide);
	return value.kind == CONSTANT_FLOAT32 ? (double)narrow : wide;
}

static bool is_true(struct constant value)
{
	return value.kind == CONSTANT_INTEGER ? value.bits != 0 : constant_to_double(value) != 0;
}

/* ---- binary operators ---- */

static int precedence(const struct token *token)
{
	switch (token->punctuation) {
	case '*':
	case '/':
	case '%': return 10;
	case '+':
	case '-': return 9;
	case PAIR('<', '<'):
	case PAIR('>', '>'): return 8;
	case '<':
	case '>':
	case PAIR('<', '='):
	case PAIR('>', '='): return 7;
	case PAIR('=', '='):
	case PAIR('!', '='): return 6;
	case '&': return 5;
	case '^': return 4;
	case '|': return 3;
	case PAIR('&', '&'): return 2;
	case PAIR('|', '|'): return 1;
	default: return 0;
	}
}

static struct constant float_operation(struct parser *p, const struct token *operator, double a, double b)
{
	switch (operator->punctuation) {
	case '*': return from_double(a * b);
	case '/': return from_double(a / b);
	case '+': return from_double(a + b);
	case '-': return from_double(a - b);
	case '<': return integer(a < b, false);
	case '>': return integer(a > b, false);
	case PAIR('<', '='): return integer(a <= b, false);
	case PAIR('>', '='): return integer(a >= b, false);
	case PAIR('=', '='): return integer(a == b, false);
	case PAIR('!', '='): return integer(a != b, false);
	default:
		parse_error(p, operator, "'%.*s' does not take floating-point constants", TOKEN_TEXT(operator));
		return integer(0, false);
	}
}

/* Division and remainder in 64 bits; the one overflow wraps. */
static struct constant divide(struct parser *p, const struct token *operator, uint64_t a, uint64_t b, bool is_unsigned)
{
	bool remainder = operator->punctuation == '%';

	if (!b) {
		parse_error(p, operator, "division by zero in a constant expression");
		return integer(0, false);
	}
	if (is_unsigned)
		return integer(remainder ? a % b : a / b, true);
	if (b == UINT64_MAX)
		return integer(remainder ? 0 : 0 - a, false);
	return integer((uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b), false);
}

static bool less(uint64_t a, uint64_t b, bool is_unsigned)
{
	return is_unsigned ? a < b : (int64_t)a < (int64_t)b;
}

static uint64_t shift_right(struct constant value, uint64_t by)
{
	if (value.is_unsigned || !(value.bits >> 63))
		return by > 63 ? 0 : value.bits >> by;
	return by > 63 ? UINT64_MAX : ~(~value.bits >> by);
}

static struct constant integer_operation(
	struct parser *p, const struct token *operator, struct constant x, struct constant y)
{
	uint64_t a = x.bits, b = y.bits;
	bool is_unsigned = x.is_unsigned || y.is_unsigned;

	switch (operator->punctuation) {
	case '*': return integer(a * b, is_unsigned);
	case '/':
	case '%': return divide(p, operator, a, b, is_unsigned);
	case '+': return integer(a + b, is_unsigned);
	case '-': return integer(a - b, is_unsigned);
	case PAIR('<', '<'): return integer(b > 63 ? 0 : a << b, x.is_unsigned);
	case PAIR('>', '>'): return integer(shift_right(x, b), x.is_unsigned);
	case '<': return integer(less(a, b, is_unsigned), false);
	case '>': return integer(less(b, a, is_unsigned), false);
	case PAIR('<', '='): return integer(!less(b, a, is_unsigned), false);
	case PAIR('>', '='): return integer(!less(a, b, is_unsigned), false);
	case PAIR('=', '='): return integer(a == b, false);
	case PAIR('!', '='): return integer(a != b, false);
	case '&': return integer(a & b, is_unsigned);
	case '^': return integer(a ^ b, is_unsigned);
	default: return integer(a | b, is_unsigned);
	}
}

static struct constant operate(struct parser *p, const struct token *operator, struct constant a, struct constant b)
{
	if (operator->punctuation == PAIR('&', '&'))
		return integer(is_true(a) && is_true(b), false);
	if (operator->punctuation == PAIR('|', '|'))
		return integer(is_true(a) || is_true(b), false);
	if (a.kind != CONSTANT_INTEGER || b.kind != CONSTANT_INTEGER)
		return float_operation(p, operator, constant_to_double(a), constant_to_double(b));
	return integer_operation(p, operator, a, b);
}

/* ---- unary and primary ---- */

static struct constant conditional(struct parser *p);

/* primary = integer | float | "(" conditional ")" */
static struct constant primary(struct parser *p)
{
	struct token token = p->token;
	struct constant value = integer(token.bits, token.is_unsigned);

	if (token.kind == TOKEN_INTEGER) {
		parse_next(p);
	} else if (token.kind == TOKEN_FLOAT) {
		value.kind = token.is_float32 ? CONSTANT_FLOAT32 : CONSTANT_FLOAT64;
		parse_next(p);
	} else if (parse_accept(p, '(')) {
		value = conditional(p);
		parse_expect(p, ')', "to close the expression");
	} else if (token_is_name(&token, "WARP_SZ")) {
		parse_error(p, &token, "WARP_SZ must stand alone: its value depends on the GPU");
	} else {
		parse_expected(p, "a constant");
	}
	return value;
}

static struct constant negate(struct constant value)
{
	if (value.kind == CONSTANT_INTEGER)
		value.bits = 0 - value.bits, value.is_unsigned &= value.bits != 1ull << 63;
	else
		value.bits ^= value.kind == CONSTANT_FLOAT32 ? 1ull << 31 : 1ull << 63;
	return value;
}

/* cast = "(" (".s64" | ".u64") ")" unary */
static struct constant unary(struct parser *p);
static bool cast(struct parser *p, struct constant *value)
{
	struct token word = parse_peek(p);
	bool is_unsigned = token_is_word(&word, "u64");

	if (!token_is(&p->token, '(') || !(is_unsigned || token_is_word(&word, "s64")))
		return false;
	parse_next(p);
	parse_next(p);
	parse_expect(p, ')', "to close the cast");
	*value = unary(p);
	if (value->kind != CONSTANT_INTEGER)
		parse_error(p, &word, "a cast does not take a floating-point constant");
	value->is_unsigned = is_unsigned;
	return true;
}

/* unary = ("-" | "+" | "!" | "~") unary | cast | primary */
static struct constant unary(struct parser *p)
{
	struct token operator= p->token;
	struct constant value = integer(0, false);

	if (++p->nesting > MAX_NESTING) {
		parse_error(p, &operator, "the expression is nested more than %d deep", MAX_NESTING);
	} else if (parse_accept(p, '-')) {
		value = negate(unary(p));
	} else if (parse_accept(p, '+')) {
		value = unary(p);
	} else if (parse_accept(p, '!')) {
		value = integer(!is_true(unary(p)), false);
	} else if (parse_accept(p, '~')) {
		value = unary(p);
		if (value.kind != CONSTANT_INTEGER)
			parse_error(p, &operator, "'~' does not take a floating-point constant");
		value.bits = ~value.bits;
	} else if (!cast(p, &value)) {
		value = primary(p);
	}
	p->nesting--;
	return value;
}

/* binary(n) = unary (operator of precedence above n, binary(its precedence))* */
static struct constant binary(struct parser *p, int above)
{
	struct constant left = unary(p);

	while (precedence(&p->token) > above) {
		struct token operator= p->token;
		parse_next(p);
		left = operate(p, &operator, left, binary(p, precedence(&operator)));
	}
	return left;
}

/* conditional = binary ("?" conditional ":" conditional)? */
static struct constant conditional(struct parser *p)
{
	struct constant condition, yes, no;

	if (++p->nesting > MAX_NESTING) {
		parse_error(p, &p->token, "the expression is nested more than %d deep", MAX_NESTING);
		p->nesting--;
		return integer(0, false);
	}
	condition = binary(p, 0);
	if (parse_accept(p, '?')) {
		yes = conditional(p);
		parse_expect(p, ':', "between the choices of '?'");
		no = conditional(p);
		condition = is_true(condition) ? yes : no;
	}
	p->nesting--;
	return condition;
}

struct constant parse_constant(struct parser *p)
{
	return conditional(p);
}

uint64_t parse_integer(struct parser *p, const char *what, uint64_t maximum)
{
	struct token first = p->token;

	if (first.kind != TOKEN_INTEGER && first.kind != TOKEN_FLOAT && !token_is(&first, '(') &&
		!token_is(&first, '-') && !token_is(&first, '~') && !token_is(&first, '!') && !token_is(&first, '+')) {
		parse_expected(p, what);
		return 0;
	}
	struct constant value = parse_constant(p);
	if (parse_failed(p))
		return 0;
	if (value.kind != CONSTANT_INTEGER)
		parse_error(p, &first, "expected %s, found a floating-point constant", what);
	else if (!value.is_unsigned && value.bits >> 63)
		parse_error(p, &first, "expected %s, found %lld", what, (long long)value.bits);
	else if (value.bits > maximum)
		parse_error(p, &first, "expected %s up to %llu, found %llu", what, (unsigned long long)maximum,
			(unsigned long long)value.bits);
	return value.bits > maximum ? 0 : value.bits;
}
