import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { resourceNameOf } from '@isthmus/machinery';

/**
 * Which object is being deleted, what holds it, and how to release it. Nothing is written to it,
 * and it is created again when it is gone, if it is still wanted.
 */
export function beingDeletedMessage(
  type: Pick<ResourceType, 'kind' | 'group' | 'plural'>,
  { metadata: { namespace, name, finalizers = [] } }: KubernetesObject,
): string {
  const what = `${type.kind} ${namespace === undefined ? name : `${namespace}/${name}`} is being deleted`;
  if (finalizers.length === 0) return what;
  const held =
    finalizers.length === 1 ? `finalizer ${finalizers[0]} holds` : `finalizers ${finalizers.join(', ')} hold`;
  const scope = namespace === undefined ? '' : ` -n ${namespace}`;
  const release = `kubectl${scope} patch ${resourceNameOf(type)} ${name} --type merge -p '{"metadata":{"finalizers":null}}'`;
  return `${what}, and ${held} it. It is not changed until it is gone. If the controller of the finalizer does not run any more, run: ${release}`;
}
