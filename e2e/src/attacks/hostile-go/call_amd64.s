#include "textflag.h"

// func foreignCall(number uintptr) uintptr
TEXT ·foreignCall(SB), NOSPLIT, $0-16
	MOVQ number+0(FP), AX
	INT $0x80
	MOVQ AX, ret+8(FP)
	RET
