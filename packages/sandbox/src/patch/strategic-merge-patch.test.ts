import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '@isthmus/schema';
import { PatchError } from './patch-error.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';
import { readRecorded, recordedStrategicPatches } from './testing/recorded-patches.ts';
import { decoderRefusals, strategicCases } from './testing/strategic-cases.ts';
import { workloadTypes } from './testing/workload-types.ts';

type Members = Readonly<Record<string, Json>>;

/** The parts of an object that patches of the cases change. */
const patchedParts = (object: Json): Json => {
  const { metadata, spec } = object as { readonly metadata: Members; readonly spec: Json };
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  return JSON.parse(JSON.stringify({ metadata: { labels, annotations, finalizers, ownerReferences }, spec })) as Json;
};

describe('a strategic merge patch', () => {
  /** The recording is a real API server's (`patches.envtest.test.ts`). */
  describe('is applied as a real API server applies it', () => {
    const recorded = readRecorded(recordedStrategicPatches);
    const bodyOf = (kind: string) => recorded[`the ${kind}`]?.value as Json;

    it.each(strategicCases)('%s: %s', (kind, name, patch) => {
      const answer = recorded[name];
      const apply = () => applyStrategicMergePatch(workloadTypes[kind], bodyOf(kind), patch);
      if (answer?.code === 200) {
        expect(decoded(patchedParts(apply()))).toEqual(answer.value);
      } else if (decoderRefusals.has(name)) {
        expect(apply).not.toThrow();
        expect(answer?.code).toBeGreaterThanOrEqual(400);
      } else {
        const { message, reason } = answer ?? {};
        expect(apply).toThrow(expect.objectContaining({ failure: expect.objectContaining({ message }) }));
        expect(apply).toThrow(expect.objectContaining({ failure: expect.toSatisfy(hasReason(reason)) }));
      }
    });
  });

  it('leaves its arguments as they were and fails only by refusing', () => {
    const directive = fc.constantFrom('replace', 'delete', 'merge', null, 1);
    const { patch } = fc.letrec<{ patch: unknown }>((tie) => ({
      patch: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>('x', 1, null, true),
        fc.array(tie('patch'), { maxLength: 3 }),
        fc.record(
          {
            metadata: tie('patch'),
            labels: tie('patch'),
            finalizers: tie('patch'),
            spec: tie('patch'),
            ports: tie('patch'),
            port: fc.constantFrom<unknown>(80, 81, 'x'),
            __proto__: tie('patch'),
            constructor: tie('patch'),
            $patch: directive,
            $retainKeys: tie('patch'),
            '$setElementOrder/ports': tie('patch'),
            '$setElementOrder/finalizers': tie('patch'),
            '$deleteFromPrimitiveList/finalizers': tie('patch'),
          },
          { requiredKeys: [] },
        ),
      ),
    }));
    const service: Json = {
      metadata: { finalizers: ['x', 'y'], labels: { a: '1' } },
      spec: { ports: [{ port: 80 }, { port: 81, name: 'b' }] },
    };
    const before = JSON.stringify(service);
    fc.assert(
      fc.property(patch, (changes) => {
        const asked = JSON.stringify(changes);
        try {
          applyStrategicMergePatch(workloadTypes.Service, service, changes as Json);
        } catch (error) {
          expect(error).toBeInstanceOf(PatchError);
        }
        expect([JSON.stringify(service), JSON.stringify(changes)]).toEqual([before, asked]);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });
});

/**
 * The results of the cases after the API server's decoder and defaults. Empty lists, empty maps of
 * labels and annotations, and unknown fields are removed. Null in a list of strings is the empty
 * string. A Deployment has one replica.
 */
function decoded(value: Json): Json {
  const { metadata, spec } = value as { readonly metadata: Members; readonly spec: Members };
  const isEmpty = (member: Json) => typeof member === 'object' && member !== null && Object.keys(member).length === 0;
  const withoutEmpty = (members: Members) =>
    Object.fromEntries(Object.entries(members).filter(([, member]) => !isEmpty(member)));
  const { nothing: _, ...known } = spec;
  const replicas = Object.hasOwn(spec, 'template') && !Object.hasOwn(spec, 'replicas') ? { replicas: 1 } : {};
  const text = JSON.stringify({ metadata: withoutEmpty(metadata), spec: { ...known, ...replicas } });
  return JSON.parse(text, (_, member: Json) => {
    if (Array.isArray(member)) return member.length === 0 ? undefined : member.map((item) => item ?? '');
    return member;
  }) as Json;
}

function hasReason(reason: string | undefined): (failure: unknown) => boolean {
  return (failure) => (failure as { readonly reason?: string }).reason === reason;
}
