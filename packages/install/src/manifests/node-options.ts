/**
 * What the controllers' Node runs with (`NODE_OPTIONS` of their Pods). A controller makes garbage in bursts, when it lists and when many objects
 * change; the usual room for young objects lets the process grow by some 30 MB for that and never gives them back. Measured in docs/benchmarks.md.
 */
export const controllerNodeOptions = '--max-semi-space-size=2';

/**
 * How the controllers' Pods have the C library keep memory, where it is that of GNU: in one pool for all threads, of which what is free goes back
 * to the system. Its own choice is a pool for each thread; Node has eleven and few of them allocate.
 */
export const controllerMallocEnv = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };
