/**
 * Compares the merge with an oracle that shares no code with it (testing/oracle.ts names its
 * sources), and checks the laws that follow from the rules. Each generated case is rendered twice:
 * for the oracle unchanged, and for the merge as its input on the wire.
 */
import { sweepRuns } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeService } from './merge-service.ts';
import { exporterSets, onTheWire } from './testing/exporters.ts';
import { byPrecedence, oracleReasons, oracleVerdict, precedes } from './testing/oracle.ts';
import type { Exporter, Served, Verdict } from './testing/oracle.ts';
import { inWords, portRows } from './testing/port-table.ts';
import { servedBySlices, servedBySubsets, verdictOf } from './testing/verdict-of.ts';
import { conflictReasons } from './conflict-reasons.ts';
import type { Merged } from './types.ts';

/** The share of each law's inputs that `npm test` generates. */
const share = { oneIn: 6 };

const merge = (exporters: readonly Exporter[]): Merged => mergeService(exporters.map(onTheWire));

/** Equal texts are equal results, including the order of maps and sets. */
const textOf = (merged: Merged): string =>
  JSON.stringify(merged, (_, value: unknown) => (value instanceof Map || value instanceof Set ? [...value] : value));

const repeated = (texts: readonly string[]): readonly string[] =>
  texts.filter((text, index) => texts.indexOf(text) !== index);

const ofTwo = exporterSets.filter((exporters) => exporters.length > 1);

describe('the table of docs/spec/merge.md §3', () => {
  it.each(portRows)('row $row', ({ exporters, merged, reason, accepted }) => {
    const byHand = { merged, reason, reasons: [reason], accepted };
    expect(inWords(oracleVerdict(exporters))).toEqual(byHand);
    expect(inWords(verdictOf(merge(exporters)))).toEqual(byHand);
    expect(verdictOf(merge(exporters))).toEqual(oracleVerdict(exporters));
  });
});

