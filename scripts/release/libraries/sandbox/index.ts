/**
 * What the npm package `@isthmus/sandbox` offers: all of the package, and the faults of the
 * simulator. Clients and kinds come from `@isthmus/kube`, on which it depends.
 */
export * from '@isthmus/sandbox';
export type { Fault, FaultRule, FaultyTransport, WriteVerdict } from '@isthmus/fleet-sim';
export { withFaults } from '@isthmus/fleet-sim';
