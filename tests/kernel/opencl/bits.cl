// Integer functions that libclc lacks: ctz, mad_hi, bit fields, bit_reverse, dot products of bytes; scalars and vectors.
// launch: --grid 1 --block 64 --arg buf:in_:u64:64:random=5 --arg buf:out:u64:896:zero --dump in_ --dump out
kernel void bits(global const ulong *in, global ulong *out)
{
	size_t t = get_global_id(0);
	ulong x = in[t];
	uint a = (uint)x, b = (uint)(x >> 32);
	global ulong *o = out + 14 * t;
	o[0] = ctz(a << (t & 31)) + 100 * ctz((uchar)(x & 0xf0)) + 10000 * ctz((short)0) + 1000000 * ctz(x & ~0xfffUL);
	o[1] = mad_hi(a, b, 5u) + ((ulong)(uint)mad_hi((int)a, (int)b, -7) << 32);
	o[2] = bit_reverse(x);
	o[3] = (ushort)bit_reverse((short)x);
	o[4] = bitfield_insert(a, b, 5, 11);
	o[5] = (ulong)bitfield_extract_signed(x, 13, 20);
	o[6] = bitfield_extract_unsigned((short)x, 3, 9);
	o[7] = bitfield_insert(x, 0UL, 0, 64) | bitfield_extract_unsigned(x, 7, 0);
	o[8] = dot_4x8packed_uu_uint(a, b);
	o[9] = (uint)dot_4x8packed_ss_int(a, b);
	o[10] = (uint)dot_4x8packed_su_int(a, b);
	o[11] = dot_acc_sat_4x8packed_uu_uint(a, b, 0xffff0000u);
	uint4 v = ctz((uint4)(1, 2, 0, a | 1u << 31));
	o[12] = v.x | v.y << 8 | v.z << 16 | v.w << 24;
	o[13] = as_ulong(bitfield_extract_signed((ushort4)(1, 2, 0x8000, 0xffff), 1, 15));
}
