/** The controllers on real API servers: rows of docs/benchmarks.md, in the order of the report. */
export const fleetRows: readonly string[] = ['1', '2', '3', '4', '5', 'growth'];

/** The sandbox, likewise. */
export const sandboxRows: readonly string[] = ['ready', 'requests', 'watches', 'memory', 'members'];

/** The rules of upgrades, likewise. */
export const upgradeRows: readonly string[] = ['plan', 'crd'];

export const allRows: readonly string[] = [...fleetRows, ...sandboxRows, ...upgradeRows];
