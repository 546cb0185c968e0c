// Async copies of vectors of three, plain and strided, both ways; vload_half and vstore_half in all roundings.
// launch: --grid 1 --block 16 --arg buf:in_:f32:160:random=3,-2000,2000 --arg buf:out:f32:160:zero --arg buf:halves:u16:96:zero --arg buf:back:f32:16:zero --dump in_ --dump out --dump halves --dump back
kernel void copies(global const float3 *in, global float3 *out, global half *halves, global float *back)
{
	local float3 room[40];
	int t = get_local_id(0);
	event_t e = async_work_group_copy(room, in, 20, 0);
	e = async_work_group_strided_copy(room + 20, in, 20, 2, e);
	wait_group_events(1, &e);
	e = async_work_group_copy(out, room + 20, 20, 0);
	wait_group_events(1, &e);
	e = async_work_group_strided_copy(out + 20, room, 10, 2, 0);
	wait_group_events(1, &e);
	prefetch(in, 4);
	float x = in[t].x;
	vstore_half(x, t, halves);
	vstore_half_rte(x, t + 16, halves);
	vstore_half_rtz(x, t + 32, halves);
	vstore_half_rtp(x, t + 48, halves);
	vstore_half_rtn(x, t + 64, halves);
	vstore_half_rte((double)x * 1e-7, t + 80, halves);
	back[t] = vload_half(t, halves);
}
