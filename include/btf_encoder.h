/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _BTF_ENCODER_H_
#define _BTF_ENCODER_H_ 1

/* btf_encoder__*, all declared with the structures. */

#include "dwarves_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Not in the C library: a context around encoding, which deletes the encoders that are left when it ends, and an encoder's BTF as an
 * object of the process's libbpf.
 */
int btf_encoding_context__init(void);
void btf_encoding_context__exit(void);
int btf_encoder__pre_load_module(Dwfl_Module *mod, Elf *elf);
struct btf *btf_encoder__btf(struct btf_encoder *encoder);

#ifdef __cplusplus
}
#endif

#endif
