import { sweepRuns } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress } from '@isthmus/machinery';
import { mergeService } from './merge-service.ts';
import { ports, t1 } from './testing/exports.ts';
import { wholeFieldValues } from './testing/whole-field-examples.ts';
import type { ExportedService, Merged } from './types.ts';
import { wholeFieldNames } from './fields/whole-fields.ts';

const numRuns = sweepRuns(120, { oneIn: 6 });
const clusterIDs = ['a', 'b', 'c', 'c-1', 'd.e'] as const;
const times = ['2026-03-01T00:00:00Z', '2026-03-01T01:00:00+01:00', '2026-03-01T00:00:01Z', 'never'] as const;

const somePorts = fc
  .uniqueArray(
    fc.record({
      name: fc.constantFrom('', 'a', 'b'),
      number: fc.constantFrom('TCP 1', 'TCP 2', 'UDP 1'),
      app: fc.constantFrom('', ' h2c'),
    }),
    {
      maxLength: 3,
      comparator: (a, b) => a.name === b.name || a.number === b.number,
    },
  )
  .map((list) => ports(list.map(({ name, number, app }) => `${name || '-'} ${number}${app}`).join(', ')));

const address = fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3', 'fd00::1', 'fd00::2');
const slice = fc.record({
  addressType: fc.constantFrom('IPv4', 'IPv6'),
  endpoints: fc.array(
    fc.record({
      addresses: fc.tuple(address),
      conditions: fc.constantFrom(undefined, {}, { ready: true }, { ready: false }),
    }),
    { maxLength: 3 },
  ),
  ports: somePorts,
});
const subset = fc.record({
  addresses: fc.array(
    address.map((ip) => ({ ip })),
    { maxLength: 3 },
  ),
  notReadyAddresses: fc.array(
    address.map((ip) => ({ ip })),
    { maxLength: 2 },
  ),
  ports: somePorts,
});

/** ClusterIPs with the Pods behind them. */
const sliceWithPods = fc
  .tuple(slice, fc.array(slice, { minLength: 1, maxLength: 2 }))
  .map(([front, behind]) => ({ ...front, pods: behind.map(({ endpoints, ports: of }) => ({ endpoints, ports: of })) }));

/** Exports that an API server may have accepted, apart from addresses of the wrong family. */
const plausible: fc.Arbitrary<ExportedService> = fc
  .record({
    clusterID: fc.constantFrom(...clusterIDs),
    firstExported: fc.constantFrom(...times),
    endpointIPType: fc.constantFrom(undefined, 'ClusterIP', 'PodIP'),
    ports: somePorts,
    clusterIP: fc.constantFrom(undefined, 'None', '10.96.0.1'),
    whole: wholeFieldValues,
    exportedLabels: fc.constantFrom(undefined, { a: '1' }, { a: '2' }),
    endpoints: fc.option(
      fc.record({
        subsets: fc.option(fc.array(subset, { maxLength: 2 }), { nil: undefined }),
        endpointSlices: fc.option(fc.array(fc.oneof(slice, sliceWithPods), { maxLength: 2 }), { nil: undefined }),
      }),
      { nil: undefined },
    ),
  })
  .map(({ ports: servicePorts, clusterIP, whole, ...rest }) => ({
    ...rest,
    service: { ports: servicePorts, clusterIP, ...whole },
  }));

const onePerCluster = fc.uniqueArray(plausible, { minLength: 1, maxLength: 5, selector: ({ clusterID }) => clusterID });

