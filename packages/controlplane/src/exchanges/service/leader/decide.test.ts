import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { antreaImport, decide, exportsOf, now, ours, saidOf, wantedOf } from './testing/exports.ts';

const t1 = '2026-11-21T10:00:00Z';
const t2 = '2026-11-21T10:00:01Z';

const importsAs = (base: string, ref: string, clusterID: string) =>
  [`${base}-endpoints.${clusterID}`, `${base}-endpoints`, `${base}-service`].map((name) => `${name} ${ref}`);
const webApi = importsAs('prod-web-api', 'prod/web-api', 'east');
const api = importsAs('prod-web-api', 'prod-web/api', 'west');
const [dottedWebApi, dottedApi] = [
  importsAs('prod.web-api', 'prod/web-api', 'east'),
  importsAs('prod-web.api', 'prod-web/api', 'west'),
];
const published = (decision: ReturnType<typeof decide>) =>
  decision.wanted.map((object): ResourceImport => ours({ ...object, metadata: { ...object.metadata, uid: 'x' } }));

describe('two Services whose imports would have one name', () => {
  const both = (first: string, second: string) => [
    ...exportsOf('east', 'prod/web-api', { created: first }),
    ...exportsOf('west', 'prod-web/api', { created: second }),
  ];

  it.each([
    ['prod/web-api is older', t1, t2, [...webApi, ...dottedApi], 'west', 'prod-web.api-service'],
    ['prod-web/api is older', t2, t1, [...api, ...dottedWebApi], 'east', 'prod.web-api-service'],
    ['both are equally old', t1, t1, [...webApi, ...dottedApi], 'west', 'prod-web.api-service'],
  ])('are published under two names, of which the older one has the usual one: %s', (...row) => {
    const [, first, second, wanted, younger, name] = row;
    const exports = both(first, second);
    for (const order of [exports, exports.toReversed()]) {
      const decision = decide(order);
      expect(wantedOf(decision)).toEqual(wanted);
      const said = new Map(
        decision.statuses.map(({ object, conditions: [one] }) => [object.metadata.name, one?.message]),
      );
      const note = `Published as ResourceImport ${name}, because another Service had the name prod-web-api-service when it was published. Isthmus members of earlier releases do not import it`;
      const older = younger === 'west' ? 'east' : 'west';
      expect([said.get(`${younger}-prod-web-api-service`), said.get(`${older}-prod-web-api-service`)]).toEqual([
        note,
        undefined,
      ]);
    }
  });

  it('the published one keeps its names, also if the other one was exported earlier', () => {
    const young = exportsOf('east', 'prod/web-api', { created: t2 });
    const decision = decide(both(t2, t1), published(decide(young)));
    expect(wantedOf(decision)).toEqual([...dottedApi, ...webApi]);
    expect(decision.unwanted).toEqual([]);
  });

  it('the one whose name has a dot keeps it when the other is withdrawn, and loses it when it is withdrawn itself', () => {
    const before = published(decide(both(t1, t2)));
    const [west] = [exportsOf('west', 'prod-web/api', { created: t2 })];
    const decision = decide([...exportsOf('east', 'prod/web-api', { created: t1, deleted: true }), ...west], before);
    expect(wantedOf(decision)).toEqual(dottedApi);
    expect(decision.unwanted.map(({ metadata }) => metadata.name)).toEqual([
      'prod-web-api-service',
      'prod-web-api-endpoints',
      'prod-web-api-endpoints.east',
    ]);
    expect(decision.released.map(({ metadata }) => metadata.name)).toEqual([
      'east-prod-web-api-service',
      'east-prod-web-api-endpoints',
    ]);
    expect(wantedOf(decide(west))).toEqual(api);
  });

  it('of which one is held, although its exports are lost: its names stay, too', () => {
    const before = published(decide(exportsOf('east', 'prod/web-api', { created: t1 })));
    const decision = decide(exportsOf('west', 'prod-web/api', { created: t2 }), before, { isKept: () => true });
    expect(wantedOf(decision)).toEqual(dottedApi);
    expect(decision.unwanted).toEqual([]);
  });

  it('of which only a part is published: the names of that part stay', () => {
    const [part] = published(decide(both(t1, t2))).filter(({ metadata }) => metadata.name === 'prod-web.api-endpoints');
    const west = exportsOf('west', 'prod-web/api', { created: t2 });
    expect(wantedOf(decide(west, part === undefined ? [] : [part]))).toEqual(dottedApi);
    const stamp = ours({
      metadata: {
        name: 'prod-web-api-endpoints.west',
        labels: { sourceClusterID: 'west' },
        annotations: { 'isthmus.dev/first-exported': t1 },
      },
      spec: { kind: 'EndpointSlices', namespace: 'prod-web', name: 'api' },
    });
    const exports = both(t2, '2026-11-21T11:00:00Z');
    expect(wantedOf(decide(exports, [stamp]))).toEqual([...api, ...dottedWebApi]);
  });

  it('of which one is published under both names, as an Antrea leader leaves it: the one with a dash stays', () => {
    const west = exportsOf('west', 'prod-web/api', { created: t2 });
    const dotted = published(decide(both(t1, t2))).filter(({ spec }) => spec?.name === 'api');
    const joined = [
      antreaImport('prod-web-api-service', 'prod-web/api', 'ServiceImport'),
      antreaImport('prod-web-api-endpoints', 'prod-web/api', 'Endpoints'),
    ];
    const decision = decide(west, [...dotted, ...joined]);
    expect(wantedOf(decision)).toEqual(api);
    expect(decision.unwanted.map(({ metadata }) => metadata.name)).toEqual([
      'prod-web.api-service',
      'prod-web.api-endpoints',
      'prod-web.api-endpoints.west',
    ]);
  });

  it('whose Namespace ends like an import of endpoints is not published beside another one, which is reported', () => {
    const decision = decide([
      ...exportsOf('east', 'a/endpoints-b', { created: t1 }),
      ...exportsOf('west', 'a-endpoints/b', { created: t2 }),
    ]);
    expect(wantedOf(decision)).toEqual(importsAs('a-endpoints-b', 'a/endpoints-b', 'east'));
    expect(saidOf(decision)).toContain(
      'west-a-endpoints-b-service=ResourceImport a-endpoints-b-service already belongs to Service a/endpoints-b, which was exported first: both have the same name there. Use another name for one of the two Services or Namespaces.',
    );
  });

  it('an import with a dot that this leader did not make stays, and is reported', () => {
    const foreign = antreaImport('prod-web.api-service', 'other/thing', 'ServiceImport');
    const decision = decide(both(t1, t2), [foreign]);
    expect(wantedOf(decision)).toEqual(webApi);
    expect(saidOf(decision)).toContain(
      'west-prod-web-api-service=ResourceImport prod-web.api-service exists and was not created by this leader. Delete it, or export the Service under another name.',
    );
  });

  it('are exported by one cluster, which has two names for them', () => {
    const decision = decide([
      ...exportsOf('west', 'prod/web-api', { created: t1 }),
      ...exportsOf('west', 'prod-web/api', { created: t2, joint: '.' }),
    ]);
    expect(wantedOf(decision)).toEqual([...importsAs('prod-web-api', 'prod/web-api', 'west'), ...dottedApi]);
  });

  it('an export under both of its names counts once, under the one with a dash', () => {
    const decision = decide([
      ...exportsOf('west', 'prod-web/api', { created: t1, joint: '.', port: 81 }),
      ...exportsOf('west', 'prod-web/api', { created: t2 }),
    ]);
    expect(wantedOf(decision)).toEqual(api);
    expect(decision.wanted.at(-1)?.spec?.serviceImport?.spec?.ports?.map(({ port }) => port)).toEqual([80]);
    expect(saidOf(decision)).toContain(
      'west-prod-web.api-service=Not merged: cluster west exports the same as ResourceExport west-prod-web-api-service. The exporting member must delete one of the two.',
    );
  });
});

