/* SPDX-License-Identifier: GPL-2.0-only */
/* Ends what dwarves_prelude.h began. The objects are declared here, since cbindgen would not give them their C types. */
#ifdef __cplusplus
#undef class
#undef namespace
extern "C" {
#endif

extern const char tabs[];
extern bool no_bitfield_type_recode;
extern bool print_numeric_version;

#ifdef __cplusplus
}
#endif
