import { sweepRuns } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInType } from '../builtin/types/load.ts';
import { decodeTyped } from './decode.ts';
import recorded from './fixtures/decodings.json' with { type: 'json' };
import { parseJson } from './parse-json.ts';

interface Recorded {
  readonly apiVersion: string;
  readonly kind: string;
  readonly body: string;
  /** The answer of the serializer of Kubernetes 1.36 to the body. */
  readonly answer: {
    readonly object?: unknown;
    readonly strict?: readonly string[] | undefined;
    readonly error?: string | undefined;
  };
}

const rows = recorded as readonly Recorded[];

function decoded({ apiVersion, kind, body }: Recorded) {
  const read = parseJson(body);
  if (read.kind === 'malformed') throw new Error(`${body}: ${read.message}`);
  return decodeTyped(builtInType(apiVersion, kind), read.json.value, read.json.oddities);
}

describe('a body of a built-in kind is decoded as the real server does it', () => {
  it.each(rows.map((row) => [row.kind, row.body, row] as const))('%s %s', (_kind, _body, row) => {
    const result = decoded(row);
    const { object, strict = [], error } = row.answer;
    if (result.kind === 'refused') expect(result.message).toBe(error);
    // Compared as text: the order of keys counts, and `__proto__` is one of them.
    else
      expect([JSON.stringify(result.object), result.strictErrors, undefined]).toEqual([
        JSON.stringify(object),
        strict,
        error,
      ]);
  });

  it('decoding what was decoded changes nothing', () => {
    // Go writes null for a zero time that is given for a pointer, and reads nothing from it.
    for (const row of rows.filter(({ body }) => !body.includes('0001-01-01'))) {
      const first = decoded(row);
      if (first.kind === 'refused') continue;
      const again = decodeTyped(builtInType(row.apiVersion, row.kind), first.object);
      expect(again).toEqual({ kind: 'decoded', object: first.object, strictErrors: [] });
    }
  });

  it('any value is decoded or refused, and decoding is idempotent', () => {
    const service = builtInType('v1', 'Service');
    const value = fc.record(
      {
        metadata: fc.jsonValue(),
        spec: fc.record(
          {
            ports: fc.array(fc.dictionary(fc.constantFrom('port', 'name', 'targetPort', '__proto__'), fc.jsonValue())),
            selector: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(value, (one) => {
        const first = decodeTyped(service, one);
        if (first.kind === 'refused') return;
        expect(decodeTyped(service, first.object)).toEqual({ ...first, strictErrors: [] });
      }),
      { numRuns: sweepRuns(500, { oneIn: 8 }), seed: 1 },
    );
  });

  it('refuses schemas that nest deeper than the stack', () => {
    const crd = builtInType('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    const nested = (levels: number) => {
      const schema = `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`;
      return decodeTyped(crd, JSON.parse(`{"spec":{"versions":[{"schema":{"openAPIV3Schema":${schema}}}]}}`)).kind;
    };
    expect(nested(400)).toBe('decoded');
    expect(nested(9_000)).toBe('refused');
  });

  it('reports no more than 100 strict errors', () => {
    const result = decodeTyped(
      builtInType('v1', 'Service'),
      Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x${i}`, 1])),
    );
    expect(result.kind === 'decoded' && result.strictErrors.length).toBe(100);
  });
});
