import type { PolicyRule } from '@isthmus/api';
import {
  FixedName,
  KnownCluster,
  MemberClusterAnnounce,
  Namespace,
  ResourceExport,
  ResourceImport,
  Role,
  RoleBinding,
  ServiceAccount,
  ValidatingAdmissionPolicyBinding,
  memberAnnounceName,
} from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { ApiError } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { installObjects, readManifest, startPolicedServer, waitLimitMs } from '@isthmus/testkit';
import type { PolicedServer } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { memberAccount } from '../../manifests/member-account.ts';
import { leaderRules } from '../rules.ts';

const namespace: string = FixedName.leaderNamespace;
const elsewhere = 'shop';
const wait = { timeout: waitLimitMs(), interval: 100 };
const { group } = ResourceExport;

type Owner = 'east' | 'west';
const verbs = ['create', 'get', 'list', 'watch', 'update', 'patch', 'delete', 'deletecollection'] as const;
const variants = ['plain', 'labels', 'finalizers', 'ownerReferences', 'status', 'cluster', 'policy'] as const;

/** One request of the member east. */
interface MemberRequest {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly verb: (typeof verbs)[number];
  readonly at: string;
  readonly owner: Owner;
  readonly variant: (typeof variants)[number];
}

const served: readonly (readonly [group: string, resource: string, subresources: readonly string[]])[] = [
  [group, ResourceExport.plural, ['', 'status']],
  [group, MemberClusterAnnounce.plural, ['', 'status']],
  [group, ResourceImport.plural, ['', 'status']],
  [group, 'clustersets', ['']],
  [KnownCluster.group, KnownCluster.plural, ['', 'status']],
  ['', ServiceAccount.plural, ['', 'token']],
  ['', 'secrets', ['']],
  ['', 'events', ['']],
  ['', 'configmaps', ['']],
  ['rbac.authorization.k8s.io', 'rolebindings', ['']],
  ['coordination.k8s.io', 'leases', ['']],
];
const changing = new Set<string>(['create', 'update', 'patch']);
const ofExports = new Set<string>(['cluster', 'policy']);

const requests: readonly MemberRequest[] = served.flatMap(([ofGroup, resource, subresources]) =>
  subresources.flatMap((subresource) =>
    verbs.flatMap((verb) =>
      [namespace, elsewhere].flatMap((at) =>
        (['east', 'west'] as const).flatMap((owner) =>
          variants
            .filter((variant) => variant === 'plain' || changing.has(verb))
            .filter((variant) => !ofExports.has(variant) || resource === ResourceExport.plural)
            .map((variant) => ({ group: ofGroup, resource, subresource, verb, at, owner, variant })),
        ),
      ),
    ),
  ),
);

/** Whether the Role grants the request. */
function isGranted(rules: readonly PolicyRule[], { group: of, resource, subresource, verb, at }: MemberRequest) {
  const name = subresource === '' ? resource : `${resource}/${subresource}`;
  return (
    at === namespace &&
    rules.some(
      ({ apiGroups = [], resources = [], verbs: granted }) =>
        apiGroups.includes(of) && resources.includes(name) && granted.includes(verb),
    )
  );
}

/** The policies that reject a request that the Role grants, by what SECURITY.md promises. */
function rejectingPolicies({ resource, verb, owner, variant }: MemberRequest): readonly string[] {
  if (!changing.has(verb) && verb !== 'delete') return [];
  const isForeign = owner !== 'east' || variant === 'cluster';
  return [
    ...(isForeign && resource === ResourceExport.plural ? ['own-exports'] : []),
    ...(isForeign && resource === MemberClusterAnnounce.plural ? ['own-announcement'] : []),
    ...(variant === 'finalizers' || variant === 'ownerReferences' ? ['member-metadata'] : []),
    ...(variant === 'policy' ? ['policy-exports'] : []),
  ];
}