describe('malformed exports', () => {
  const [service, endpoints] = exportsOf('east', 'shop/cart');
  const broken = (object: ResourceExport | undefined, spec: object): ResourceExport => ({
    metadata: object?.metadata ?? { name: '' },
    spec: { ...object?.spec, ...spec },
  });

  it('fail with the reason, and the exports of other clusters are merged', () => {
    const decision = decide([
      broken(service, { service: undefined }),
      broken(endpoints, { endpoints: undefined }),
      ...exportsOf('west', 'shop/cart'),
    ]);
    expect(wantedOf(decision)).toEqual([
      'shop-cart-endpoints.west shop/cart',
      'shop-cart-endpoints shop/cart',
      'shop-cart-service shop/cart',
    ]);
    expect(saidOf(decision)).toEqual([
      'east-shop-cart-endpoints=Not merged: spec.endpoints is missing. The exporting member must correct it.',
      'east-shop-cart-service=Not merged: spec.service.serviceSpec is missing. The exporting member must correct it.',
      'west-shop-cart-endpoints',
      'west-shop-cart-service',
    ]);
  });

  it('fail with the type and reason that Antrea writes, status False', () => {
    const { statuses } = decide([broken(service, { service: undefined })]);
    expect(statuses[0]?.conditions).toEqual([
      {
        type: 'Failure',
        status: 'False',
        reason: 'ConvergeFailure',
        message: 'Not merged: spec.service.serviceSpec is missing. The exporting member must correct it.',
        lastTransitionTime: now,
      },
    ]);
  });

  it('endpoints without a Service report what they wait for', () => {
    const decision = decide(exportsOf('east', 'shop/cart').slice(1));
    expect(wantedOf(decision)).toEqual([]);
    expect(saidOf(decision)).toEqual(['east-shop-cart-endpoints=Waiting for the Service export of cluster east']);
  });

  it.each(['default/kubernetes', 'kube-system/kube-dns'])('of %s report that no cluster imports it', (service) => {
    for (const { conditions } of decide(exportsOf('east', service)).statuses)
      expect(conditions[0]).toMatchObject({
        type: 'Succeeded',
        status: 'True',
        message: 'No cluster imports it: each has a Service of this name for itself',
      });
  });

  it('the parts that the merge leaves out are reported to the exporter, which still succeeds', () => {
    const [good, bad] = exportsOf('east', 'shop/cart', { ip: '127.0.0.1' });
    const { statuses } = decide(good === undefined || bad === undefined ? [] : [good, bad]);
    const [first] = statuses.find(({ object }) => object.spec?.kind === 'Endpoints')?.conditions ?? [];
    expect(first).toMatchObject({ type: 'Succeeded', status: 'True' });
    expect(first?.message).toMatch(/^Merged without parts that are not valid: .*127\.0\.0\.1/);
  });
});

