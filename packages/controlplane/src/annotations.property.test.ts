import type { ClusterSet, MemberClusterAnnounce, Node, ServiceImport } from '@isthmus/api';
import {
  Annotation,
  clusterIDErrors,
  parseDirectProbes,
  parseLocalRanges,
  parseSmallPaths,
  publicKeyProblem,
} from '@isthmus/api';
import { anyCharacter, sweepRuns } from '@isthmus/testkit';
import {
  announceProblem,
  announcedCluster,
  announcedEndpointIPType,
  announcedStretchedNetworkPolicy,
  areRemovalsAllowed,
  dataPlaneOf,
  decodeImportProblems,
  decodeReason,
  departures,
  departuresText,
  encodeReason,
  exportedMetadataOf,
  gatewayIPProblem,
  heldTimes,
  heldTimesText,
  importProblemsText,
  isConditionReason,
  wireOf,
  withHeldTimes,
} from '@isthmus/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importedMetadata } from './exchanges/service/import/imported-metadata.ts';
import { readCandidate } from './member/gateway/candidate.ts';
import { leaderProblem, lookForAnswer, settingsVerdict } from './member/session/leader-answers.ts';
import { decideTokenBinding } from './member/session/token-binding.ts';
import { readToken } from './member/token/read-token.ts';

const runs = { numRuns: sweepRuns(4_000, { oneIn: 8 }), seed: 1 };
const nowMs = Date.parse('2026-11-21T12:00:00Z');
const beat = '2026-11-21T11:59:55Z';

const words = ['__proto__', 'constructor', 'toString', '*', '', 'east', 'East', 'x'.repeat(64), '192.0.2.1', '::1'];
const times = [beat, '2026-11-21T12:30:00Z', '9999-12-31T23:59:59Z', '0000-01-01T00:00:00Z', '2026-02-30T00:00:00Z'];
const key = 'x'.repeat(43);
const piece = fc.oneof(
  fc.constantFrom(
    ...words,
    ...times,
    '*=180m',
    'east=1m',
    `west=${beat}`,
    '2',
    `2 ${beat}`,
    `${key}=`,
    'antrea',
    'PodIP',
    ',',
  ),
  fc.string({ unit: anyCharacter(), maxLength: 20 }),
);
/** What controllers write as JSON: well-formed, with parts of any type, and truncated. */
const entry = fc.dictionary(
  fc.constantFrom('reason', 'message', 'namespace', 'name', 'labels', 'annotations', 'sub', '__proto__'),
  fc.oneof(
    fc.constantFrom('RangeOverlaps', 'shop', 'cart', 'system:serviceaccount:shop:east', 'x'.repeat(9_000)),
    piece,
    fc.jsonValue(),
  ),
);
/** In its valid form. */
const problem = { reason: 'NameTooLong', namespace: 'shop', name: 'cart', message: 'it is\u2028too long' };
const verdict = { reason: 'RangeOverlaps', message: 'with west' };
const spoilt = fc.tuple(fc.constantFrom(problem, verdict), entry).map(([usual, some]) => ({ ...usual, ...some }));
const json = fc
  .tuple(fc.oneof(entry, spoilt, fc.array(spoilt, { maxLength: 3 }), fc.jsonValue()), fc.boolean(), fc.nat({ max: 40 }))
  .map(([value, isCut, end]) => (isCut ? JSON.stringify(value).slice(0, end) : JSON.stringify(value)));
const text = fc.oneof(
  piece,
  json,
  fc.array(piece, { maxLength: 4 }).map((all) => all.join(',')),
);
const annotations = fc.dictionary(
  fc.oneof(fc.constantFrom(...Object.values(Annotation)), fc.constant('__proto__')),
  fc.oneof(text, fc.constant(beat)),
  { maxKeys: 12 },
);
/** As a member with heartbeats writes it, so that parts count that need a heartbeat. */
const beating = fc.tuple(annotations, json, text).map(([some, problems, left]) => ({
  ...some,
  [Annotation.touchTs]: beat,
  [Annotation.marksAt]: beat,
  [Annotation.importProblems]: problems,
  [Annotation.left]: left,
}));
const metadata = fc.record({ name: piece, annotations: fc.oneof(annotations, beating, fc.constant(undefined)) });
const isShort = (message: string | undefined) => expect((message ?? '').length).toBeLessThan(1_200);

