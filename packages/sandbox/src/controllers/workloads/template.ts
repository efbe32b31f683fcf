import { canonicalJson, fnv1a } from '@isthmus/machinery';
import type { ObjectMeta, OwnerReference } from '@isthmus/machinery';
import type { Pod, PodTemplate } from '../kinds.ts';

/** The label by which ReplicaSets of one Deployment, and their Pods, are told apart. */
export const templateHashLabel = 'pod-template-hash';
/** The same for StatefulSets and DaemonSets. */
export const revisionHashLabel = 'controller-revision-hash';

/**
 * A short name for a template, made of the characters that generated names have. Stable: equal templates have equal hashes in every process;
 * not the number that kube-controller-manager computes. `salt` tells two templates apart that have the same.
 */
export function templateHash(template: unknown, salt = 0): string {
  const hash = fnv1a(new TextEncoder().encode(`${canonicalJson(template)}${salt === 0 ? '' : salt}`));
  return Array.from(String(hash), (digit) => alphabet.charAt(Number(digit))).join('');
}

const alphabet = 'bcdf456789';

/** The template without the label that tells it apart: what two ReplicaSets are compared by. */
export function withoutHash(template: PodTemplate | undefined): PodTemplate {
  const { [templateHashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  const { creationTimestamp: _time, ...metadata } = template?.metadata ?? {};
  return { ...template, metadata: { ...metadata, labels } };
}

/** A Pod as a template has it. The server makes up the rest of the name where only `generateName` is given. */
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