function objectOf({
  group: of,
  resource,
  owner,
  verb,
  at,
}: MemberRequest): KubernetesObject & { readonly spec?: object | undefined } {
  if (resource === MemberClusterAnnounce.plural) return announcement(owner, at);
  if (resource === ResourceExport.plural) return exportOf(owner, verb === 'create' ? 'new' : 'cart', at);
  const apiVersion = of === '' ? 'v1' : `${of}/${of === group ? 'v1alpha1' : 'v1'}`;
  return { apiVersion, kind: 'Any', metadata: { name: `${owner}-cart`, namespace: at } };
}

function announcement(owner: string, at = namespace): MemberClusterAnnounce {
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: MemberClusterAnnounce.kind,
    metadata: { name: memberAnnounceName(owner), namespace: at },
    clusterID: owner,
    clusterSetID: 'fleet',
    leaderClusterID: 'north',
  };
}

function exportOf(owner: string, name: string, at = namespace): ResourceExport {
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: ResourceExport.kind,
    metadata: {
      name: `${owner}-shop-${name}-service`,
      namespace: at,
      finalizers: ['resourceexport.antrea.io/finalizer'],
      labels: { sourceClusterID: owner, sourceKind: 'Service', sourceName: name, sourceNamespace: 'shop' },
    },
    spec: { clusterID: owner, kind: 'Service', namespace: 'shop', name, service: { serviceSpec: {} } },
  };
}

/** The object with what the variant adds. */
function changed(
  object: KubernetesObject & { readonly spec?: object | undefined },
  variant: MemberRequest['variant'],
): object {
  const { metadata } = object;
  switch (variant) {
    case 'plain':
      return { ...object, metadata: { ...metadata, annotations: { note: 'x' } } };
    case 'labels':
      return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, team: 'x' } } };
    case 'finalizers':
      return { ...object, metadata: { ...metadata, finalizers: [...(metadata.finalizers ?? []), 'x.example/never'] } };
    case 'ownerReferences': {
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' }];
      return { ...object, metadata: { ...metadata, ownerReferences } };
    }
    case 'status':
      return { ...object, status: { conditions: [] } };
    case 'cluster':
      return { ...object, spec: { ...object.spec, clusterID: 'north' } };
    case 'policy':
      return { ...object, spec: { ...object.spec, clusterNetworkPolicy: { priority: 1 } } };
  }
}

let policed: PolicedServer;
let admin: Client;
let member: Client;
let rules: readonly PolicyRule[] = [];
const stored = new Map<string, KubernetesObject>();

beforeAll(async () => {
  policed = await startPolicedServer({ name: 'member-requests' });
  ({ admin } = policed);
  for (const name of [namespace, elsewhere]) await admin.create(Namespace, { metadata: { name } });
  await installObjects(admin, await readManifest('deploy/leader.yaml'));
  for (const owner of ['east', 'west']) {
    const { account, binding } = memberAccount(namespace, owner);
    await admin.create(ServiceAccount, account);
    await admin.create(RoleBinding, binding);
    for (const one of [exportOf(owner, 'cart'), announcement(owner)]) {
      const type = one.kind === ResourceExport.kind ? ResourceExport : MemberClusterAnnounce;
      stored.set(one.metadata.name, await admin.create<KubernetesObject>(type, one));
    }
    await admin.create(ServiceAccount, { metadata: { name: `${owner}-cart`, namespace } });
    const spec = { kind: 'ServiceImport', namespace: 'shop', name: 'cart' };
    await admin.create(ResourceImport, { metadata: { name: `${owner}-cart`, namespace }, spec });
  }
  member = await policed.logIn(namespace, 'member-east');
  ({ rules = [] } = await admin.get(Role, { namespace, name: FixedName.memberRole }));
  const foreign = requests.find((one) => one.verb === 'delete' && rejectingPolicies(one).includes('own-exports'));
  await vi.waitFor(async () => expect(await answerTo(foreign ?? expect.fail())).toBe('own-exports'), wait);
});
afterAll(async () => {
  await policed?.[Symbol.asyncDispose]();
});

const methods = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
} as const;