describe('whatever somebody writes into an annotation', () => {
  it('of an announcement is read without an error, and nothing is read that is not valid', () => {
    const announce = fc.record({ metadata, clusterID: fc.oneof(piece, fc.constant(undefined)) });
    let [problems, left] = [0, 0];
    fc.assert(
      fc.property(announce as fc.Arbitrary<MemberClusterAnnounce>, (object) => {
        const number = wireOf(object);
        expect(Number.isInteger(number) && number >= 0 && number < 1_000_000).toBe(true);
        expect([undefined, 'ClusterIP', 'PodIP']).toContain(announcedEndpointIPType(object));
        expect([undefined, true, false]).toContain(announcedStretchedNetworkPolicy(object));
        const speaker = announcedCluster(object);
        if (speaker !== undefined) expect(clusterIDErrors(speaker)).toEqual([]);
        isShort(announceProblem(object)?.message.slice(object.metadata.name.length));
        for (const { reason, namespace = 'x', name = 'x', message } of decodeImportProblems(
          importProblemsText(object),
        )) {
          problems++;
          expect(reason).toMatch(/^[A-Z][A-Za-z]*$/);
          for (const one of [namespace, name]) expect(one).toMatch(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/);
          expect(message.length).toBeLessThanOrEqual(480);
        }
        const gone = departures(object);
        left += gone.size;
        for (const [clusterID, atMs] of gone) {
          expect(clusterIDErrors(clusterID)).toEqual([]);
          expect(Number.isFinite(atMs)).toBe(true);
        }
        const again = departuresText(gone, { nowMs, isAnnounced: () => false });
        const reread = departures({ metadata: { name: 'x', annotations: { [Annotation.left]: again ?? '' } } });
        for (const [clusterID, atMs] of reread) expect(gone.get(clusterID)).toBe(atMs);
        const answers = lookForAnswer(undefined, object, 0);
        const spec = { clusterSet: 'fleet', leaderClusterID: 'north', leaderNamespace: 'area' };
        isShort(leaderProblem(answers, spec as Parameters<typeof leaderProblem>[1], nowMs)?.why);
        settingsVerdict(answers);
      }),
      runs,
    );
    expect([problems > 0, left > 0]).toEqual([true, true]);
  });

  it('as a reason for another cluster is one, and comes out of it as it went in', () => {
    let read = 0;
    fc.assert(
      fc.property(text, (value) => {
        const found = decodeReason(value);
        if (found === undefined) return;
        read++;
        expect(isConditionReason(found.reason)).toBe(true);
        expect(decodeReason(encodeReason(found))).toEqual(found);
      }),
      runs,
    );
    expect(read).toBeGreaterThan(0);
  });

  it('of the times for which an import is held gives whole minutes, and is written the same again', () => {
    fc.assert(
      fc.property(metadata, (some) => {
        const held = heldTimes({ metadata: some });
        for (const ms of held.values()) expect(Number.isFinite(ms) && ms >= 0 && ms % 60_000 === 0).toBe(true);
        const again = heldTimes(withHeldTimes({ metadata: some }, heldTimesText(held, 60_000)));
        expect([...again]).toEqual([...held].filter(([, ms]) => ms > 0).toSorted(([a], [b]) => order(a, b)));
      }),
      runs,
    );
  });

  it('of a ClusterSet lets held imports go for an hour at most', () => {
    fc.assert(
      fc.property(metadata as fc.Arbitrary<ClusterSet['metadata']>, (some) => {
        if (!areRemovalsAllowed({ metadata: some }, nowMs)) return;
        const untilMs = Date.parse(some.annotations?.[Annotation.allowRemovalsUntil] ?? '');
        expect(untilMs > nowMs && untilMs <= nowMs + 3_600_000).toBe(true);
      }),
      runs,
    );
  });

  it('of a Node, its Lease or a Gateway makes a candidate with valid addresses and keys, or a short reason', () => {
    const lease = fc.option(
      fc.record({
        isAlive: fc.boolean(),
        probes: fc.constant(undefined),
        gatewayIP: fc.option(text, { nil: undefined }),
        publicKey: fc.option(text, { nil: undefined }),
        dataPlane: fc.option(text, { nil: undefined }),
        directProbes: text.map(parseDirectProbes),
        localRanges: text.map(parseLocalRanges),
        smallPaths: text.map(parseSmallPaths),
      }),
      { nil: undefined },
    );
    const address = fc.record({ type: fc.constantFrom('InternalIP', 'ExternalIP', 'Hostname'), address: piece });
    fc.assert(
      fc.property(metadata, fc.array(address, { maxLength: 3 }), lease, (some, addresses, published) => {
        const node = { metadata: some, status: { addresses } } as Node;
        const found = readCandidate(node, 'private', published);
        if (found.publicKey !== undefined) expect(publicKeyProblem(found.publicKey)).toBeUndefined();
        isShort(found.ignored);
        if (found.addresses.kind === 'invalid') isShort(found.addresses.problem);
        else
          for (const one of [found.addresses.gatewayIP, found.addresses.internalIP])
            expect(gatewayIPProblem(one)).toBeUndefined();
        expect(dataPlaneOf({ metadata: some }) ?? 'x').toMatch(/^[a-z0-9/-]{1,63}$/);
      }),
      runs,
    );
  });

  it('of an export or a ServiceImport as exported labels touches no other label', () => {
    fc.assert(
      fc.property(metadata, fc.dictionary(piece, piece, { maxKeys: 3 }), (some, labels) => {
        exportedMetadataOf({ metadata: some });
        const current = { ...some, labels: { ...labels, 'example.io/own': 'kept' } } as ServiceImport['metadata'];
        expect(importedMetadata(current, {}).labels?.['example.io/own']).toBe('kept');
      }),
      runs,
    );
  });

  it('of a ServiceAccount, or a token of any text, is a verdict on the token, or none', () => {
    const payload = fc.oneof(json, fc.constant('{"sub":"system:serviceaccount:shop:east"}'));
    const token = fc.oneof(
      text,
      payload.map((claims) => `e30.${Buffer.from(claims).toString('base64url')}.s`),
    );
    let read = 0;
    fc.assert(
      fc.property(token, metadata, (some, account) => {
        const found = readToken(some)?.account;
        if (found !== undefined) {
          read++;
          expect(`${found.namespace}/${found.name}`).toMatch(/^[a-z0-9-]{1,63}\/[a-z0-9.-]{1,253}$/);
        }
        const verdict = decideTokenBinding({ metadata: account }, { clusterID: 'east' });
        if (verdict !== 'absent') isShort(verdict.message?.slice(account.name.length));
      }),
      runs,
    );
    expect(read).toBeGreaterThan(0);
  });
});

function order(a: string, b: string): number {
  return a < b ? -1 : 1;
}
