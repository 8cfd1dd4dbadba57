// Two units are too few for dwz to move what they share.
#define q r
#define other third
#include "other.cc"