/** Any JSON in any place that is read, beside values that lead deeper. */
const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom(Number.NaN, -1, 65_536, '__proto__', 'None', 'x'.repeat(300)),
);
const wild = (sane: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 5, arbitrary: sane }, { weight: 1, arbitrary: junk });
const wildPort = wild(
  fc.record(
    {
      name: wild(fc.constantFrom('a', 'b', '')),
      port: wild(fc.integer({ min: 1, max: 3 })),
      protocol: wild(fc.constant('TCP')),
      appProtocol: junk,
    },
    { requiredKeys: [] },
  ),
);
const wildPorts = wild(fc.array(wildPort, { maxLength: 4 }));
const wildEndpoint = wild(
  fc.record({
    addresses: wild(fc.array(wild(address), { maxLength: 3 })),
    conditions: junk,
    hostname: junk,
    zone: junk,
  }),
);
const hostile = wild(
  fc.record(
    {
      clusterID: wild(fc.constantFrom(...clusterIDs)),
      firstExported: wild(fc.constantFrom(...times)),
      endpointIPType: junk,
      exportedLabels: wild(fc.dictionary(fc.string(), junk)),
      exportedAnnotations: wild(fc.dictionary(fc.string(), junk)),
      service: wild(
        fc.record({
          ports: wildPorts,
          type: junk,
          clusterIP: junk,
          clusterIPs: wild(fc.constant(['None'])),
          ...Object.fromEntries(wholeFieldNames.map((field) => [field, junk])),
          sessionAffinity: wild(fc.constant('ClientIP')),
          sessionAffinityConfig: wild(fc.record({ clientIP: wild(fc.record({ timeoutSeconds: junk })) })),
          ipFamilies: wild(fc.array(junk)),
        }),
      ),
      endpoints: wild(
        fc.record({
          subsets: wild(
            fc.array(
              wild(fc.record({ addresses: wild(fc.array(wild(fc.record({ ip: wild(address) })))), ports: wildPorts })),
            ),
          ),
          endpointSlices: wild(
            fc.array(
              wild(
                fc.record({
                  addressType: wild(fc.constant('IPv4')),
                  endpoints: wild(fc.array(wildEndpoint)),
                  pods: wild(fc.array(wild(fc.record({ endpoints: wild(fc.array(wildEndpoint)), ports: wildPorts })))),
                  ports: wildPorts,
                }),
              ),
            ),
          ),
        }),
      ),
    },
    { requiredKeys: [] },
  ),
) as fc.Arbitrary<ExportedService>;
const hostileSets = fc.array(fc.oneof(hostile, plausible), { maxLength: 5 });

/** Equal texts are equal results, including the order of maps and sets. */
function textOf(merged: Merged): string {
  return JSON.stringify(merged, (_, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  );
}

describe('the merge', () => {
  it('does not depend on the order of the exports, whatever they hold', () => {
    const shuffled = hostileSets.chain((exports) =>
      fc.tuple(fc.constant(exports), fc.shuffledSubarray(exports, { minLength: exports.length })),
    );
    fc.assert(
      fc.property(shuffled, ([exports, other]) => {
        expect(textOf(mergeService(other))).toBe(textOf(mergeService(exports)));
      }),
      { numRuns },
    );
  });

  it('is idempotent: exports with the values of the result give the same once more', () => {
    fc.assert(
      fc.property(onePerCluster, (exports) => {
        const merged = mergeService(exports);
        const again = mergeService(exports.map((exported) => viewOf(exported, exports, merged)));
        expect(again.import).toEqual(merged.import);
        expect(again.exportedLabels).toEqual(merged.exportedLabels);
        expect(again.subsets).toEqual(merged.subsets);
        expect(again.perCluster).toEqual(merged.perCluster);
        const reasons = new Set([...again.conflicts.values()].map(({ reason }) => reason));
        expect(['NoConflicts', 'PortConflict']).toEqual(expect.arrayContaining([...reasons]));
      }),
      { numRuns },
    );
  });

  it('does not depend on what is published once the endpoints of each exporter have the names of its ports', () => {
    fc.assert(
      fc.property(onePerCluster, somePorts, (exports, published) => {
        const served = exports.map((exported) => ({
          ...exported,
          endpoints: {
            subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: exported.service.ports ?? [] }],
          },
        }));
        expect(textOf(mergeService(served, published))).toBe(textOf(mergeService(served)));
      }),
      { numRuns },
    );
  });

  it('treats equal times as if each cluster had exported after the one with the next lower ID', () => {
    fc.assert(
      fc.property(onePerCluster, (exports) => {
        const atOnce = mergeService(exports.map((exported) => ({ ...exported, firstExported: t1 })));
        const inTurn = mergeService(
          exports.map((exported) => ({
            ...exported,
            firstExported: `2026-03-01T00:00:0${clusterIDs.findIndex((id) => id === exported.clusterID)}Z`,
          })),
        );
        const decided = ({ conflicts, ...rest }: Merged) => ({
          ...rest,
          reasons: [...conflicts].map(([id, { reason }]) => [id, reason]),
        });
        expect(decided(atOnce)).toEqual(decided(inTurn));
      }),
      { numRuns },
    );
  });

  it('leaves a port out only where the union has its name or its number', () => {
    fc.assert(
      fc.property(onePerCluster, (exports) => {
        const union = mergeService(exports).import?.ports ?? [];
        for (const port of exports.flatMap(({ service }) => service.ports ?? [])) {
          expect(
            union.some(
              ({ name, protocol, port: number }) =>
                name === port.name || (protocol === port.protocol && number === port.port),
            ),
          ).toBe(true);
        }
      }),
      { numRuns },
    );
  });

  it('returns for everything that JSON can express, and only what an API server takes', () => {
    let usable = 0;
    fc.assert(
      fc.property(hostileSets, (exports) => {
        const merged = mergeService(exports);
        usable += merged.accepted.size;
        expectAcceptable(merged);
        if (merged.accepted.size < exports.length) expect(merged.problems.length).toBeGreaterThan(0);
      }),
      { numRuns, seed: 7 },
    );
    // The generator reaches the inside: about one export in two is usable.
    expect(usable).toBeGreaterThan(numRuns / 2);
  });

  it('carries no state from one call to the next and changes no input', () => {
    fc.assert(
      fc.property(onePerCluster, (exports) => {
        const before = JSON.stringify(exports);
        const first = textOf(mergeService(exports));
        expect(textOf(mergeService(exports))).toBe(first);
        expect(JSON.stringify(exports)).toBe(before);
      }),
      { numRuns: 50 },
    );
  });
});

