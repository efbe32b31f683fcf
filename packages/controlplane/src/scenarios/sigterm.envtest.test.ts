import { EndpointSlice, Service, ServiceImport } from '@isthmus/api';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { checksAllPoints, controllersAsProcesses, startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

/**
 * Controllers as processes, on real API servers, that get SIGTERM in the middle of their work,
 * again and again.
 */
let fleet: RealFleet;
const west = () => fleet.cluster('west');
const east = () => fleet.cluster('east');
const north = () => fleet.leader;

const batch = 5;
/** Each of the three controllers ends once or twice in each test. */
const count = checksAllPoints() ? 30 : 15;
const refOf = (index: number) => ({ namespace: 'shop', name: `svc-${index}` });
const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const turns = () =>
  [
    [west(), 'member'],
    [east(), 'member'],
    [north(), 'leader'],
  ] as const;

beforeAll(async () => {
  fleet = await startRealFleet({
    clusters: { east: 'member', west: 'member', north: 'leader' },
    controllers: controllersAsProcesses,
  });
  await Promise.all([east().user.namespace('shop'), west().user.namespace('shop')]);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

/** The imports of one cluster, without values that differ between runs. */
async function importsOf({ admin }: RealCluster): Promise<readonly string[]> {
  const inShop = { namespace: 'shop' };
  const [imports, services, slices] = await Promise.all([
    admin.list(ServiceImport, inShop),
    admin.list(Service, inShop),
    admin.list(EndpointSlice, inShop),
  ]);
  return [
    ...imports.items.map(
      ({ metadata, spec }) => `ServiceImport ${metadata.name} ${(spec?.ports ?? []).map(({ port }) => port).join()}`,
    ),
    ...services.items.filter(isDerived).map(({ metadata }) => `Service ${metadata.name}`),
    ...slices.items.filter(isDerived).map(({ metadata, endpoints }) => {
      const addresses = (endpoints ?? []).flatMap((endpoint) => endpoint.addresses).length;
      return `EndpointSlice ${metadata.labels?.['multicluster.kubernetes.io/service-name']} ${addresses}`;
    }),
  ].toSorted();
}

const isDerived = ({ metadata }: { readonly metadata: { readonly name: string } }) =>
  metadata.name.startsWith('antrea-mc-');

/** All objects for the Services with these numbers in an importing cluster. */
const importsFor = (indices: readonly number[], portOf: (index: number) => number) =>
  indices
    .flatMap((index) => [
      `ServiceImport svc-${index} ${portOf(index)}`,
      `Service antrea-mc-svc-${index}`,
      `EndpointSlice svc-${index} 1`,
    ])
    .toSorted();

/**
 * Does `work` for each Service, several at a time. In the middle of the consequences, one
 * controller after the other is ended by SIGTERM and started again. `isDone` has to be true for the
 * Services so far before it continues with the next ones.
 */
async function whileControllersEnd(
  work: (index: number) => Promise<unknown>,
  isDone: (upTo: number) => Promise<void>,
): Promise<void> {
  for (let from = 0, turn = 0; from < count; from += batch, turn++) {
    const [cluster, role] = turns()[turn % 3] ?? turns()[0];
    for (const index of all.slice(from, from + batch)) await work(index);
    await cluster.stop(role);
    await cluster.start(role);
    await isDone(from + batch);
  }
}

const all = Array.from({ length: count }, (_, index) => index);

/** Exactly these are exported and imported, each with all its objects. */
async function isAllAsFor(indices: readonly number[], portOf: (index: number) => number): Promise<void> {
  const names = indices.map((index) => `shop-svc-${index}`);
  for (const cluster of [east(), west()])
    await fleet.eventually(`imports of ${cluster.name}`, () => importsOf(cluster), importsFor(indices, portOf));
  const exports = async () => (await north().view.commonArea()).exports;
  const wanted = names.flatMap((name) => [`west-${name}-endpoints`, `west-${name}-service`]).toSorted();
  await fleet.eventually('exports', exports, wanted);
  const { imports } = await north().view.commonArea();
  for (const name of names) expect(imports).toEqual(expect.arrayContaining([`${name}-endpoints`, `${name}-service`]));
  expect(imports.filter((name) => !names.some((one) => name.startsWith(`${one}-`)))).toEqual([]);
  for (const index of indices)
    await fleet.eventually('it is exported', () => west().view.exported(refOf(index), 'Ready'), 'True Exported');
}

it('what is exported while controllers end in the middle of their writes is exported and imported once, and whole', async () => {
  await whileControllersEnd(
    (index) => west().user.exportService(refOf(index), http, `10.20.0.${index + 1}`),
    (upTo) => isAllAsFor(all.slice(0, upTo), () => 80),
  );
});

it('what changes meanwhile arrives, and no imported Service becomes another object', async () => {
  const uids = async () =>
    (await east().admin.list(Service, { namespace: 'shop' })).items
      .filter(isDerived)
      .map(({ metadata }) => `${metadata.name} ${metadata.uid}`);
  const before = await uids();
  const ports = [{ name: 'http', protocol: 'TCP', port: 81, targetPort: 8080 }];
  await whileControllersEnd(
    (index) => west().user.service(refOf(index), { ports }),
    (upTo) => isAllAsFor(all, (index) => (index < upTo ? 81 : 80)),
  );
  expect(await uids()).toEqual(before);
});

it('what is withdrawn meanwhile goes everywhere, and the rest stays', async () => {
  const isKept = (index: number) => index % 5 === 0;
  await whileControllersEnd(
    (index) => (isKept(index) ? Promise.resolve() : west().user.unexport(refOf(index))),
    (upTo) =>
      isAllAsFor(
        all.filter((index) => index >= upTo || isKept(index)),
        () => 81,
      ),
  );
});
