import type { JsonSchema } from '@isthmus/schema';
import { describe, expect, it } from 'vitest';
import type { CompileRules } from '../rules-engine.ts';
import { writeJudge } from './judge-write.ts';

const schema: JsonSchema = {
  type: 'object',
  properties: { a: { type: 'string', 'x-kubernetes-validations': [{ rule: 'odd' }, { rule: 'self >= oldSelf' }] } },
};

/**
 * Two rules: `odd` refuses what is not `even` and is forgiven an unchanged part; the other one
 * looks at what was before.
 */
const compileRules: CompileRules = () => ({
  problems: [],
  judge(object, before) {
    const [{ a }, old] = [object as { readonly a: string }, before as { readonly a: string } | undefined];
    const error = (detail: string) => ({ path: 'a', type: 'Invalid' as const, value: a, detail });
    const isForgiven = old?.a === a;
    return {
      errors: [
        ...(a !== 'even' && !isForgiven ? [error('odd')] : []),
        ...(old !== undefined && a < old.a ? [error('less')] : []),
      ],
      forgiven: [],
    };
  },
});

const reported = (minor: string | undefined, a: string, before?: string) =>
  writeJudge(schema, { server: { minor }, compileRules })
    .judge({ a }, before === undefined ? undefined : { a: before })
    .errors.map(({ error, by }) => [by, error.detail]);

describe('the rules of a write', () => {
  it('that looks at what was before are asked of updates alone', () => {
    expect(reported('1.36', 'a')).toEqual([['rules', 'odd']]);
    expect(reported('1.36', 'even', 'z')).toEqual([['rules', 'less']]);
    expect(reported('1.36', 'even', 'a')).toEqual([]);
  });

  it.each([
    ['1.36', []],
    ['1.29', [['rules', 'odd']]],
    [undefined, [['rules', 'odd']]],
  ])('are forgiven what an update leaves as it was on server %s: still reported %j', (minor, errors) => {
    expect(reported(minor, 'b', 'b')).toEqual(errors);
  });
});

describe('the status in a write to the object itself', () => {
  const withStatus: JsonSchema = {
    type: 'object',
    properties: { status: { type: 'object', required: ['a'], properties: { a: { type: 'string', minLength: 2 } } } },
  };
  const problems = (object: unknown, before?: unknown, hasStatus = true) =>
    writeJudge(withStatus, { server: { minor: '1.29' }, hasStatus })
      .judge(object, before)
      .errors.map(({ error }) => error.path);

  it.each([
    ['is dropped by a create', { status: {} }, undefined, []],
    ['is the stored one in an update', { status: {} }, { status: { a: 'ab' } }, []],
    ['is the stored one in an update, also where the object has none', {}, { status: { a: 'b' } }, ['status.a']],
  ])('%s', (_, object, before, paths) => {
    expect(problems(object, before)).toEqual(paths);
  });

  it('counts where it is not a subresource', () => {
    expect(problems({ status: {} }, undefined, false)).toEqual(['status.a']);
  });

  it('is also dropped where it is not an object', () => {
    expect(problems({ status: 'x' })).toEqual([]);
    expect(problems('x')).toEqual(['']);
  });

  it('has unknown fields for strict clients all the same', () => {
    const { pruned } = writeJudge(withStatus, { server: {}, hasStatus: true }).judge({ status: { b: 1 } });
    expect(pruned).toEqual(['status.b']);
  });
});
