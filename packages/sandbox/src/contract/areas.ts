import type { ContractArea } from './contract-case.ts';
import { access } from './cases/access.ts';
import { admission } from './cases/admission.ts';
import { crdCel } from './cases/crd-cel.ts';
import { crdDefinitions } from './cases/crd-definitions.ts';
import { crdObjects } from './cases/crd-objects.ts';
import { crdVersions } from './cases/crd-versions.ts';
import { apply } from './cases/apply.ts';
import { controllersEndpoints } from './cases/controllers-endpoints.ts';
import { controllersLifecycle } from './cases/controllers-lifecycle.ts';
import { deletion } from './cases/deletion.ts';
import { discovery } from './cases/discovery.ts';
import { openapi } from './cases/openapi.ts';
import { tables } from './cases/tables.ts';
import { negotiation } from './cases/negotiation.ts';
import { http } from './cases/http.ts';
import { lists } from './cases/lists.ts';
import { objects } from './cases/objects.ts';
import { patches } from './cases/patches.ts';
import { pods } from './cases/pods.ts';
import { workloads } from './cases/workloads.ts';
import { tokens } from './cases/tokens.ts';
import { matchConditions } from './cases/match-conditions.ts';
import { admissionCalls } from './cases/admission-calls.ts';
import { admissionPolicies } from './cases/admission-policies.ts';
import { admissionSubresources } from './cases/admission-subresources.ts';
import { applyKinds } from './cases/apply-kinds.ts';
import { compaction } from './cases/compaction.ts';
import { controllersWorkloads } from './cases/controllers-workloads.ts';
import { crdSubresources } from './cases/crd-subresources.ts';
import { documents } from './cases/documents.ts';
import { escalation } from './cases/escalation.ts';
import { metadataOnly } from './cases/metadata-only.ts';
import { requests } from './cases/requests.ts';
import { reviews } from './cases/reviews.ts';
import { smallKinds } from './cases/small-kinds.ts';
import { watches } from './cases/watches.ts';
import { coreKinds } from './cases/core-kinds.ts';
import { endpointSlices } from './cases/endpoint-slices.ts';
import { rbacKinds } from './cases/rbac-kinds.ts';
import { services } from './cases/services.ts';
import { controllersMirroring } from './cases/controllers-mirroring.ts';
import { eventsGroup } from './cases/events-group.ts';
import { storedKinds } from './cases/stored-kinds.ts';

/** Every area, in the order of `lines.ts`. */
export const areas: readonly ContractArea[] = [
  discovery,
  openapi,
  documents,
  tables,
  metadataOnly,
  negotiation,
  objects,
  patches,
  apply,
  applyKinds,
  lists,
  watches,
  compaction,
  deletion,
  access,
  tokens,
  reviews,
  escalation,
  crdDefinitions,
  crdObjects,
  crdVersions,
  crdCel,
  crdSubresources,
  http,
  requests,
  services,
  endpointSlices,
  coreKinds,
  smallKinds,
  rbacKinds,
  storedKinds,
  eventsGroup,
  pods,
  workloads,
  admission,
  admissionCalls,
  admissionSubresources,
  matchConditions,
  admissionPolicies,
  controllersLifecycle,
  controllersEndpoints,
  controllersMirroring,
  controllersWorkloads,
];
