define dso_local spir_kernel void @k(i32 addrspace(1)* %0, <4 x float> %1) !kernel_arg_addr_space !3 !kernel_arg_access_qual !4 !kernel_arg_type !5 !kernel_arg_type_qual !6 !vec_type_hint !7 !reqd_work_group_size !8 {
  %3 = tail call i32 (i8 addrspace(4)*, ...) @printf(i8 addrspace(4)* noundef getelementptr ([4 x i8], [4 x i8] addrspace(4)* @.str, i64 0, i64 0), i32 noundef 5, <4 x float> noundef %1, i8 addrspace(4)* align 1 @.str), !dbg !9
  ret void
}
declare i32 @printf(i8 addrspace(4)*, ...)
!3 = !{i32 1, i32 0}
!4 = !{!"none", !"none"}
!5 = !{!"int*", !"float4"}
!6 = !{!"const", !""}
!7 = !{<4 x float> undef, i32 0}
!8 = !{i32 8, i32 4, i32 1}
