import type { ConfigMap, Namespace } from '@isthmus/api';
import { equal } from '@isthmus/machinery';

/** On a Namespace: the ConfigMap that is copied into it, as `namespace/name`. */
export const copyFrom = 'example.io/copy-from';
/** On a copy: it is ours, and may be changed and deleted. */
const managedBy = { 'app.kubernetes.io/managed-by': 'config-copy' };

export interface CopyInput {
  readonly namespace: Namespace | undefined;
  /** The ConfigMap that the annotation names. */
  readonly source: ConfigMap | undefined;
  /** The ConfigMap of that name in the Namespace, whatever created it. */
  readonly present: ConfigMap | undefined;
}

export type CopyDecision =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'create'; readonly object: ConfigMap }
  | { readonly kind: 'change'; readonly from: ConfigMap; readonly to: ConfigMap }
  | { readonly kind: 'blocked'; readonly reason: string; readonly message: string };

/** What to do about the copy of one Namespace. */
export function decideCopy({ namespace, source, present }: CopyInput): CopyDecision {
  const wanted = namespace?.metadata.annotations?.[copyFrom];
  if (namespace === undefined || wanted === undefined) return { kind: 'nothing' };
  if (source === undefined) {
    const message = `ConfigMap ${wanted} does not exist. Create it, or correct the annotation ${copyFrom}.`;
    return { kind: 'blocked', reason: 'SourceMissing', message };
  }
  const { name } = source.metadata;
  if (present === undefined) {
    const metadata = { namespace: namespace.metadata.name, name, labels: managedBy };
    return { kind: 'create', object: { metadata, data: source.data } };
  }
  if (!isOurs(present)) {
    const message = `ConfigMap ${namespace.metadata.name}/${name} exists and is not a copy. Rename or delete it.`;
    return { kind: 'blocked', reason: 'NameTaken', message };
  }
  if (equal(present.data, source.data)) return { kind: 'nothing' };
  return { kind: 'change', from: present, to: { ...present, data: source.data } };
}

/**
 * The copies of a Namespace that its annotation does not name any more: what was made, minus what
 * is wanted.
 */
export function outdatedCopies(namespace: Namespace | undefined, copies: readonly ConfigMap[]): readonly ConfigMap[] {
  const wanted = namespace?.metadata.annotations?.[copyFrom]?.split('/')[1];
  return copies.filter((copy) => isOurs(copy) && copy.metadata.name !== wanted);
}

function isOurs({ metadata }: ConfigMap): boolean {
  return metadata.labels?.['app.kubernetes.io/managed-by'] === managedBy['app.kubernetes.io/managed-by'];
}