describe('imports that exist already', () => {
  const exports = exportsOf('east', 'shop/cart');

  it('of Antrea are taken over where an export matches them', () => {
    const imports = [
      antreaImport('shop-cart-service', 'shop/cart', 'ServiceImport'),
      antreaImport('shop-cart-endpoints', 'shop/cart', 'Endpoints'),
    ];
    const decision = decide(exports, imports);
    expect(wantedOf(decision)).toHaveLength(3);
    expect(decision.unwanted).toEqual([]);
    expect(saidOf(decision)).toEqual(['east-shop-cart-endpoints', 'east-shop-cart-service']);
  });

  it('of Antrea go with the last export that matches them', () => {
    const imports = [
      antreaImport('shop-cart-service', 'shop/cart', 'ServiceImport'),
      antreaImport('shop-cart-endpoints', 'shop/cart', 'Endpoints'),
    ];
    const decision = decide(exportsOf('east', 'shop/cart', { deleted: true }), imports);
    expect(decision.unwanted).toEqual(imports);
  });

  it('without a label and without an export are left alone', () => {
    const imports = [
      antreaImport('shop-cart-service', 'shop/cart', 'ServiceImport'),
      antreaImport('shop-cart-endpoints', 'shop/cart', 'Endpoints'),
    ];
    expect(decide([], imports)).toMatchObject({ wanted: [], unwanted: [], statuses: [], released: [] });
  });

  it('with our label and without an export go, the Service first', () => {
    const imports = [
      ours(antreaImport('shop-cart-endpoints', 'shop/cart', 'Endpoints')),
      ours(antreaImport('shop-cart-service', 'shop/cart', 'ServiceImport')),
    ];
    expect(decide([], imports).unwanted.map(({ metadata }) => metadata.name)).toEqual([
      'shop-cart-service',
      'shop-cart-endpoints',
    ]);
  });

  it.each([
    ['speaks of another Service', antreaImport('shop-cart-service', 'other/thing', 'ServiceImport')],
    ['has another kind', { metadata: { name: 'shop-cart-service' }, spec: { kind: 'ClusterInfo' } }],
    ['has no spec', { metadata: { name: 'shop-cart-endpoints' } }],
    [
      'stands in the way of the endpoints of one cluster',
      { metadata: { name: 'shop-cart-endpoints.east' }, spec: { kind: 'Other' } },
    ],
  ])('a foreign one that %s is not touched; it is reported to the exporters', (_, foreign) => {
    const decision = decide(exports, [foreign]);
    expect([decision.wanted, decision.unwanted]).toEqual([[], []]);
    const message = `ResourceImport ${foreign.metadata.name} exists and was not created by this leader. Delete it, or export the Service under another name.`;
    expect(saidOf(decision)).toEqual([`east-shop-cart-endpoints=${message}`, `east-shop-cart-service=${message}`]);
  });

  it('a foreign import stays when the export is deleted, and the export is released', () => {
    const foreign = antreaImport('shop-cart-service', 'other/thing', 'ServiceImport');
    const decision = decide(exportsOf('east', 'shop/cart', { deleted: true }), [foreign]);
    expect(decision.unwanted).toEqual([]);
    expect(decision.released).toHaveLength(2);
  });

  it('of a cluster that has withdrawn go, those of the others stay', () => {
    const perCluster = (clusterID: string) =>
      ours({
        metadata: { name: `shop-cart-endpoints.${clusterID}`, labels: { sourceClusterID: clusterID } },
        spec: { kind: 'EndpointSlices', namespace: 'shop', name: 'cart' },
      });
    const decision = decide(exports, [perCluster('east'), perCluster('west')]);
    expect(decision.unwanted.map(({ metadata }) => metadata.name)).toEqual(['shop-cart-endpoints.west']);
  });
});

