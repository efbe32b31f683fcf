import { CustomResourceDefinition } from '@isthmus/api';
import type { ResourceType } from '@isthmus/machinery';
import { resourceNameOf } from '@isthmus/machinery';
import type { ControllerAccess } from '../controller-access.ts';

/**
 * The access of a controller that waits for kinds that the cluster does not need to have: each
 * definition is watched by its name. The manifests of an older release do not grant it; then the
 * API server is asked for the kinds.
 */
export function awaitedKindsAccess(...types: readonly Pick<ResourceType, 'group' | 'plural'>[]): ControllerAccess {
  return {
    at: 'local',
    type: CustomResourceDefinition,
    scope: 'all',
    verbs: ['list', 'watch'],
    resourceNames: types.map(resourceNameOf),
    optional: true,
  };
}