describe('the merge over generated exporters', () => {
  it('equals the oracle', () => {
    fc.assert(
      fc.property(exporterSets, (exporters) => {
        expect(verdictOf(merge(exporters))).toEqual(oracleVerdict(exporters));
      }),
      { numRuns: sweepRuns(400, share) },
    );
  });

  it('gives the same bytes for every order of the exports', () => {
    fc.assert(
      fc.property(
        ofTwo.chain((exporters) =>
          fc.tuple(fc.constant(exporters), fc.shuffledSubarray([...exporters], { minLength: exporters.length })),
        ),
        ([exporters, shuffled]) => {
          expect(textOf(merge(shuffled))).toBe(textOf(merge(exporters)));
        },
      ),
      { numRuns: sweepRuns(75, share) },
    );
  });

  it('changes nothing when an export with the values of the import comes last', () => {
    fc.assert(
      fc.property(exporterSets, (exporters) => {
        const before = verdictOf(merge(exporters));
        const [oldest] = byPrecedence(exporters);
        if (oldest === undefined) return;
        const view: Exporter = {
          ...oldest,
          clusterID: 'zenith',
          firstExported: '2026-03-02T00:00:00Z',
          ports: before.import.ports.map((port) => ({ ...port, targetPort: 8080 })),
          groups: [],
        };
        const after = verdictOf(merge([...exporters, view]));
        expect(after.import).toEqual(before.import);
        expect(after.merged).toEqual(before.merged);
        for (const { clusterID } of exporters) {
          expect(after.clusters[clusterID]?.accepted).toEqual(before.clusters[clusterID]?.accepted);
          expect(after.clusters[clusterID]?.served).toEqual(before.clusters[clusterID]?.served);
        }
        const alone = verdictOf(merge([view]));
        expect(alone.import).toEqual(before.import);
        expect(alone.clusters['zenith']).toMatchObject({ status: 'False', reason: 'NoConflicts' });
      }),
      { numRuns: sweepRuns(75, share) },
    );
  });

  it('prefers the bytewise smallest cluster ID when all exports are of the same instant', () => {
    const sameInstant = ['2026-03-01T00:00:00Z', '2026-03-01T00:00:00.000Z', '2026-03-01T01:00:00+01:00'];
    fc.assert(
      fc.property(
        ofTwo,
        fc.array(fc.constantFrom(...sameInstant), { minLength: 6, maxLength: 6 }),
        (drawn, spellings) => {
          const exporters = drawn.map((one, index) => ({ ...one, firstExported: spellings[index] ?? '' }));
          const smallest = exporters.toSorted((a, b) => (a.clusterID < b.clusterID ? -1 : 1))[0];
          const spec = merge(exporters).import;
          expect(spec?.type).toBe(smallest?.headless === true ? 'Headless' : 'ClusterSetIP');
          expect(spec?.trafficDistribution).toBe(smallest?.trafficDistribution);
          expect(spec?.ports.slice(0, smallest?.ports.length).map(({ port }) => port)).toEqual(
            smallest?.ports.map(({ port }) => port),
          );
        },
      ),
      { numRuns: sweepRuns(75, share) },
    );
  });

  it('keeps the ports of the older exporters when a younger one goes', () => {
    fc.assert(
      fc.property(ofTwo, fc.nat(), (exporters, pick) => {
        const gone = exporters[pick % exporters.length];
        if (gone === undefined) return;
        const remaining = exporters.filter((one) => one !== gone);
        if (remaining.length === 0) return;
        const olderOnes = remaining.filter((one) => precedes(one, gone));
        const [before, after] = [verdictOf(merge(exporters)), verdictOf(merge(remaining))];
        for (const { clusterID } of olderOnes) {
          expect(after.clusters[clusterID]?.accepted).toEqual(before.clusters[clusterID]?.accepted);
          expect(after.clusters[clusterID]?.served).toEqual(before.clusters[clusterID]?.served);
        }
        const exposed = (verdict: Verdict): unknown =>
          verdict.import.ports.filter(({ name, protocol, port }) =>
            olderOnes.some((one) =>
              one.ports.some(
                (own) => (own.name ?? '') === name && (own.protocol ?? 'TCP') === protocol && own.port === port,
              ),
            ),
          );
        expect(exposed(after)).toEqual(exposed(before));
      }),
      { numRuns: sweepRuns(75, share) },
    );
  });

  it('repeats no name and no (protocol, port) in the import, and no address and no slice elsewhere', () => {
    fc.assert(
      fc.property(exporterSets, (exporters) => {
        const merged = merge(exporters);
        const importPorts = merged.import?.ports ?? [];
        expect(repeated(importPorts.map(({ name = '' }) => name))).toEqual([]);
        expect(repeated(importPorts.map(({ protocol, port }) => `${protocol} ${String(port)}`))).toEqual([]);
        for (const { addresses, ports: own } of merged.subsets) {
          expect(addresses.length * own.length).toBeGreaterThan(0);
          expect(repeated(addresses.map(({ ip }) => ip))).toEqual([]);
          expect(repeated(own.map((port) => JSON.stringify(port)))).toEqual([]);
        }
        for (const slices of merged.perCluster.values()) {
          expect(repeated(slices.map(({ addressType, ports: own }) => JSON.stringify([addressType, own])))).toEqual([]);
          for (const { endpoints, ports: own } of slices) {
            expect(repeated(endpoints.flatMap(({ addresses }) => addresses))).toEqual([]);
            expect(repeated(own.map((port) => JSON.stringify(port)))).toEqual([]);
          }
        }
      }),
      { numRuns: sweepRuns(75, share) },
    );
  });

  it('sends no address to a port that its cluster does not expose under that name, protocol and number', () => {
    fc.assert(
      fc.property(exporterSets, (exporters) => {
        const merged = merge(exporters);
        const importPorts = merged.import?.ports ?? [];
        const published: readonly (readonly [string | undefined, Served])[] = [
          ...servedBySubsets(merged).map((one) => [undefined, one] as const),
          ...[...merged.perCluster.keys()].flatMap((id) => servedBySlices(merged, id).map((one) => [id, one] as const)),
        ];
        for (const [clusterID, one] of published) {
          const source = exporters.find(({ groups }) =>
            groups.some(({ ready, notReady }) => [...ready, ...notReady].includes(one.address)),
          );
          expect(source, one.address).toBeDefined();
          if (clusterID !== undefined) expect(source?.clusterID).toBe(clusterID);
          const offered = importPorts.find(({ name = '', protocol }) => name === one.name && protocol === one.protocol);
          const exposed = source?.ports.some(
            ({ name = '', protocol = 'TCP', port }) =>
              name === one.name && protocol === one.protocol && port === offered?.port,
          );
          expect(exposed, JSON.stringify(one)).toBe(true);
          const listens = source?.groups.some(
            ({ ready, notReady, ports: own }) =>
              (one.ready ? ready : notReady).includes(one.address) &&
              own.some(
                ({ name = '', protocol = 'TCP', port }) =>
                  name === one.name && protocol === one.protocol && port === one.port,
              ),
          );
          expect(listens, JSON.stringify(one)).toBe(true);
        }
      }),
      { numRuns: sweepRuns(75, share) },
    );
  });

  it('leaves a slice without ports only to a headless Service that has none', () => {
    fc.assert(
      fc.property(exporterSets, (exporters) => {
        for (const [clusterID, slices] of merge(exporters).perCluster) {
          if (!slices.some(({ ports: own }) => own.length === 0)) continue;
          expect(exporters.find((one) => one.clusterID === clusterID)).toMatchObject({ headless: true, ports: [] });
        }
      }),
      { numRuns: sweepRuns(75, share) },
    );
  });

  it('gives every exporter the same verdict and finds no fault with valid exports', () => {
    fc.assert(
      fc.property(exporterSets, (exporters) => {
        const { conflicts, accepted, perCluster, problems } = merge(exporters);
        const clusterIDs = exporters.map(({ clusterID }) => clusterID).toSorted();
        expect([...conflicts.keys()]).toEqual(clusterIDs);
        expect([...accepted.keys()]).toEqual(clusterIDs);
        expect([...perCluster.keys()]).toEqual(clusterIDs);
        expect(new Set([...conflicts.values()].map((condition) => JSON.stringify(condition))).size).toBe(1);
        expect(problems).toEqual([]);
      }),
      { numRuns: sweepRuns(75, share) },
    );
  });
});

describe('the generated exporters', () => {
  it('disagree in more than 30 % of all cases, on every field, and agree in more than 10 % of those with several exporters', () => {
    const cases = fc.sample(exporterSets, { seed: 1645, numRuns: 500 });
    const percentOf = (count: number, of: number): number => Math.round((100 * count) / of);
    const several = cases.filter((exporters) => exporters.length > 1);
    const percent = {
      conflict: percentOf(cases.filter((exporters) => oracleReasons(exporters).length > 0).length, cases.length),
      severalAgree: percentOf(
        several.filter((exporters) => oracleReasons(exporters).length === 0).length,
        several.length,
      ),
    };
    expect(percent.conflict).toBeGreaterThan(30);
    expect(percent.severalAgree).toBeGreaterThan(10);
    for (const reason of conflictReasons) {
      const having = cases.filter((exporters) => oracleReasons(exporters).includes(reason)).length;
      expect(percentOf(having, cases.length), reason).toBeGreaterThan(5);
    }
  });
});
