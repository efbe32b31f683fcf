import { ClusterRole, FixedName, Role, ServiceExport, ServiceImport, importedServiceName } from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { NamespacedRef, RealCluster, RealFleet } from '@isthmus/testkit';
import { leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * Writes that a real API server denies by an admission policy, a quota or a role. They are writes
 * of the importer, of the exporter at the leader, and of the leader itself. West exports, east
 * imports. Each denial is reported on the object that a user looks at, removes no existing import,
 * and ends when its cause is fixed.
 */
let fleet: RealFleet;
const west = () => fleet.cluster('west');
const east = () => fleet.cluster('east');
const north = () => fleet.leader;

const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const first = { namespace: 'shop', name: 'first' };

/** Where writes are denied: the writer and the kind. */
interface Place {
  readonly cluster: () => RealCluster;
  readonly group: string;
  readonly resource: string;
  /** The Namespace of the writes. */
  readonly namespace: string;
  /** An object whose creation is denied too. It shows when the API server applies the policy. */
  readonly probe: string;
  /** The ServiceAccount of the writer, and its role there. */
  readonly writer: string;
  readonly role: NamespacedRef;
}

const crd = 'multicluster.crd.antrea.io';
const account = (namespace: string, name: string) => `system:serviceaccount:${namespace}:${name}`;
const importer: Place = {
  cluster: east,
  group: '',
  resource: 'services',
  namespace: 'shop',
  probe: `{apiVersion: v1, kind: Service, metadata: {name: antrea-mc-probe, namespace: shop}, spec: {ports: [{port: 80}]}}`,
  writer: account(memberNamespace, FixedName.controllerServiceAccount),
  role: { namespace: '', name: 'antrea-mc-controller-role' },
};
const exporter: Place = {
  cluster: north,
  group: crd,
  resource: 'resourceexports',
  namespace: leaderNamespace,
  probe: `{apiVersion: ${crd}/v1alpha1, kind: ResourceExport, metadata: {name: probe, namespace: ${leaderNamespace}}, spec: {clusterID: west, kind: Service, name: probe, namespace: shop}}`,
  writer: account(leaderNamespace, 'member-west'),
  role: { namespace: leaderNamespace, name: 'antrea-mc-member-cluster-role' },
};
const leader: Place = {
  cluster: north,
  group: crd,
  resource: 'resourceimports',
  namespace: leaderNamespace,
  probe: `{apiVersion: ${crd}/v1alpha1, kind: ResourceImport, metadata: {name: probe, namespace: ${leaderNamespace}}, spec: {kind: ServiceImport, name: probe, namespace: shop}}`,
  writer: account(leaderNamespace, FixedName.controllerServiceAccount),
  role: { namespace: leaderNamespace, name: 'antrea-mc-controller-role' },
};

/**
 * Denies the creation of these objects. Returns a function that allows it again. Each returns when
 * the API server has applied the change.
 */
type Means = (place: Place) => Promise<() => Promise<void>>;

async function isDenied({ cluster, probe }: Place): Promise<boolean> {
  return cluster()
    .shell('kubectl create --dry-run=server -f -', probe)
    .then(
      () => false,
      () => true,
    );
}

const byPolicy: Means = async (place) => {
  const { group, resource } = place;
  const rule = `{apiGroups: ['${group}'], apiVersions: ['*'], operations: [CREATE], resources: [${resource}]}`;
  const own = resource === 'services' ? `!object.metadata.name.startsWith('antrea-mc-')` : 'false';
  const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${resource}}
spec:
  matchConstraints: {resourceRules: [${rule}]}
  validations: [{expression: "${own}", message: no more of these here}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${resource}}
spec: {policyName: ${resource}, validationActions: [Deny]}
`;
  await place.cluster().shell('kubectl apply -f -', policy);
  await fleet.eventually('the policy is known', () => isDenied(place), true);
  return async () => {
    await place.cluster().shell('kubectl delete -f -', policy);
    await fleet.eventually('it is gone', () => isDenied(place), false);
  };
};

/**
 * Denies every write of an imported EndpointSlice, with the code for an invalid object. Returns a
 * function that allows it again.
 */
async function denySlices({ shell }: RealCluster): Promise<() => Promise<void>> {
  const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: frozen-endpoints}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [discovery.k8s.io], apiVersions: ['*'], operations: [CREATE, UPDATE, DELETE], resources: [endpointslices]}]
  validations: [{expression: "!request.name.startsWith('antrea-mc-')", message: endpoints are frozen}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: frozen-endpoints}
spec: {policyName: frozen-endpoints, validationActions: [Deny]}
`;
  const probe = `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: antrea-mc-probe, namespace: shop}, addressType: IPv4, endpoints: [], ports: []}`;
  const isDeniedNow = () =>
    shell('kubectl create --dry-run=server -f -', probe).then(
      () => false,
      () => true,
    );
  await shell('kubectl apply -f -', policy);
  await fleet.eventually('the policy is known', isDeniedNow, true);
  return async () => {
    await shell('kubectl delete -f -', policy);
    await fleet.eventually('it is gone', isDeniedNow, false);
  };
}

const byQuota: Means = async (place) => {
  const { group, resource, namespace } = place;
  const hard = { [`count/${resource}${group === '' ? '' : `.${group}`}`]: '0' };
  // No controller of quotas runs here, and the API server enforces the status.
  const status = JSON.stringify({ status: { hard, used: hard } });
  const on = `-n ${namespace} ${resource}`;
  await place.cluster().shell(
    'kubectl apply -f -',
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace, name: resource },
      spec: { hard },
    }),
  );
  await place.cluster().shell(`kubectl patch resourcequota ${on} --subresource=status --type=merge -p '${status}'`);
  await fleet.eventually('the quota is known', () => isDenied(place), true);
  return async () => {
    await place.cluster().shell(`kubectl delete resourcequota ${on}`);
    await fleet.eventually('it is gone', () => isDenied(place), false);
  };
};

const byRole: Means = async ({ cluster, group, resource, namespace, writer, role }) => {
  const { admin, user, shell } = cluster();
  const type = role.namespace === '' ? ClusterRole : Role;
  const before = await admin.get(type, role);
  const may = () =>
    shell(
      `kubectl auth can-i create ${resource}${group === '' ? '' : `.${group}`} -n ${namespace} --as=${writer}`,
    ).then(
      () => true,
      () => false,
    );
  const rules = (before.rules ?? []).flatMap((rule) => {
    if (rule.resources?.includes(resource) !== true) return [rule];
    const others = rule.resources.filter((one) => one !== resource);
    const reduced = { ...rule, resources: [resource], verbs: rule.verbs.filter((verb) => verb !== 'create') };
    return [...(others.length === 0 ? [] : [{ ...rule, resources: others }]), reduced];
  });
  await user.put(type, { ...before, rules });
  await fleet.eventually('the role is known', may, false);
  return async () => {
    await user.put(type, before);
    await fleet.eventually('it is as before', may, true);
  };
};

const means = [
  ['an admission policy', byPolicy, /no more of these here/],
  ['a quota', byQuota, /exceeded quota/],
  ['a role', byRole, /forbidden: User .* cannot create resource/],
] as const;

/** Everything that was imported before, which must not change. */
async function firstImport(): Promise<unknown> {
  const { view, user } = east();
  const [found, ip, slices] = [
    await user.find(ServiceImport, first),
    await view.importedIP(first),
    await view.slices(first),
  ];
  return [found?.metadata.uid, ip, slices];
}

const importMessage = async (ref: NamespacedRef) =>
  conditionOf((await east().user.find(ServiceImport, ref))?.status?.conditions, 'Ready')?.message ?? '';

async function exportOne(name: string): Promise<NamespacedRef> {
  const ref = { namespace: 'shop', name };
  await west().user.exportService(ref, http, '10.20.0.2');
  return ref;
}

async function imports(ref: NamespacedRef): Promise<void> {
  await fleet.eventually('it is imported', () => east().view.imported(ref), 'True Ready');
  await fleet.eventually('with its endpoints', async () => (await east().view.slices(ref)).length, 1);
  await fleet.eventually('and the exporter knows', () => west().view.exported(ref, 'Ready'), 'True Exported');
}

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { north: 'leader', west: 'member', east: 'member' } });
  await Promise.all([west(), east()].map((cluster) => cluster.user.namespace('shop')));
  await west().user.exportService(first, http, '10.20.0.1');
  await fleet.eventually('the first is imported', () => east().view.imported(first), 'True Ready');
  await fleet.eventually('with its endpoints', async () => (await east().view.slices(first)).length, 1);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

describe.each(means)('writes that %s denies', (what, deny, answer) => {
  const nameOf = (place: string) => `${place}-${what.replaceAll(/^an? | /gu, '')}`;

  it('of the importer are reported on its ServiceImport, and on the ServiceExport of the other cluster', async () => {
    const before = await firstImport();
    const mend = await deny(importer);
    const ref = await exportOne(nameOf('importer'));
    await fleet.eventually('it is reported', () => east().view.imported(ref), 'False WriteRejected');
    expect(await importMessage(ref)).toMatch(answer);
    await fleet.until('by an Event', async () =>
      (await east().view.events({ kind: 'ServiceImport', ...ref })).some((one) => one.startsWith('WriteRejected: ')),
    );
    const importFailed = async () =>
      conditionOf((await west().user.find(ServiceExport, ref))?.status?.conditions, 'ImportFailed')?.message ?? '';
    await fleet.until('the exporter learns it', async () => answer.test(await importFailed()));
    if (deny === byRole)
      await fleet.eventually('its ClusterSet reports the role', () => east().view.clusterSet(), 'False AccessDenied');
    expect(await east().view.clusterIP({ ...ref, name: importedServiceName(ref.name) })).toBeUndefined();
    await mend();
    await imports(ref);
    await fleet.eventually('the exporter reports nothing more', importFailed, '');
    await fleet.eventually('its ClusterSet is well', () => east().view.clusterSet(), 'True Connected');
    expect(await firstImport()).toEqual(before);
  });

  it('of the exporter at the leader are reported on its ServiceExport', async () => {
    const before = await firstImport();
    const mend = await deny(exporter);
    const ref = await exportOne(nameOf('exporter'));
    await fleet.eventually('it is reported', () => west().view.exported(ref, 'Ready'), 'False Failed');
    expect(await west().view.exportMessage(ref, 'Ready')).toMatch(answer);
    await fleet.until('by an Event', async () =>
      (await west().view.events({ kind: 'ServiceExport', ...ref })).some((one) => one.startsWith('Failed: ')),
    );
    await mend();
    await imports(ref);
    expect(await firstImport()).toEqual(before);
  });

  it('of the leader itself are reported on the ServiceExport of the member', async () => {
    const before = await firstImport();
    const mend = await deny(leader);
    const ref = await exportOne(nameOf('leader'));
    await fleet.eventually('it is reported', () => west().view.exported(ref, 'Ready'), 'False Failed');
    expect(await west().view.exportMessage(ref, 'Ready')).toMatch(answer);
    await fleet.until('by an Event', async () =>
      (await west().view.events({ kind: 'ServiceExport', ...ref })).some((one) => one.startsWith('Failed: ')),
    );
    await mend();
    await imports(ref);
    expect(await firstImport()).toEqual(before);
  });
});

describe('endpoints that an admission policy of the importer freezes', () => {
  it('do not leave an import Ready that leads to Pods that are gone: both sides name the policy, until it goes', async () => {
    const before = await firstImport();
    const ref = { namespace: 'shop', name: 'frozen' };
    // It is headless, so its endpoints are those of the Pods.
    await west().user.service(ref, { clusterIP: 'None', ports: http });
    await west().user.serve(ref, ['10.20.0.8'], http);
    await west().user.export(ref);
    await imports(ref);
    const addresses = async () => (await east().view.slices(ref)).join('|');
    expect(await addresses()).toContain('10.20.0.8');
    const mend = await denySlices(east());
    await west().user.serve(ref, ['10.20.0.9'], http);
    await fleet.eventually('it is reported', () => east().view.imported(ref), 'False WriteRejected');
    const answer = /ValidatingAdmissionPolicy 'frozen-endpoints' .*endpoints are frozen/;
    expect(await importMessage(ref)).toMatch(answer);
    await fleet.until('by an Event', async () =>
      (await east().view.events({ kind: 'ServiceImport', ...ref })).some((one) => one.startsWith('WriteRejected: ')),
    );
    const importFailed = async () =>
      conditionOf((await west().user.find(ServiceExport, ref))?.status?.conditions, 'ImportFailed')?.message ?? '';
    await fleet.until('the exporter learns it', async () => answer.test(await importFailed()));
    expect(await addresses()).toContain('10.20.0.8');
    // A new import has no endpoints at all.
    const other = await exportOne('frozen-from-the-start');
    await fleet.eventually('it is reported, too', () => east().view.imported(other), 'False WriteRejected');
    await mend();
    await imports(ref);
    await imports(other);
    await fleet.until('it leads to the Pods of today', async () => (await addresses()).includes('10.20.0.9'));
    expect(await addresses()).not.toContain('10.20.0.8');
    await fleet.eventually('the exporter is told of nothing more', importFailed, '');
    expect(await firstImport()).toEqual(before);
  });
});
