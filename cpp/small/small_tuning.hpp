#pragma once
#ifndef T_FIRST
#define T_FIRST 3.0
#endif
#ifndef T_SCALE
#define T_SCALE 0.1
#endif
#ifndef T_PAIRTOL
#define T_PAIRTOL 0.1
#endif
#ifndef T_ENOUGH
#define T_ENOUGH 0.1
#endif
#ifndef T_ETA
#define T_ETA 1e-5
#endif
#ifndef T_N1
#define T_N1 0.003
#endif
#ifndef T_N2
#define T_N2 0.1
#endif
#ifndef T_N3
#define T_N3 0.3
#endif
#ifndef T_N4
#define T_N4 0.5
#endif
#ifndef T_S3
#define T_S3 5
#endif
#ifndef T_STIFF
#define T_STIFF 1e-4
#endif
#ifndef T_LEAST
#define T_LEAST 1e-7
#endif
