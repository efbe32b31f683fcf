import type { StatusDefinition } from './define-status.ts';
import { leaderClusterSetStatus } from './leader-cluster-set.ts';
import { memberClusterSetStatus } from './member-cluster-set.ts';
import { resourceExportStatus } from './resource-export.ts';
import { serviceExportStatus } from './service-export.ts';
import { serviceImportStatus } from './service-import.ts';

/** Everything that is reported on objects, in the order of the troubleshooting page. */
export const statusDefinitions: readonly StatusDefinition[] = [
  serviceExportStatus,
  serviceImportStatus,
  memberClusterSetStatus,
  leaderClusterSetStatus,
  resourceExportStatus,
];
