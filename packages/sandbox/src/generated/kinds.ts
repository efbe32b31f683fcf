import type { GeneratedKind } from './frame.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './kinds/access.ts';
import { configMaps } from './kinds/config-maps.ts';
import { customResourceDefinitions } from './kinds/custom-resource-definitions.ts';
import { endpointSlices } from './kinds/endpoint-slices.ts';
import { leases } from './kinds/leases.ts';
import { namespaces } from './kinds/namespaces.ts';
import { ownKinds } from './kinds/own-kinds.ts';
import { secrets } from './kinds/secrets.ts';
import { services } from './kinds/services.ts';
import { workloads } from './kinds/workloads.ts';

/** Every kind of which generated objects are compared. */
export const generatedKinds: readonly GeneratedKind[] = [
  services,
  endpointSlices,
  configMaps,
  secrets,
  leases,
  namespaces,
  roles,
  clusterRoles,
  roleBindings,
  clusterRoleBindings,
  customResourceDefinitions,
  ...ownKinds,
  ...workloads,
];
