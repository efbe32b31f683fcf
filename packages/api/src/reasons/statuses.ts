import { clusterInfoImportStatus } from './cluster-info-import.ts';
import type { ConditionKey, StatusDefinition } from './define-status.ts';
import { gatewayStatus } from './gateway.ts';
import { nodeStatus } from './node.ts';
import { knownClusterStatus } from './known-cluster.ts';
import { leaderClusterSetStatus } from './leader-cluster-set.ts';
import { memberClusterSetStatus } from './member-cluster-set.ts';
import { resourceExportStatus } from './resource-export.ts';
import { resourceImportStatus } from './resource-import.ts';
import { serviceExportStatus } from './service-export.ts';
import { serviceImportStatus } from './service-import.ts';

type Definition =
  | typeof serviceExportStatus
  | typeof serviceImportStatus
  | typeof memberClusterSetStatus
  | typeof leaderClusterSetStatus
  | typeof resourceExportStatus
  | typeof clusterInfoImportStatus
  | typeof knownClusterStatus;

/** The type of any condition that is defined. */
export type ConditionType = TypeOf<KeyOf<Definition>>;
type KeyOf<D> = D extends StatusDefinition ? ConditionKey<D> : never;
type TypeOf<Key extends string> = Key extends `${string}.${infer Type}` ? Type : Key;

/** Everything that is reported on objects, in the order of the troubleshooting page. */
export const statusDefinitions: readonly StatusDefinition[] = [
  serviceExportStatus,
  serviceImportStatus,
  memberClusterSetStatus,
  leaderClusterSetStatus,
  resourceExportStatus,
  resourceImportStatus,
  gatewayStatus,
  nodeStatus,
  clusterInfoImportStatus,
  knownClusterStatus,
];
