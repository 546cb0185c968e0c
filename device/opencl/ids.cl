/* Work-item functions.  What a launch is told beside grid and block comes in %envreg: src/compile/envreg.h has the table. */

INLINE size_t wide(uint low, uint high)
{
	return (size_t)low | (size_t)high << 32;
}

OVERLOAD uint get_work_dim(void)
{
	uint given = SPECIAL("envreg0");
	uint y = SPECIAL("nctaid.y") * SPECIAL("ntid.y"), z = SPECIAL("nctaid.z") * SPECIAL("ntid.z");
	return given ? given : z > 1 ? 3 : y > 1 ? 2 : 1;
}

OVERLOAD size_t get_local_id(uint d)
{
	return BY_DIMENSION(d, SPECIAL("tid.x"), SPECIAL("tid.y"), SPECIAL("tid.z"), 0);
}

OVERLOAD size_t get_local_size(uint d)
{
	return BY_DIMENSION(d, SPECIAL("ntid.x"), SPECIAL("ntid.y"), SPECIAL("ntid.z"), 1);
}

OVERLOAD size_t get_enqueued_local_size(uint d)
{
	uint given = BY_DIMENSION(d, SPECIAL("envreg7"), SPECIAL("envreg8"), SPECIAL("envreg9"), 1);
	return given ? given : get_local_size(d);
}

OVERLOAD size_t get_group_id(uint d)
{
	return BY_DIMENSION(d, SPECIAL("ctaid.x") + SPECIAL("envreg16"), SPECIAL("ctaid.y") + SPECIAL("envreg17"),
		SPECIAL("ctaid.z") + SPECIAL("envreg18"), 0);
}

OVERLOAD size_t get_num_groups(uint d)
{
	uint given = BY_DIMENSION(d, SPECIAL("envreg25"), SPECIAL("envreg26"), SPECIAL("envreg27"), 1);
	return given ? given : BY_DIMENSION(d, SPECIAL("nctaid.x"), SPECIAL("nctaid.y"), SPECIAL("nctaid.z"), 1);
}

OVERLOAD size_t get_global_offset(uint d)
{
	return BY_DIMENSION(d, wide(SPECIAL("envreg1"), SPECIAL("envreg4")),
		wide(SPECIAL("envreg2"), SPECIAL("envreg5")), wide(SPECIAL("envreg3"), SPECIAL("envreg6")), 0);
}

INLINE size_t global_start(uint d)
{
	return BY_DIMENSION(d, wide(SPECIAL("envreg19"), SPECIAL("envreg22")),
		wide(SPECIAL("envreg20"), SPECIAL("envreg23")), wide(SPECIAL("envreg21"), SPECIAL("envreg24")), 0);
}

INLINE uint id_in_launch(uint d)
{
	return BY_DIMENSION(d, SPECIAL("ctaid.x") * SPECIAL("ntid.x") + SPECIAL("tid.x"),
		SPECIAL("ctaid.y") * SPECIAL("ntid.y") + SPECIAL("tid.y"),
		SPECIAL("ctaid.z") * SPECIAL("ntid.z") + SPECIAL("tid.z"), 0);
}

OVERLOAD size_t get_global_id(uint d)
{
	return global_start(d) + id_in_launch(d);
}

OVERLOAD size_t get_global_size(uint d)
{
	size_t given = BY_DIMENSION(d, wide(SPECIAL("envreg10"), SPECIAL("envreg13")),
		wide(SPECIAL("envreg11"), SPECIAL("envreg14")), wide(SPECIAL("envreg12"), SPECIAL("envreg15")), 1);
	uint grid = BY_DIMENSION(d, SPECIAL("nctaid.x"), SPECIAL("nctaid.y"), SPECIAL("nctaid.z"), 1);
	return given ? given : grid * get_local_size(d);
}

OVERLOAD size_t get_local_linear_id(void)
{
	return linear_thread();
}

OVERLOAD size_t get_global_linear_id(void)
{
	size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
	size_t z = get_global_id(2) - get_global_offset(2);
	return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

/* --- Sub-groups: 32 neighbours by local linear id --- */

OVERLOAD uint get_sub_group_id(void)
{
	return linear_thread() / 32;
}

OVERLOAD uint get_sub_group_local_id(void)
{
	return linear_thread() % 32;
}

OVERLOAD uint get_max_sub_group_size(void)
{
	uint n = thread_count();
	return n < 32 ? n : 32;
}

OVERLOAD uint get_sub_group_size(void)
{
	uint left = thread_count() - (linear_thread() & ~31u);
	return left < 32 ? left : 32;
}

OVERLOAD uint get_num_sub_groups(void)
{
	return (thread_count() + 31) / 32;
}

OVERLOAD uint get_enqueued_num_sub_groups(void)
{
	return (uint)(get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2) + 31) / 32;
}
