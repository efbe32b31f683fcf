/** Faults on the way to an API server: those of the sandbox. */
export type { Fault, FaultRule, FaultyTransport, WriteVerdict } from '@isthmus/sandbox';
export { withFaults } from '@isthmus/sandbox';
