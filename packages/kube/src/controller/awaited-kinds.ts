import { CustomResourceDefinition } from '@isthmus/api';
import type { ResourceType } from '@isthmus/machinery';
import { resourceNameOf } from '@isthmus/machinery';
import type { Access } from './access.ts';

/**
 * The access for `untilDefined`, of a process that waits for kinds that a cluster does not need to
 * have. The manifests of an older release do not grant it; then the API server is asked for the
 * kinds.
 */
export function awaitedKindsAccess(...types: readonly Pick<ResourceType, 'group' | 'plural'>[]): Access<'local'> {
  return {
    at: 'local',
    type: CustomResourceDefinition,
    scope: 'all',
    verbs: ['list', 'watch'],
    resourceNames: types.map(resourceNameOf),
    optional: true,
  };
}
