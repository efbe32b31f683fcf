import { resourceNameOf } from '@isthmus/machinery';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Core } from '../core/core.ts';
import { about, notFound } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';

const immortal = ['default', 'kube-system', 'kube-public'];

/** Refuses to delete the Namespaces of the system. */
export function refuseImmortalNamespace({ storageKey, group, plural }: ServedResource, name: string): void {
  if (storageKey !== '/namespaces' || !immortal.includes(name)) return;
  const message = `namespaces ${JSON.stringify(name)} is forbidden: this namespace may not be deleted`;
  throw about({ group, plural }, name, { reason: 'Forbidden', message });
}

/** Refuses to create an object in a Namespace that is not there, or is going. */
export function refuseMissingNamespace({ store }: Core, resource: ServedResource, { metadata }: Stored): void {
  const { namespace, name } = metadata;
  if (namespace === undefined || !resource.namespaced) return;
  const found = store.get('/namespaces', namespace);
  if (found === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `${resourceNameOf(resource)} "${name}" is forbidden: ${why}`;
  const cause = `namespace ${namespace} is being terminated`;
  const causes = [{ reason: 'NamespaceTerminating', message: cause, field: 'metadata.namespace' }];
  throw about(resource, name, { reason: 'Forbidden', message, causes });
}

/** Whether it is a Namespace that is not emptied yet: until then `spec.finalizers` hold it. */
export function keepsItsFinalizersInSpec(object: Stored): boolean {
  if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return false;
  const spec = object['spec'] as { readonly finalizers?: readonly string[] | undefined } | undefined;
  return (spec?.finalizers ?? []).length > 0;
}
