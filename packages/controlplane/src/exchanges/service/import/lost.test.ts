import type { ResourceImport, ServiceImport } from '@isthmus/api';
import { Annotation, Label, SourceKind, managedByIsthmus, marked } from '@isthmus/api';
import { again, blocked, done } from '@isthmus/kube';
import type { RemoteService } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import type { KnownService, WrittenImport } from './lost.ts';
import { lostEndpoints, lostParts, lostService, outcomeOfImport, withParts } from './lost.ts';

const key = 'shop/cart';
const marks = { [Annotation.withdrawals]: marked };
const published = (kind: string, annotations: Readonly<Record<string, string>> = {}): ResourceImport => ({
  metadata: { name: `shop-cart-${kind}`, annotations },
  spec: { kind },
});
const imported: ServiceImport = {
  metadata: { name: 'cart', namespace: 'shop', labels: { [Label.managedBy]: managedByIsthmus }, annotations: marks },
  status: { clusters: [{ cluster: 'west' }, { cluster: 'south' }] },
};
const known = (found: Partial<KnownService>): KnownService => ({
  key,
  objects: [],
  derived: undefined,
  serviceImport: imported,
  ...found,
});

describe('a whole import is lost', () => {
  const foreign: ServiceImport = { metadata: { name: 'cart', namespace: 'shop' } };
  it.each([
    ['with its exporters, if it is ours', imported, { marks: true, clusterIDs: ['west', 'south'] }],
    ['without exporters, if their list is gone', { ...imported, status: undefined }, { marks: true, clusterIDs: [] }],
    ['never, if there is none', undefined, undefined],
    ['never, if another client made it', foreign, undefined],
  ])('%s', (_, serviceImport, expected) => {
    const lost = lostService(known({ serviceImport }));
    if (expected === undefined) expect(lost).toBeUndefined();
    else expect(lost).toMatchObject({ key, name: 'shop-cart-service', ...expected });
  });
});

describe('the endpoints of a published import are lost', () => {
  const service = published(SourceKind.serviceImport);
  it.each([
    ['if a leader that does not mark publishes none', { objects: [service] }, true, true],
    ['not if it publishes some', { objects: [service, published(SourceKind.endpoints)] }, true, false],
    ['not if none were imported', { objects: [service] }, false, false],
    ['not under a leader that marks', { objects: [published(SourceKind.serviceImport, marks)] }, true, false],
    ['not if the Service is not published', { objects: [] }, true, false],
    ['not if nothing was imported', { objects: [service], serviceImport: undefined }, true, false],
  ])('%s', (_, found, hasSlices, isLost) => {
    const lost = lostEndpoints(known(found), hasSlices);
    expect(lost?.name).toBe(isLost ? 'shop-cart-endpoints' : undefined);
    if (isLost) expect(lost).toMatchObject({ key, marks: false, clusterIDs: [] });
  });

  it('not where an import of the leader has nothing in it', () => {
    const empty: ResourceImport = { metadata: { name: 'shop-cart' } };
    expect(lostEndpoints(known({ objects: [empty] }), true)).toBeUndefined();
    expect(lostEndpoints(known({ objects: [service, empty] }), true)).toBeUndefined();
  });
});

describe('the parts of single clusters are lost', () => {
  const offered = (clusters: readonly string[], merged?: RemoteService['merged']): RemoteService => ({
    spec: undefined,
    perCluster: new Map(clusters.map((clusterID) => [clusterID, []])),
    merged,
    problems: [],
    unusable: undefined,
  });
  const objects = [published(SourceKind.serviceImport, marks)];
  const lost = (found: Partial<KnownService>, remote: RemoteService, withdrawnHere?: string) =>
    lostParts(known({ objects, ...found }), remote, ['east', 'west'], withdrawnHere)?.map(({ clusterID }) => clusterID);

  it.each([
    ['if they are imported and not offered', lost({}, offered(['west'])), ['east']],
    ['all, if nothing is offered', lost({}, offered([])), ['east', 'west']],
    ['except that of this cluster, if it does not export the Service', lost({}, offered([]), 'east'), ['west']],
    ['not if the leader merges them', lost({}, offered([], [])), undefined],
    [
      'not if the leader does not mark',
      lost({ objects: [published(SourceKind.serviceImport)] }, offered([])),
      undefined,
    ],
    ['not if the Service is not published', lost({ objects: [] }, offered([])), undefined],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  it('name their cluster, their object and the Common Area that they are from', () => {
    const from = {
      ...imported,
      metadata: { ...imported.metadata, annotations: { ...marks, [Annotation.importedFrom]: 'area' } },
    };
    const parts = (serviceImport: ServiceImport | undefined) =>
      lostParts(known({ objects, serviceImport }), offered([]), ['east'], undefined);
    const part = { key, clusterID: 'east', name: 'shop-cart-endpoints.east', marks: true, clusterIDs: ['east'] };
    expect(parts(from)).toMatchObject([{ ...part, area: 'area' }]);
    expect(parts(undefined)).toMatchObject([{ marks: true, clusterIDs: ['east'], area: undefined }]);
  });

  it('stay in the import while they are held', () => {
    const endpoints = new Map([
      ['east', []],
      ['south', []],
    ]);
    expect([...withParts(offered(['west']), new Set(['east']), endpoints).perCluster.keys()]).toEqual(['west', 'east']);
    expect(withParts(offered(['west'], []), new Set(), endpoints)).toEqual(offered(['west'], []));
  });
});

describe('an import that was written', () => {
  const problem = { reason: 'PortsConflict', message: 'Two ports differ' } as unknown as WrittenImport['problem'];
  const held = again(7, 'the leader has lost the import');
  const nothing = {
    problem: undefined,
    decided: undefined,
    held: undefined,
    listsMs: undefined,
    namesMs: undefined,
    callsMs: undefined,
    isJudged: true,
  };
  const later = 'the leader lists more endpoints than the imports of the single clusters have';
  it.each([
    ['is done', {}, done],
    ['is looked at for the parts that are held', { held, listsMs: 3 }, held],
    ['is looked at when the lists are read again', { listsMs: 3 }, again(3, later)],
    ['is looked at when names have settled', { namesMs: 5 }, again(5, 'ports were renamed')],
    ['is looked at for the first of both', { namesMs: 5, listsMs: 3 }, again(3, later)],
    [
      'is looked at when it is certain what endpoints are compared with',
      { isJudged: false, listsMs: 9_000 },
      again(5_000, 'endpoints wait for what they are compared with'),
    ],
    [
      'waits for the leader if its objects have an error',
      { problem, decided: problem, listsMs: 3 },
      blocked('PortsConflict', 'Two ports differ', { lookAgainMs: 3 }),
    ],
    [
      'is tried again if this cluster rejects it',
      { problem, decided: undefined },
      blocked('PortsConflict', 'Two ports differ', { lookAgainMs: 10_000 }),
    ],
  ])('%s', (_, written, expected) => {
    expect(outcomeOfImport({ ...nothing, ...written })).toEqual(expected);
  });
});
