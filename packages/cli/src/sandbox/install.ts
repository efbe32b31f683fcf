import {
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  FixedName,
  Namespace,
  Role,
  RoleBinding,
  ServiceAccount,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@isthmus/api';
import { accessObjects, controllerAdmissionObjects, definitionObjects, roles } from '@isthmus/install';
import type { RoleDefinition } from '@isthmus/install';
import type { Client } from '@isthmus/kube';
import { isAlreadyExists } from '@isthmus/kube';
import type { AnyCondition, KubernetesObject, ResourceType } from '@isthmus/machinery';
import { apiVersionOf, conditionOf } from '@isthmus/machinery';
import type { AskedCluster } from './cluster-list.ts';
import type { Wait } from './until.ts';
import { until } from './until.ts';

/**
 * Installs the objects of `deploy/` for the roles of a cluster, and waits until its custom
 * resources are served. Deployments of controllers and their configuration are left out: no program
 * would run them here.
 */
export async function install(client: Client, asked: AskedCluster, wait: Wait): Promise<void> {
  const { isLeader, isMember } = asked;
  // A member has all that a leader has.
  const definitions = definitionObjects(isMember ? roles.member : roles.leader);
  await Promise.all(definitions.map((definition) => create(client, definition)));
  const unserved = () => unservedOf(client, definitions);
  await until(`the custom resources of ${asked.name} are served`, async () => (await unserved()).length === 0, {
    ...wait,
    observe: async () => (await unserved()).map((name) => `CustomResourceDefinition ${name} is not served`).join('\n'),
  });
  const installRole = (role: RoleDefinition, namespace: string) =>
    Promise.all(
      [...accessObjects(role, namespace), ...controllerAdmissionObjects(role.admission, namespace)].map((object) =>
        create(client, object),
      ),
    );
  if (isLeader) {
    await client.create(Namespace, { metadata: { name: FixedName.leaderNamespace } });
    await installRole(roles.leader, FixedName.leaderNamespace);
  }
  if (isMember) await installRole(roles.member, FixedName.memberNamespace);
}

/** The names of the definitions that the API server does not serve yet. */
async function unservedOf(client: Client, definitions: readonly KubernetesObject[]): Promise<readonly string[]> {
  const { items } = await client.list<Established>(CustomResourceDefinition);
  const served = items.filter(({ status }) => conditionOf(status?.conditions, 'Established')?.status === 'True');
  const names = new Set(served.map(({ metadata }) => metadata.name));
  return definitions.map(({ metadata }) => metadata.name).filter((name) => !names.has(name));
}

interface Established extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly AnyCondition[] | undefined } | undefined;
}

const types: readonly ResourceType[] = [
  CustomResourceDefinition,
  ServiceAccount,
  Role,
  RoleBinding,
  ClusterRole,
  ClusterRoleBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
];

/** Creates an object of the manifests; one that exists already is left as it is. */
export async function create(client: Client, object: KubernetesObject): Promise<void> {
  const type = types.find((one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion);
  if (type === undefined)
    throw new Error(`installing ${object.kind} ${object.metadata.name}: this kind cannot be created here`);
  await client.create(type, object).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