/** `accepted`, `RBAC`, or the name of the policy that rejects the request, in a dry run. */
async function answerTo(one: MemberRequest): Promise<string> {
  const object = objectOf(one);
  const versions = new Map([
    [group, one.resource === 'clustersets' ? 'v1alpha2' : ResourceExport.version],
    [KnownCluster.group, KnownCluster.version],
  ]);
  const version = versions.get(one.group) ?? 'v1';
  const root = one.group === '' ? `/api/${version}` : `/apis/${one.group}/${version}`;
  const isOfCollection = ['create', 'list', 'watch', 'deletecollection'].includes(one.verb) && one.subresource === '';
  const named = isOfCollection ? '' : `/${object.metadata.name}${one.subresource === '' ? '' : `/${one.subresource}`}`;
  const path = `${root}/namespaces/${one.at}/${one.resource}${named}`;
  const isRead = ['get', 'list', 'watch'].includes(one.verb);
  const query = isRead ? { ...(one.verb === 'watch' && { watch: '1', timeoutSeconds: '1' }) } : { dryRun: 'All' };
  const found = one.verb === 'update' ? (stored.get(object.metadata.name) ?? object) : object;
  const type = one.verb === 'patch' ? 'application/merge-patch+json' : 'application/json';
  const method = isRead ? 'GET' : methods[one.verb as keyof typeof methods];
  const body = changing.has(one.verb) ? JSON.stringify(changed(found, one.variant)) : undefined;
  try {
    await member.request({ method, path, query, headers: { 'content-type': type }, body });
    return 'accepted';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 409) return 'accepted';
    const [, policy] = /isthmus-([a-z-]+)' with binding/.exec(error.message) ?? [];
    return error.code === 403 ? (policy ?? 'RBAC') : `${error.code} ${error.message}`;
  }
}

const nameOf = (one: MemberRequest) =>
  `${one.verb} ${one.resource}/${one.subresource} of ${one.owner} in ${one.at}, ${one.variant}`;

/** Each request with its answer, over some connections. */
async function answers(all: readonly MemberRequest[]): Promise<ReadonlyMap<MemberRequest, string>> {
  const found = new Map<MemberRequest, string>();
  const waiting = [...all];
  const work = async () => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) found.set(one, await answerTo(one));
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return found;
}

/** Requests whose answers are not those that the Role and the policies in force promise. */
function surprises(found: ReadonlyMap<MemberRequest, string>, missing?: string): readonly string[] {
  return [...found].flatMap(([one, answer]) => {
    const rejecting = rejectingPolicies(one).filter((policy) => policy !== missing);
    const expected = !isGranted(rules, one) ? ['RBAC'] : rejecting.length > 0 ? rejecting : ['accepted'];
    return expected.includes(answer) ? [] : [`${nameOf(one)}: ${answer}, and not ${expected.join(' or ')}`];
  });
}

describe('the requests of a token of a member', () => {
  it('are at least 600, and are answered as its Role and the policies promise', async () => {
    expect(requests.length).toBeGreaterThanOrEqual(600);
    const found = await answers(requests);
    expect(surprises(found)).toEqual([]);
  });

  const ofMembers = new Set<string>([ResourceExport.plural, MemberClusterAnnounce.plural]);
  const policies = leaderRules.filter(({ types }) => types.some(({ plural }) => ofMembers.has(plural)));

  it.each(policies.map(({ name }) => name))(
    'are answered by the other policies while %s is missing',
    async (policy) => {
      const judged = requests.filter((one) => isGranted(rules, one) && rejectingPolicies(one).length > 0);
      const [alone] = judged.filter((one) => rejectingPolicies(one).join() === policy);
      const binding = { name: `${namespace}-isthmus-${policy}` };
      const { metadata, spec } = await admin.get(ValidatingAdmissionPolicyBinding, binding);
      await admin.delete(ValidatingAdmissionPolicyBinding, binding);
      if (alone !== undefined) await vi.waitFor(async () => expect(await answerTo(alone)).toBe('accepted'), wait);
      expect(surprises(await answers(judged), policy)).toEqual([]);
      await admin.create(ValidatingAdmissionPolicyBinding, {
        metadata: { name: metadata.name, labels: metadata.labels },
        spec,
      });
      if (alone !== undefined) await vi.waitFor(async () => expect(await answerTo(alone)).toBe(policy), wait);
    },
  );
});
