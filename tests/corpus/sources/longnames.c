struct a_rather_long_structure_name_number_0 { int member_with_a_long_name_0; struct a_rather_long_structure_name_number_1 *pointer_to_the_next_0; } variable_0;
struct a_rather_long_structure_name_number_1 { int member_with_a_long_name_1; struct a_rather_long_structure_name_number_2 *pointer_to_the_next_1; } variable_1;
struct a_rather_long_structure_name_number_2 { int member_with_a_long_name_2; struct a_rather_long_structure_name_number_3 *pointer_to_the_next_2; } variable_2;
struct a_rather_long_structure_name_number_3 { int member_with_a_long_name_3; struct a_rather_long_structure_name_number_4 *pointer_to_the_next_3; } variable_3;
struct a_rather_long_structure_name_number_4 { int member_with_a_long_name_4; struct a_rather_long_structure_name_number_5 *pointer_to_the_next_4; } variable_4;
struct a_rather_long_structure_name_number_5 { int member_with_a_long_name_5; struct a_rather_long_structure_name_number_6 *pointer_to_the_next_5; } variable_5;
struct a_rather_long_structure_name_number_6 { int member_with_a_long_name_6; struct a_rather_long_structure_name_number_7 *pointer_to_the_next_6; } variable_6;
struct a_rather_long_structure_name_number_7 { int member_with_a_long_name_7; struct a_rather_long_structure_name_number_8 *pointer_to_the_next_7; } variable_7;
struct a_rather_long_structure_name_number_8 { int member_with_a_long_name_8; struct a_rather_long_structure_name_number_9 *pointer_to_the_next_8; } variable_8;
struct a_rather_long_structure_name_number_9 { int member_with_a_long_name_9; struct a_rather_long_structure_name_number_10 *pointer_to_the_next_9; } variable_9;
struct a_rather_long_structure_name_number_10 { int member_with_a_long_name_10; struct a_rather_long_structure_name_number_11 *pointer_to_the_next_10; } variable_10;
struct a_rather_long_structure_name_number_11 { int member_with_a_long_name_11; struct a_rather_long_structure_name_number_0 *pointer_to_the_next_11; } variable_11;
int use_them(struct a_rather_long_structure_name_number_3 *p) { return p->member_with_a_long_name_3; }