/** The merged result of one cluster, as that cluster's export. */
function viewOf(exported: ExportedService, all: readonly ExportedService[], merged: Merged): ExportedService {
  const own = exported.service.ports ?? [];
  const { clusterID } = exported;
  const alone = mergeService(all.map((each) => (each === exported ? each : { ...each, endpoints: undefined })));
  const { type, ports: union = [], ...fields } = merged.import ?? {};
  return {
    ...exported,
    endpointIPType: 'PodIP',
    exportedLabels: merged.exportedLabels,
    service: {
      ...fields,
      clusterIP: type === 'Headless' ? 'None' : undefined,
      ports: union.filter((port) =>
        own.some((mine) => mine.name === port.name && mine.protocol === port.protocol && mine.port === port.port),
      ),
    },
    endpoints: { subsets: alone.subsets, endpointSlices: merged.perCluster.get(clusterID) },
  };
}

function expectAcceptable(merged: Merged): void {
  const union = merged.import?.ports ?? [];
  const distinct = (texts: readonly string[]) => expect(new Set(texts).size).toBe(texts.length);
  distinct(union.map(({ name = '' }) => name));
  distinct(union.map(({ protocol, port }) => `${protocol} ${port}`));
  const served = [
    ...merged.subsets.map(({ ports: own }) => own),
    ...[...merged.perCluster.values()].flat().map(({ ports: own }) => own),
  ];
  for (const { name = '', protocol, port } of [union, ...served].flat()) {
    expect(name).toMatch(/^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/);
    expect(['TCP', 'UDP', 'SCTP']).toContain(protocol);
    expect(Number.isInteger(port) && port > 0 && port < 65_536).toBe(true);
  }
  const addresses = [
    ...merged.subsets.flatMap((each) => each.addresses.map(({ ip }) => ({ ip, family: parseAddress(ip)?.family }))),
    ...[...merged.perCluster.values()]
      .flat()
      .flatMap(({ addressType, endpoints }) =>
        endpoints.flatMap((each) => each.addresses.map((ip) => ({ ip, family: addressType }))),
      ),
  ];
  for (const { ip, family } of addresses) expect(parseAddress(ip)?.family).toBe(family ?? 'an address');
  for (const { reason, message } of merged.conflicts.values()) {
    expect(reason).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
    expect(message.length).toBeLessThanOrEqual(32_768);
  }
  for (const { message } of merged.problems) expect(message.length).toBeLessThan(300);
  for (const [key, value] of Object.entries({ ...merged.exportedLabels }))
    expect(`${key} ${value}`).toMatch(/^[\w./-]+ [\w.-]*$/);
}
