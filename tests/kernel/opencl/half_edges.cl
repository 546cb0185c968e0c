// vstore_half and vstorea_half rounded up and down: numbers far below the least half number, between two subnormal ones, exact ones, and beyond the greatest.
// launch: --grid 1 --block 16 --arg buf:in_:f64:16:zero --arg buf:out:u16:208:zero --dump in_ --dump out
constant double values[16] = {-0x1.08p-95, 0x1.08p-95, -0x1p-149, 0x1p-149, -0x1.8p-25, 0x1.8p-25, -0x1.8p-24, 0x1.8p-24, 0x1p-24,
	-0x1.fffp-15, 65504, -65504, 0x1.ffdp15, -0x1.ffdp15, -1.00048828125, 1.00048828125};
kernel void half_edges(global double *in_, global half *out)
{
	int t = get_local_id(0);
	local ushort shared[16 * 4];
	ushort own[4];
	double x = in_[t] = values[t];
	vstore_half_rtp((float)x, t, out);
	vstore_half_rtn((float)x, t, out + 16);
	vstore_half_rtp(x, t, out + 32);
	vstore_half_rtn(x, t, out + 48);
	vstore_half2_rtp((float2)((float)x, (float)-x), t, out + 64);
	vstore_half3_rtn((double3)(x, -x, x), t, out + 96);
	vstorea_half3_rtn((float3)((float)x, (float)-x, (float)x), t, (local half *)shared);
	vstorea_half4_rtp((double4)(x, -x, x, -x), 0, (half *)own);
	global ushort *words = (global ushort *)out;
	words[144 + t] = shared[4 * t];
	words[160 + t] = shared[4 * t + 1];
	words[176 + t] = own[1];
	words[192 + t] = own[2];
}
