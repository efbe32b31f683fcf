import { ServiceExport, ServiceImport } from '@isthmus/api';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

let fleet: RealFleet;
const members = () => [fleet.cluster('east'), fleet.cluster('west')];

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { east: 'member', west: 'member', north: 'leader' } });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];

/**
 * Exports `shop` of the Namespace. The Service and the ServiceExport have their own labels and
 * annotations, which are not exported.
 */
async function exportWith(cluster: RealCluster, namespace: string, spec: ServiceExport['spec']): Promise<void> {
  const ref = { namespace, name: 'cart' };
  const own = { labels: { own: 'label' }, annotations: { own: 'annotation' } };
  await cluster.user.service(ref, { ports: http });
  await cluster.user.serve(ref, ['10.20.1.5'], http);
  await cluster.admin.create(ServiceExport, { metadata: { ...ref, ...own }, spec });
  await fleet.eventually('exported', () => cluster.view.exported(ref, 'Ready'), 'True Exported');
}

/** The labels and annotations of the import without ours. */
async function imported(cluster: RealCluster, namespace: string) {
  const { labels = {}, annotations = {} } =
    (await cluster.user.find(ServiceImport, { namespace, name: 'cart' }))?.metadata ?? {};
  const theirs = (map: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(map).filter(([key]) => !/^(isthmus\.dev|app\.kubernetes\.io)\//.test(key)));
  return { labels: theirs(labels), annotations: theirs(annotations) };
}

it('exactly the exported labels and annotations are on the import in every cluster, and change with the export', async () => {
  const namespace = 'metadata';
  for (const member of members()) await member.user.namespace(namespace);
  const [east, west] = members() as [RealCluster, RealCluster];
  await exportWith(west, namespace, {
    exportedLabels: { team: 'shop', 'app.kubernetes.io/part-of': 'store' },
    exportedAnnotations: { 'example.com/note': 'text' },
  });
  for (const member of members())
    await fleet.eventually('imported', () => imported(member, namespace), {
      labels: { team: 'shop' },
      annotations: { 'example.com/note': 'text' },
    });
  const found = await east.user.find(ServiceImport, { namespace, name: 'cart' });
  expect(found?.metadata.labels?.['app.kubernetes.io/part-of']).toBe('store');
  const body = { spec: { exportedLabels: { team: null, tier: 'web' }, exportedAnnotations: null } };
  await west.admin.patch(ServiceExport, { namespace, name: 'cart' }, { type: 'merge', body });
  for (const member of members())
    await fleet.eventually('changed', () => imported(member, namespace), { labels: { tier: 'web' }, annotations: {} });
});

it('of two clusters that export different ones those of the first count alone, and both report the conflict', async () => {
  const namespace = 'metadata-conflict';
  for (const member of members()) await member.user.namespace(namespace);
  const [east, west] = members() as [RealCluster, RealCluster];
  // Creation times have whole seconds. If two are equal, the lower ID counts as the older.
  await exportWith(east, namespace, { exportedLabels: { first: 'yes' }, exportedAnnotations: { first: 'yes' } });
  await exportWith(west, namespace, { exportedLabels: { second: 'yes' }, exportedAnnotations: { second: 'yes' } });
  const ref = { namespace, name: 'cart' };
  for (const member of members())
    await fleet.eventually(
      'reported',
      () => member.view.exported(ref, 'Conflict'),
      'True AnnotationsConflict,LabelsConflict',
    );
  for (const member of members())
    await fleet.eventually('imported', () => imported(member, namespace), {
      labels: { first: 'yes' },
      annotations: { first: 'yes' },
    });
});
