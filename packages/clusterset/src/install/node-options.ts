/**
 * What the controllers' Node runs with (`NODE_OPTIONS` of their Pods). A controller makes garbage in bursts, when it lists and when many objects
 * change; the usual room for young objects lets the process grow by some 30 MB for that and never gives them back. Measured in docs/benchmarks.md.
 */
export const controllerNodeOptions = '--max-semi-space-size=2';
