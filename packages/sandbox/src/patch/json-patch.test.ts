import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '@isthmus/schema';
import { applyJsonPatch } from './json-patch.ts';
import { jsonPatchUnknownFields } from './json-patch-operations.ts';
import { PatchError } from './patch-error.ts';
import { jsonPatchCases, patchBelow, patchedDocument } from './testing/json-patch-cases.ts';
import { readRecorded, recordedJsonPatches } from './testing/recorded-patches.ts';
import type { RecordedPatch } from './testing/recorded-patches.ts';

const prefix = '/spec/anything';

function answerTo(patch: Json): RecordedPatch {
  try {
    const patched = applyJsonPatch({ spec: { anything: patchedDocument } }, patchBelow(prefix, patch));
    const { spec } = patched as { readonly spec: { readonly anything: Json } };
    return { code: 200, value: spec.anything };
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const { reason = '', message } = error.failure;
    return { code: reason === 'Invalid' ? 422 : 400, reason, message };
  }
}

describe('a JSON patch', () => {
  /** The recording is a real API server's (`patches.envtest.test.ts`). */
  describe('is applied as a real API server applies it', () => {
    const recorded = readRecorded(recordedJsonPatches);

    it.each(jsonPatchCases)('%s', (name, patch) => {
      const answer = recorded[name];
      // Code 0: the API server's library crashed, and there was no answer.
      if (answer?.code === 0) expect([200, 422]).toContain(answerTo(patch).code);
      else expect(answerTo(patch)).toEqual(answer);
    });
  });

  it.each([
    ['an addition to the whole', { op: 'add', path: '', value: {} }],
    ['a removal of the whole', { op: 'remove', path: '' }],
    ['a replacement of the whole by a scalar', { op: 'replace', path: '', value: 3 }],
    ['a replacement of the whole by nothing', { op: 'replace', path: '' }],
    ['a test of the whole for something else', { op: 'test', path: '', value: {} }],
    ['a path of one word', { op: 'add', path: 'x', value: 1 }],
  ])('%s is refused', (_, operation) => {
    expect(() => applyJsonPatch({ data: {} }, [operation])).toThrow(PatchError);
  });

  it('replaces the whole by an object or a list, and passes over what is before the first slash', () => {
    expect(applyJsonPatch({ a: 1 }, [{ op: 'replace', path: '', value: [1] }])).toEqual([1]);
    expect(applyJsonPatch({ a: 1 }, [{ op: 'test', path: '', value: { a: 1 } }])).toEqual({ a: 1 });
    expect(applyJsonPatch({ a: 1 }, [{ op: 'add', path: 'data/z', value: 2 }])).toEqual({ a: 1, z: 2 });
  });

  it('holds at most 10,000 operations', () => {
    const tests = (count: number) => Array.from({ length: count }, () => ({ op: 'test', path: '/a', value: 1 }));
    expect(applyJsonPatch({ a: 1 }, tests(10_000))).toEqual({ a: 1 });
    expect(() => applyJsonPatch({ a: 1 }, tests(10_001))).toThrow(
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
  });

  it('copies at most 3 MiB, and makes at most 1,000 levels', () => {
    const wide = Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '/a', path: `/a/${i}` }));
    expect(() => applyJsonPatch({ a: { b: 'text' } }, wide)).toThrow('more than 3145728 bytes would be copied');
    const deep = Array.from({ length: 14 }, (_, i) => ({ op: 'copy', from: '/a', path: `/a${'/a'.repeat(2 ** i)}` }));
    expect(() => applyJsonPatch({ a: { a: {} } }, deep)).toThrow(PatchError);
  });

  it('describes ill-typed patches otherwise where fields are not checked', () => {
    const refusal = (patch: unknown) => () => applyJsonPatch({}, patch, { ignoresFields: true });
    expect(refusal(3)).toThrow('json: cannot unmarshal number into Go value of type jsonpatch.Patch');
    expect(refusal([1])).toThrow('json: cannot unmarshal number into Go value of type jsonpatch.Operation');
    expect(refusal([{ op: 3, path: '/k' }])).toThrow('applying operation 0 of the JSON patch: its kind is unknown');
  });

  it('names the fields that nobody knows', () => {
    const patch = [{ op: 'test', foo: 1, bar: 2 }, null, 3, { Foo: 1, path: '/x' }];
    expect(jsonPatchUnknownFields(patch)).toEqual([
      'json patch unknown field "[0].foo"',
      'json patch unknown field "[0].bar"',
      'json patch unknown field "[3].Foo"',
    ]);
    expect(jsonPatchUnknownFields({})).toEqual([]);
  });

  it('names the place where it failed, without content for the client', () => {
    const failure = {
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    };
    const apply = () => applyJsonPatch({ a: 1 }, [{ op: 'remove', path: '/b' }]);
    expect(apply).toThrow('applying operation 0 of the JSON patch: /b does not exist');
    expect(apply).toThrow(expect.objectContaining({ failure }));
  });

  it('leaves its arguments and every prototype as they were, whatever it is', () => {
    const keys = fc.constantFrom('a', '__proto__', 'constructor', 'prototype', '0', '-', '');
    const path = fc.array(keys, { maxLength: 4 }).map((parts) => parts.map((part) => `/${part}`).join(''));
    const operation = fc.record({
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
      path,
      from: path,
      value: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(operation, { maxLength: 5 }), (document, patch) => {
        const [before, asked] = [JSON.stringify(document), JSON.stringify(patch)];
        try {
          applyJsonPatch(document as Json, patch);
        } catch (error) {
          expect(error).toBeInstanceOf(PatchError);
        }
        expect([JSON.stringify(document), JSON.stringify(patch)]).toEqual([before, asked]);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });

  it('undoes what it did: an added member that is removed leaves the object as it was', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (document, key, value) => {
        fc.pre(!Object.hasOwn(document, key));
        const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const patch = [
          { op: 'add', path, value },
          { op: 'test', path, value },
          { op: 'remove', path },
        ];
        expect(JSON.stringify(applyJsonPatch(document as Json, patch))).toBe(JSON.stringify(document));
      }),
    );
  });
});