describe('halves of exports that may be on their way', () => {
  const [service, endpoints] = exportsOf('east', 'shop/cart');
  const halves = (half: ResourceExport | undefined) => (half === undefined ? [] : [half]);
  const incompleteForMs = new Map<string, number>();

  it.each([
    ['a Service without endpoints', service],
    ['endpoints without a Service', endpoints],
  ])('%s are waited for, without a report yet', (_, half) => {
    const decision = decide(halves(half), [], { incompleteForMs });
    expect(decision).toMatchObject({ wanted: [], statuses: [], wait: { forMs: 1_000 } });
  });

  it('a Service of an exporter that always writes both waits for a minute: its importers may have endpoints of it still', () => {
    const ours = exportsOf('east', 'shop/cart', { annotations: { 'isthmus.dev/withdrawals': 'marked' } })[0];
    const after = (ms: number) =>
      decide(halves(ours), [], { incompleteForMs: new Map([['east shop/cart Service', ms]]) });
    expect(after(0)).toMatchObject({ wanted: [], statuses: [], wait: { forMs: 60_000 } });
    expect(after(45_000)).toMatchObject({ wanted: [], statuses: [], wait: { forMs: 15_000 } });
    expect(wantedOf(after(60_000))).toHaveLength(3);
  });

  describe('of a Service that is published', () => {
    const [half] = exportsOf('east', 'shop/cart', { annotations: { 'isthmus.dev/withdrawals': 'marked' } });
    const published = ours(antreaImport('shop-cart-service', 'shop/cart', 'ServiceImport'));
    const after = (ms: number, connectedMs: number | undefined, more: readonly ResourceExport[] = []) =>
      decide([...halves(half), ...more], [published], {
        incompleteForMs: new Map([['east shop/cart Service', ms]]),
        connectedMsOf: () => connectedMs,
      });

    it('neither withdraw it, nor publish it without endpoints, before the exporter has sent heartbeats for a minute', () => {
      const waiting = { wanted: [], unwanted: [], statuses: [] };
      expect(after(0, undefined)).toMatchObject({ ...waiting, wait: { forMs: 60_000 } });
      expect(after(3_600_000, undefined)).toMatchObject({ ...waiting, wait: { forMs: 60_000 } });
      expect(after(3_600_000, 20_000)).toMatchObject({ ...waiting, wait: { forMs: 40_000 } });
      expect(after(20_000, 3_600_000)).toMatchObject({ ...waiting, wait: { forMs: 40_000 } });
      expect(wantedOf(after(60_000, 60_000))).toHaveLength(3);
    });

    it('do not make way for another Service of that name, and do not hold up other exporters', () => {
      const [younger] = exportsOf('east', 'prod/web-api', { annotations: { 'isthmus.dev/withdrawals': 'marked' } });
      const of = ours(antreaImport('prod-web-api-service', 'prod/web-api', 'ServiceImport'));
      const clash = decide([...halves(younger), ...exportsOf('west', 'prod-web/api')], [of], {
        incompleteForMs,
        connectedMsOf: () => undefined,
      });
      expect(clash).toMatchObject({ unwanted: [], wait: { forMs: 60_000 } });
      expect(wantedOf(clash)).toEqual(dottedApi);
      const beside = after(0, undefined, exportsOf('west', 'shop/cart'));
      expect(beside.unwanted).toEqual([]);
      expect(wantedOf(beside)).toHaveLength(3);
    });
  });

  it('a Service waits for endpoints that have lost the label of their cluster, until that has been heard for a minute', () => {
    const [ours, other] = exportsOf('east', 'shop/cart', { annotations: { 'isthmus.dev/withdrawals': 'marked' } });
    const unseen = other === undefined ? [] : [{ ...other, metadata: { ...other.metadata, labels: {} } }];
    const after = (ms: number, connectedMs: number | undefined) =>
      decide([...halves(ours), ...unseen], [], {
        incompleteForMs: new Map([['east shop/cart Service', ms]]),
        connectedMsOf: () => connectedMs,
      });
    expect(after(3_600_000, undefined)).toMatchObject({ wanted: [], wait: { forMs: 60_000 } });
    expect(after(3_600_000, 20_000)).toMatchObject({ wanted: [], wait: { forMs: 40_000 } });
    expect(wantedOf(after(60_000, 60_000))).toHaveLength(3);
  });

  it('a Service waits no longer for endpoints that are there and not valid', () => {
    const [ours, other] = exportsOf('east', 'shop/cart', { annotations: { 'isthmus.dev/withdrawals': 'marked' } });
    const invalid = other === undefined ? [] : [{ ...other, spec: { ...other.spec, endpoints: undefined } }];
    expect(decide([...halves(ours), ...invalid], [], { incompleteForMs }).wait?.forMs).toBe(1_000);
  });

  it('a Service is published without endpoints when it has waited long enough', () => {
    const decision = decide(halves(service));
    expect(wantedOf(decision)).toHaveLength(3);
    expect(decision.wait).toBeUndefined();
  });

  it('a Service that is published already is not held back when its endpoints go', () => {
    const published = ours({
      metadata: { name: 'shop-cart-endpoints.east', labels: { sourceClusterID: 'east' } },
      spec: { kind: 'EndpointSlices', namespace: 'shop', name: 'cart' },
    });
    const decision = decide(halves(service), [published], { incompleteForMs });
    expect(wantedOf(decision)).toHaveLength(3);
    expect(decision.wait).toBeUndefined();
  });

  it('the other clusters do not wait along', () => {
    const decision = decide([...halves(service), ...exportsOf('west', 'shop/cart')], [], { incompleteForMs });
    expect(wantedOf(decision)).toEqual([
      'shop-cart-endpoints.west shop/cart',
      'shop-cart-endpoints shop/cart',
      'shop-cart-service shop/cart',
    ]);
    expect(decision.wait?.forMs).toBe(1_000);
  });
});

