import type { ResourceExport } from '@isthmus/api';
import { SourceKind } from '@isthmus/api';
import { isLive } from '@isthmus/machinery';

export interface LabelExportInput {
  /** The labels of Pods in this cluster; undefined: no Pod has labels with this hash. */
  readonly label: string | undefined;
  /** The object on the leader under the name of the export. */
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
      /** The leader's answer to the export, if it is a refusal. */
      readonly refusal: string | undefined;
    };

/** Decides if a set of labels is exported: it is while any Pod has it. */
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
