import type { ChaosOptions } from './chaos-run.ts';

/** The disturbances of a chaos run. Each shape found its own defects when it was new. */
export type ChaosShape = Omit<ChaosOptions, 'seed'>;

/** The shapes of a run, by their subject. */
export const chaosShapes = {
  'exports that change under faults': { steps: 60, faults: true, paceMs: 5_000 },
  'the same with Pod IPs and Services that become headless and back': {
    steps: 60,
    faults: true,
    paceMs: 1_500,
    headless: true,
    podIPs: true,
  },
  'members that come and go, with other tokens and other IDs': {
    steps: 60,
    faults: true,
    paceMs: 5_000,
    membership: true,
  },
  'all of it, and names that meet on the leader': {
    steps: 80,
    faults: true,
    paceMs: 6_000,
    collisions: true,
    namespaces: true,
    membership: true,
    headless: true,
    wallClock: true,
  },
  'people who delete and change by hand what controllers made': {
    steps: 60,
    faults: true,
    paceMs: 5_000,
    drift: true,
  },
  'two dozen Services, exported and withdrawn all at once': { steps: 20, faults: true, paceMs: 8_000, many: 24 },
} as const satisfies Readonly<Record<string, ChaosShape>>;
