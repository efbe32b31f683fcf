import type { LabelIdentity, ResourceImport } from '@isthmus/api';
import { Label, managedByIsthmus } from '@isthmus/api';
import type { Live } from '@isthmus/machinery';
import { byAge } from '@isthmus/machinery';
import { labelNumberOf, labelProblem, leaderAnnotations, marksWithdrawals, shown } from '@isthmus/wire';
import type { LabelIdentityProblem } from '../local/incomplete.ts';
import { isOurLabelIdentity } from '../local/label-identities.ts';

export interface LabelImportInput {
  /** The import on the leader; undefined: no member has these labels. */
  readonly remote: ResourceImport | undefined;
  /** The object with this name in this cluster, no matter which client created it. */
  readonly current: Live<LabelIdentity> | undefined;
  /** The oldest import of other labels that has the same number; undefined: there is none. */
  readonly sharedWith?: ResourceImport | undefined;
  /** The Common Area of the session; absent without one. */
  readonly area?: string | undefined;
}

export type LabelImportDecision =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'withdraw'; readonly object: LabelIdentity }
  | { readonly kind: 'import'; readonly object: LabelIdentity }
  /**
   * The number or the labels change. Antrea's controller ignores a change, so the object is deleted
   * and created again.
   */
  | { readonly kind: 'replace'; readonly object: LabelIdentity; readonly by: LabelIdentity }
  | {
      readonly kind: 'problem';
      readonly reason: LabelIdentityProblem;
      readonly message: string;
      /** An object that was imported before and must not stay. */
      readonly obsolete?: LabelIdentity | undefined;
    };

/**
 * Decides which object this cluster has for one set of labels. Malformed input changes nothing:
 * Antrea's controller would crash on it. If several imports have one number, the oldest counts, as
 * for a leader. With one number for all, a rule that allows one set of labels would allow the
 * others too.
 */
export function decideLabelImport({ remote, current, sharedWith, area = '' }: LabelImportInput): LabelImportDecision {
  const ours = current !== undefined && isOurLabelIdentity(current) ? current : undefined;
  if (remote === undefined) return ours === undefined ? { kind: 'nothing' } : { kind: 'withdraw', object: ours };
  const { name } = remote.metadata;
  const payload = remote.spec?.labelIdentity;
  const wrong = labelProblem(payload?.label, name);
  const id = labelNumberOf(remote);
  if (wrong !== undefined || id === undefined) {
    const why = wrong ?? `its number is ${shown(payload?.id)}`;
    return {
      kind: 'problem',
      reason: 'LabelIdentityNotImported',
      message: `ResourceImport ${name} of the leader is not imported: ${why}. Correct it on the leader.`,
    };
  }
  if (current !== undefined && ours === undefined) {
    const message = `LabelIdentity ${name} was not created by Isthmus and is not changed. Delete it to import the number of its labels.`;
    return { kind: 'problem', reason: 'LabelIdentityNotImported', message };
  }
  if (sharedWith !== undefined && byAge(sharedWith, remote) < 0) {
    const other = sharedWith.metadata.name;
    const message = `ResourceImports ${other} and ${name} of the leader give number ${id} to two sets of labels. It is imported for ${other}, the older one, so no rule with scope ClusterSet selects Pods with labels ${shown(payload?.label)} here.`;
    return { kind: 'problem', reason: 'LabelNumberShared', message, obsolete: ours };
  }
  const spec = { label: payload?.label, id };
  const annotations = marksWithdrawals(remote) ? leaderAnnotations({}, remote, area) : undefined;
  const made: LabelIdentity = {
    metadata: { name, labels: { [Label.managedBy]: managedByIsthmus }, annotations },
    spec,
  };
  if (ours === undefined) return { kind: 'import', object: made };
  if (ours.spec?.id !== spec.id || ours.spec.label !== spec.label) return { kind: 'replace', object: ours, by: made };
  const metadata = {
    ...ours.metadata,
    labels: { ...ours.metadata.labels, [Label.managedBy]: managedByIsthmus },
    annotations: leaderAnnotations(ours.metadata.annotations ?? {}, remote, area),
  };
  return { kind: 'import', object: { ...ours, metadata } };
}
