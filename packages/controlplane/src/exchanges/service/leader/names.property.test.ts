import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { SourceKind } from '@isthmus/api';
import { sweepRuns } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, exportsOf } from './testing/exports.ts';

// All of these have the import base p-q-r-s.
const services = ['p/q-r-s', 'p-q/r-s', 'p-q-r/s'] as const;
const clusterIDs = ['east', 'west', 'north'] as const;

interface Act {
  readonly clusterID: (typeof clusterIDs)[number];
  readonly service: (typeof services)[number];
  readonly isExported: boolean;
  /** After how many writes the leader is restarted, once. */
  readonly crashAfter: number | undefined;
}

const act: fc.Arbitrary<Act> = fc.record({
  clusterID: fc.constantFrom(...clusterIDs),
  service: fc.constantFrom(...services),
  isExported: fc.boolean(),
  crashAfter: fc.option(fc.nat({ max: 7 }), { nil: undefined }),
});

/** A Common Area whose leader has no other memory. */
function commonArea() {
  const exports = new Map<string, ResourceExport>();
  const imports = new Map<string, ResourceImport>();
  let second = 0;

  /** As members do: an export has a dot if another one of this cluster has its name. */
  function change({ clusterID, service, isExported }: Act): void {
    const own = [...exports].filter(
      ([, { spec }]) => spec?.clusterID === clusterID && `${spec.namespace}/${spec.name}` === service,
    );
    if (!isExported) own.forEach(([name]) => exports.delete(name));
    if (!isExported || own.length > 0) return;
    const created = new Date(Date.parse('2026-11-21T10:00:00Z') + second++ * 1_000).toISOString();
    const joined = exportsOf(clusterID, service, { created });
    const isTaken = joined.some(({ metadata }) => exports.has(metadata.name));
    const written = isTaken ? exportsOf(clusterID, service, { created, joint: '.' }) : joined;
    for (const object of written) exports.set(object.metadata.name, object);
  }

  /** Whether nothing was left to write. */
  function reconcile(writes = Number.POSITIVE_INFINITY): boolean {
    const { wanted, unwanted } = decide([...exports.values()], [...imports.values()]);
    const steps = [
      ...unwanted.map((object) => () => imports.delete(object.metadata.name)),
      ...wanted.map((object) => () => {
        const before = imports.get(object.metadata.name);
        if (before !== undefined && before.spec?.name !== object.spec?.name) throw new Error('an import is reused');
        imports.set(object.metadata.name, object);
      }),
    ];
    const isSettled = unwanted.length === 0 && wanted.every(({ metadata }) => imports.has(metadata.name));
    for (const step of steps.slice(0, writes)) step();
    return isSettled;
  }

  return { exports, imports, change, reconcile };
}

/** The names of the published Services, by Service. */
function published(imports: ReadonlyMap<string, ResourceImport>): ReadonlyMap<string, readonly string[]> {
  const found = [...imports.values()].filter(({ spec }) => spec?.kind === SourceKind.serviceImport);
  const byService = Map.groupBy(found, ({ spec }) => `${spec?.namespace}/${spec?.name}`);
  return new Map([...byService].map(([service, objects]) => [service, objects.map(({ metadata }) => metadata.name)]));
}

describe('Services whose names meet', () => {
  it('are published once each, under a name that does not change while any cluster exports them, in any order of exports and restarts', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 20 }), (acts) => {
        const area = commonArea();
        for (const one of acts) {
          const before = published(area.imports);
          area.change(one);
          if (one.crashAfter !== undefined) area.reconcile(one.crashAfter);
          for (let looks = 0; !area.reconcile(); looks++) expect(looks).toBeLessThan(3);
          const exported = new Set([...area.exports.values()].map(({ spec }) => `${spec?.namespace}/${spec?.name}`));
          const after = published(area.imports);
          expect(new Set(after.keys())).toEqual(exported);
          for (const [service, names] of after) {
            expect(names).toHaveLength(1);
            if (before.has(service)) expect(names).toEqual(before.get(service));
          }
        }
      }),
      { numRuns: sweepRuns(600, { oneIn: 6 }), seed: 1 },
    );
  });
});
