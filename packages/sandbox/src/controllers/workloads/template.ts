import { canonicalJson, fnv1a } from '@isthmus/machinery';
import type { ObjectMeta, OwnerReference } from '@isthmus/machinery';
import type { Pod, PodTemplate } from '../kinds.ts';

/** The label that distinguishes the ReplicaSets of one Deployment, and their Pods. */
export const templateHashLabel = 'pod-template-hash';
/** The same for StatefulSets and DaemonSets. */
export const revisionHashLabel = 'controller-revision-hash';

/**
 * A short name for a template, made of the characters of generated names. Equal templates have
 * equal hashes in every process; the hash differs from that of kube-controller-manager. `salt`
 * separates two templates with the same hash.
 */
export function templateHash(template: unknown, salt = 0): string {
  const hash = fnv1a(new TextEncoder().encode(`${canonicalJson(template)}${salt === 0 ? '' : salt}`));
  return Array.from(String(hash), (digit) => alphabet.charAt(Number(digit))).join('');
}

const alphabet = 'bcdf456789';

/** The template without its hash label, for comparing two ReplicaSets. */
export function withoutHash(template: PodTemplate | undefined): PodTemplate {
  const { [templateHashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  const { creationTimestamp: _time, ...metadata } = template?.metadata ?? {};
  return { ...template, metadata: { ...metadata, labels } };
}

/**
 * A Pod from a template. If only `generateName` is given, the server generates the rest of the
 * name.
 */
export function podFromTemplate(
  template: PodTemplate,
  metadata: Pick<ObjectMeta, 'name' | 'generateName' | 'namespace'> & {
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly ownerReferences: readonly OwnerReference[];
  },
): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    metadata: {
      ...metadata,
      labels: { ...labels, ...metadata.labels },
      ...(annotations !== undefined && { annotations }),
      ...(finalizers !== undefined && { finalizers }),
    },
    spec: template.spec,
  };
}
