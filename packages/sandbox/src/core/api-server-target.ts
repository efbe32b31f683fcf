import type { ServedResource } from '../registry/served-resource.ts';
import type { WriteTarget } from './target.ts';

/** What the server itself writes, without anybody asking. */
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
