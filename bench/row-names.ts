/** The controllers on real API servers: rows of docs/benchmarks.md, in the order of the report. */
export const fleetRows: readonly string[] = ['1', '2', '3', '4', '5', 'growth', 'race', 'antrea'];

/** Rows that take minutes more and are measured only where they are asked for. */
export const askedRows: readonly string[] = ['growth', 'race', 'antrea', 'live'];

/** The sandbox, likewise. */
export const sandboxRows: readonly string[] = ['ready', 'requests', 'watches', 'memory', 'members', 'idle'];

/** Rules in memory, of upgrades and of networks, likewise. */
export const upgradeRows: readonly string[] = ['plan', 'crd', 'judge', 'live'];

/** The controllers under load that lasts, on real API servers, likewise. */
export const churnRows: readonly string[] = ['churn', 'flap', 'many', 'identities', 'joins', 'restart'];

/** Packets between clusters, in network namespaces, likewise. */
export const networkRows: readonly string[] = ['stream', 'wire', 'round-trip', 'connections', 'fail-over', 'scale'];

export const allRows: readonly string[] = [...fleetRows, ...sandboxRows, ...upgradeRows, ...churnRows, ...networkRows];
