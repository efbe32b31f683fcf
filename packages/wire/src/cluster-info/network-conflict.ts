import type { ReasonOn, resourceExportStatus } from '@isthmus/api';

/** What a leader found about ranges of a cluster, or of one that announces the same (docs/spec/wire.md §9). */
export interface NetworkConflict {
  readonly reason: ReasonOn<typeof resourceExportStatus, 'NetworkConflict=True'>;
  readonly message: string;
}
