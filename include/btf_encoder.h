/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _BTF_ENCODER_H_
#define _BTF_ENCODER_H_ 1

/* btf_encoder__*, all declared with the structures. */

#include "dwarves_types.h"

#endif
