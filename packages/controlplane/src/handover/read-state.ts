import {
  ClusterInfoImport,
  ClusterSet,
  CustomResourceDefinition,
  Deployment,
  EndpointSlice,
  FixedName,
  Label,
  Lease,
  MemberClusterAnnounce,
  ResourceImport,
  RoleBinding,
  Secret,
  SecretKey,
  Service,
  ServiceAccount,
  ServiceExport,
  ServiceImport,
  managedByIsthmus,
} from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { isNotServed, orNotFound } from '@isthmus/kube';
import type { KubernetesObject, ObjectRef, ResourceType } from '@isthmus/machinery';
import { resourceNameOf } from '@isthmus/machinery';
import { leaderOf } from '@isthmus/wire';
import type { RoleFacts } from '../process/role-facts.ts';
import { roleFacts } from '../process/role-facts.ts';
import type { HandoverStep } from './handover-step.ts';
import type { LeaderState } from './leader-plan.ts';
import type { MemberState } from './member-plan.ts';

/** Where to look: an administrator's client, and the Namespace of the controller. */
export interface HandoverPlace {
  readonly client: Client;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Reads the objects of Isthmus in a member. */
export async function readMember(place: HandoverPlace): Promise<MemberState> {
  const { client, namespace, signal } = place;
  const [clusterSets, services, slices, serviceImports, clusterInfoImports, exports, imports, running] =
    await Promise.all([
      listed(place, ClusterSet, { namespace }),
      client.list(Service, { signal }).then(({ items }) => items),
      client
        .list(EndpointSlice, { labelSelector: `${Label.managedBy}=${managedByIsthmus}`, signal })
        .then(({ items }) => items),
      listed(place, ServiceImport),
      listed(place, ClusterInfoImport, { namespace }),
      orNotFound(client.get(CustomResourceDefinition, { name: resourceNameOf(ServiceExport) }, { signal })),
      orNotFound(client.get(CustomResourceDefinition, { name: resourceNameOf(ServiceImport) }, { signal })),
      readRunning(place, roleFacts.member),
    ]);
  const names = [...new Set(clusterSets.flatMap((clusterSet) => leaderOf(clusterSet)?.secret ?? []))];
  const secrets = await Promise.all(
    names.map((name) => orNotFound(client.get(Secret, { namespace, name }, { signal }))),
  );
  return {
    namespace,
    clusterSets,
    services,
    slices,
    serviceImports,
    clusterInfoImports,
    definitions: [exports, imports].filter((definition) => definition !== undefined),
    running,
    renewed: secrets.flatMap((secret) =>
      secret?.data?.[SecretKey.renewedToken] === undefined ? [] : [secret.metadata.name],
    ),
  };
}

/** Reads the objects of Isthmus in the Common Area of a leader. */
export async function readLeader(place: HandoverPlace): Promise<LeaderState> {
  const { namespace } = place;
  const [clusterSets, imports, announces, accounts, bindings, running] = await Promise.all([
    listed(place, ClusterSet, { namespace }),
    listed(place, ResourceImport, { namespace }),
    listed(place, MemberClusterAnnounce, { namespace }),
    listed(place, ServiceAccount, { namespace }),
    listed(place, RoleBinding, { namespace }),
    readRunning(place, roleFacts.leader),
  ]);
  return { namespace, clusterSets, imports, announces, accounts, bindings, running };
}

/** Empty for a kind that the cluster does not serve. */
async function listed<T extends KubernetesObject>(
  { client, signal }: HandoverPlace,
  type: ResourceType<T>,
  where: { readonly namespace?: string } = {},
): Promise<readonly T[]> {
  try {
    return (await client.list(type, { ...where, signal })).items;
  } catch (error) {
    if (isNotServed(error)) return [];
    throw error;
  }
}

/** Whether a controller of ours may be running. */
async function readRunning(
  { client, namespace, signal }: HandoverPlace,
  { leaseName }: RoleFacts,
): Promise<readonly (HandoverStep & { readonly kind: 'stop' })[]> {
  const lease: ObjectRef = { namespace, name: leaseName };
  const [deployment, held] = await Promise.all([
    orNotFound(client.get(Deployment, { namespace, name: FixedName.controllerDeployment }, { signal })),
    orNotFound(client.get(Lease, lease, { signal })),
  ]);
  const isScaled = deployment !== undefined && runsIsthmus(deployment) && (deployment.spec?.replicas ?? 1) > 0;
  const isHeld = (held?.spec?.holderIdentity ?? '') !== '';
  if (!isScaled && !isHeld) return [];
  const ref = isScaled ? { namespace, name: FixedName.controllerDeployment } : undefined;
  return [{ kind: 'stop', deployment: ref, lease }];
}

/** Antrea's Deployment has the same name. */
function runsIsthmus({ spec }: Deployment): boolean {
  return (spec?.template.spec?.containers ?? []).some(({ command = [] }) => command[0] === 'isthmus');
}
