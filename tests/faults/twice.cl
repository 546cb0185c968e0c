kernel void twice(global uint *data)
{
	data[get_global_id(0)] *= 2;
}
