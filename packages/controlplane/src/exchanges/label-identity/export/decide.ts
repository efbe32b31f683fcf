import type { ResourceExport } from '@isthmus/api';
import { SourceKind } from '@isthmus/api';
import { isLive } from '@isthmus/wire';

export interface LabelExportInput {
  /** The labels that Pods of this cluster have; undefined: no Pod has labels of this hash. */
  readonly label: string | undefined;
  /** What the leader has under the name of the export. */
  readonly found: ResourceExport | undefined;
  readonly clusterID: string;
}

export type LabelExportDecision =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'withdraw'; readonly object: ResourceExport }
  | {
      readonly kind: 'export';
      readonly label: string;
      readonly spec: NonNullable<ResourceExport['spec']>;
      /** What the leader answered to it, where that is bad. */
      readonly refusal: string | undefined;
    };

/** Whether a set of labels is exported: while any Pod has it. */
export function decideLabelExport({ label, found, clusterID }: LabelExportInput): LabelExportDecision {
  if (label === undefined) {
    const isOurs = found?.spec?.kind === SourceKind.labelIdentity && found.spec.clusterID === clusterID;
    return isOurs && isLive(found) ? { kind: 'withdraw', object: found } : { kind: 'nothing' };
  }
  const [condition] = found?.status?.conditions ?? [];
  return {
    kind: 'export',
    label,
    spec: { clusterID, kind: SourceKind.labelIdentity, labelIdentity: { normalizedLabel: label } },
    refusal: condition?.status === 'False' ? (condition.message ?? condition.reason ?? '') : undefined,
  };
}
