import type { ReasonOn, resourceExportStatus } from '@isthmus/api';

/**
 * A conflict that a leader found: about ranges of a cluster, or of another one that announces the
 * same ranges (docs/spec/wire.md §9).
 */
export interface NetworkConflict {
  readonly reason: ReasonOn<typeof resourceExportStatus, 'NetworkConflict=True'>;
  readonly message: string;
}
