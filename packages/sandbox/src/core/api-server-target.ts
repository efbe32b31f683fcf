import type { ServedResource } from '../registry/served-resource.ts';
import type { WriteTarget } from './target.ts';

/** The target of a write by the server itself. */
export function apiServerTarget(
  resource: ServedResource,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): WriteTarget {
  return {
    resource,
    namespace,
    name,
    subresource: undefined,
    user: { username: 'system:apiserver', groups: ['system:authenticated', 'system:masters'] },
    dryRun: false,
    fieldManager: 'kube-apiserver',
    warnings: [],
  };
}