describe('exports that go', () => {
  it.each([
    ['the finalizer of today', ['resourceexport.antrea.io/finalizer'], 2],
    ['the legacy finalizer', ['resourceexport.finalizers.antrea.io'], 2],
    ['both', ['resourceexport.antrea.io/finalizer', 'resourceexport.finalizers.antrea.io'], 2],
    ["somebody else's finalizer only", ['example.com/held'], 0],
  ])('are released where they carry %s', (_, finalizers, released) => {
    const decision = decide(exportsOf('east', 'shop/cart', { deleted: true, finalizers }));
    expect(decision.released).toHaveLength(released);
    expect(decision.statuses).toEqual([]);
  });

  it('malformed ones are released too', () => {
    const [service] = exportsOf('east', 'shop/cart', { deleted: true });
    const decision = decide([{ metadata: service?.metadata ?? { name: '' } }]);
    expect(decision.released).toHaveLength(1);
  });
});

describe('conditions', () => {
  it('begin with the one about success, which is the one that Antrea reads', () => {
    const { statuses } = decide([...exportsOf('east', 'shop/cart'), ...exportsOf('west', 'shop/cart', { port: 81 })]);
    expect(
      statuses.map(({ object, conditions }) => [
        object.spec?.kind,
        conditions.map(({ type, status }) => `${type} ${status}`),
      ]),
    ).toEqual([
      ['Service', ['Succeeded True', 'Conflict True']],
      ['Endpoints', ['Succeeded True']],
      ['Service', ['Succeeded True', 'Conflict True']],
      ['Endpoints', ['Succeeded True']],
    ]);
  });

  it('are left out where the published import shows everything to its only exporter', () => {
    const readers = { allReadMerged: true, unanswered: new Set(['east']) };
    const exports = exportsOf('east', 'shop/cart');
    expect(decide(exports, [], { readers }).statuses).toEqual([]);
    expect(decide(exports, [], { readers: { ...readers, unanswered: new Set() } }).statuses).toHaveLength(2);
    expect(decide([...exports, ...exportsOf('west', 'shop/cart')], [], { readers }).statuses).toHaveLength(4);
    const refused = new Map([['shop-cart-endpoints', 'too large']]);
    expect(saidOf(decide(exports, [], { readers, refused }))).toEqual([
      'east-shop-cart-endpoints=Not published: too large',
      'east-shop-cart-service=Not published: too large',
    ]);
    // A former status does not stay.
    const [service, ...others] = exports;
    const status = { conditions: [{ type: 'Failure', status: 'False' as const, lastTransitionTime: now }] };
    const said = decide([{ metadata: { name: '' }, ...service, status }, ...others], [], { readers });
    expect(saidOf(said)).toEqual(['east-shop-cart-service']);
  });

  it('keep their time while nothing changes, and replace the opposite', () => {
    const before = '2026-11-21T11:00:00Z';
    const [service, endpoints] = exportsOf('east', 'shop/cart').map((object) => ({
      ...object,
      status: {
        conditions:
          object.spec?.kind === 'Service'
            ? [{ type: 'Succeeded', status: 'True' as const, lastTransitionTime: before }]
            : [{ type: 'Failure', status: 'False' as const, reason: 'ConvergeFailure', lastTransitionTime: before }],
      },
    }));
    if (service === undefined || endpoints === undefined) throw new Error('two halves');
    const { statuses } = decide([service, endpoints]);
    expect(statuses[0]?.conditions[0]?.lastTransitionTime).toBe(before);
    expect(statuses[1]?.conditions).toEqual([{ type: 'Succeeded', status: 'True', lastTransitionTime: now }]);
  });

  it('other ports of a second exporter are a conflict of both, not a failure', () => {
    const decision = decide([
      ...exportsOf('east', 'shop/cart', { created: t1 }),
      ...exportsOf('west', 'shop/cart', { created: t2, port: 81 }),
    ]);
    const messages = decision.statuses.flatMap(({ conditions }) =>
      conditions.filter(({ type }) => type === 'Conflict'),
    );
    expect(messages.map(({ reason }) => reason)).toEqual(['PortConflict', 'PortConflict']);
  });
});
