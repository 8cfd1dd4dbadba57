	.section .note.Linux,"a",@note
	.balign 4
	.long 6, 4, 0x101
	.string "Linux"
	.balign 4
	.long 0
	.section .note.GNU-stack,"",@progbits
