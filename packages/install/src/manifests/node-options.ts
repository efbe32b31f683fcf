/**
 * The options of Node in the controllers' Pods (`NODE_OPTIONS`). A controller makes garbage in
 * bursts, when it lists and when many objects change. With the default size for young objects, the
 * process grows by some 30 MB for that and never returns them. Measured in docs/benchmarks.md.
 */
export const controllerNodeOptions = '--max-semi-space-size=2';

/**
 * How the C library of the controllers' Pods allocates memory, if it is GNU's: in one pool for all
 * threads, whose free memory goes back to the system. By default it has a pool for each thread;
 * Node has eleven threads, and few of them allocate.
 */
export const controllerMallocEnv = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };
