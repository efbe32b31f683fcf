import { FixedName, Service, ServiceImport } from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { NamespacedRef, RealCluster, RealFleet } from '@isthmus/testkit';
import { leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { auditedWrites, startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

/**
 * A mutating admission policy alters our objects when they are written, on the importer's and the
 * leader's API server. No controller writes them again and again, and changes of fields that decide
 * where calls go are reported. East exports and imports.
 */
let fleet: RealFleet;
const east = () => fleet.cluster('east');

const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const exported = (name: string): NamespacedRef => ({ namespace: 'shop', name });
const derivedOf = ({ namespace, name }: NamespacedRef) => ({ namespace, name: `antrea-mc-${name}` });
const message = async (ref: NamespacedRef) =>
  conditionOf((await east().user.find(ServiceImport, ref))?.status?.conditions, 'Ready')?.message ?? '';

/** A policy that applies `change` to objects that match `rules` in the Namespaces of the story. */
async function alter(
  { shell }: RealCluster,
  name: string,
  rules: string,
  change: string,
): Promise<() => Promise<void>> {
  const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: ${name}}
spec:
  reinvocationPolicy: Never
  matchConstraints: {resourceRules: [${rules}]}
  matchConditions: [{name: namespace, expression: "request.namespace in ['shop', '${leaderNamespace}']"}]
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: '${change}'}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: ${name}}
spec: {policyName: ${name}}
`;
  await shell('kubectl apply -f -', policy);
  return async () => void (await shell('kubectl delete -f -', policy));
}

const written = (group: string, resources: string) =>
  `{apiGroups: ['${group}'], apiVersions: ['*'], operations: [CREATE, UPDATE], resources: ['${resources}']}`;

/** The field of a new Service in a dry run, which shows if the API server applies the policy. */
async function seenInDryRun(jsonpath: string): Promise<string> {
  const probe =
    '{apiVersion: v1, kind: Service, metadata: {name: probe, namespace: shop}, spec: {ports: [{port: 80}]}}';
  const { stdout } = await east().shell(`kubectl create --dry-run=server -o jsonpath='${jsonpath}' -f -`, probe);
  return stdout;
}

/** The writes of the objects of one Service. */
const writesOf = ({ name }: NamespacedRef) =>
  [
    ...auditedWrites(east().server, `system:serviceaccount:${memberNamespace}:${FixedName.controllerServiceAccount}`),
    ...[FixedName.controllerServiceAccount, 'member-east'].flatMap((account) =>
      auditedWrites(fleet.leader.server, `system:serviceaccount:${leaderNamespace}:${account}`),
    ),
  ].filter((write) => write.includes(name));

/** A loop would write many times a second; writes in progress may still finish. */
const expectNoLoop = (ref: NamespacedRef) =>
  fleet.until('nobody writes it for ten seconds', async () => {
    const before = writesOf(ref).length;
    await fleet.steadily('it stays', () => east().view.imported(ref), 'True Ready', 10_000);
    return writesOf(ref).length === before;
  });

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { north: 'leader', east: 'member' } });
  await east().user.namespace('shop');
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

it('labels and annotations that a policy adds to all of our objects stay, and nothing is written again because of them', async () => {
  const rules = [
    written('', 'services'),
    written('discovery.k8s.io', 'endpointslices'),
    written('multicluster.x-k8s.io', '*'),
    written('multicluster.crd.antrea.io', '*'),
  ].join(', ');
  const change = 'Object{metadata: Object.metadata{labels: {"team": "shop"}, annotations: {"owner": "shop"}}}';
  const stops = [await alter(east(), 'labels', rules, change), await alter(fleet.leader, 'labels', rules, change)];
  await fleet.eventually('the policy is known', () => seenInDryRun('{.metadata.labels.team}'), 'shop');
  const ref = exported('labelled');
  await east().user.exportService(ref, http, '10.20.0.1');
  await fleet.eventually('it is imported', () => east().view.imported(ref), 'True Ready');
  await fleet.eventually('with its endpoints', async () => (await east().view.slices(ref)).length, 1);
  await fleet.eventually('and the exporter knows', () => east().view.exported(ref, 'Ready'), 'True Exported');
  expect((await east().user.find(Service, derivedOf(ref)))?.metadata.labels?.['team']).toBe('shop');
  await expectNoLoop(ref);
  for (const stop of stops) await stop();
});

it('a traffic policy that a policy changes is reported on the ServiceImport, and not written in a loop', async () => {
  const ref = exported('altered');
  await east().user.exportService(ref, http, '10.20.0.2');
  await fleet.eventually('it is imported', () => east().view.imported(ref), 'True Ready');
  const stop = await alter(
    east(),
    'local-imports',
    written('', 'services'),
    'Object{spec: Object.spec{internalTrafficPolicy: "Local"}}',
  );
  await fleet.eventually('the policy is known', () => seenInDryRun('{.spec.internalTrafficPolicy}'), 'Local');
  await east().shell(`kubectl -n shop delete service ${derivedOf(ref).name}`);
  const report =
    'Imported without parts that cannot be used here: an admission policy or a webhook of this cluster changes Service antrea-mc-altered: internalTrafficPolicy "Cluster" to "Local". Exclude the imported Services from it: they have the label app.kubernetes.io/managed-by=isthmus';
  await fleet.eventually('it is reported', () => message(ref), report);
  await fleet.until('by an Event', async () =>
    (await east().view.events({ kind: 'ServiceImport', ...ref })).some((one) => one.startsWith('PartlyImported: ')),
  );
  await expectNoLoop(ref);
  await stop();
  await fleet.eventually('it is gone', () => seenInDryRun('{.spec.internalTrafficPolicy}'), 'Cluster');
  await east().shell(`kubectl -n shop delete service ${derivedOf(ref).name}`);
  await fleet.eventually('nothing is reported', () => message(ref), 'The Service is imported');
});
