import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRealServer } from '../testing/real-server.ts';
import type { RealServer } from '../testing/real-server.ts';
import { ruleErrors } from './rule-errors.ts';
import { kindWith } from './testing/cost-answers.ts';
import {
  acceptedElsewhere,
  largerElsewhere,
  largest,
  refusedEverywhere,
  ruledObject,
  tooLarge,
  typeRules,
} from './testing/compile-cases.ts';

/** The indexes of the rules that do not compile, as causes name them. */
function refusedIn(fields: Iterable<string>): ReadonlySet<number> {
  const found = Array.from(fields, (field) => /x-kubernetes-validations\[(\d+)\]\.rule$/.exec(field)?.[1]);
  return new Set(found.flatMap((index) => (index === undefined ? [] : [Number(index)])));
}

describe('rules that do not compile', () => {
  let server: RealServer;
  beforeAll(async () => {
    server = await startRealServer('not-judged');
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  /** Which of the rules a real API server accepts. */
  const accepted = async (rules: readonly string[]): Promise<readonly boolean[]> => {
    const { status, body } = await server.send(
      'POST',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
      kindWith({ type: 'object', properties: { spec: ruledObject(rules) } }),
    );
    expect([201, 422], JSON.stringify(body)).toContain(status);
    const { details } = body as {
      readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] };
    };
    const causes = details?.causes ?? [];
    const failed = causes
      .filter(({ message }) => /(?:compilation|program instantiation) failed/.test(message))
      .map(({ field }) => field);
    const refused = refusedIn(failed);
    return rules.map((_, index) => !refused.has(index));
  };

  it('are accepted by a real API server where they are not judged here, and refused where they are refused', async () => {
    expect(await accepted(acceptedElsewhere)).toEqual(acceptedElsewhere.map(() => true));
    expect(await accepted(refusedEverywhere)).toEqual(refusedEverywhere.map(() => false));
  });

  it('by their size are accepted by a real API server where they are accepted here or not judged, and refused where they are refused', async () => {
    for (const [rules, isAccepted] of [
      [{ ...largest, ...largerElsewhere }, true],
      [tooLarge, false],
    ] as const)
      for (const [what, rule] of Object.entries(rules)) expect(await accepted([rule]), what).toEqual([isAccepted]);
  });

  it('are never refused here while a real API server accepts them: operators, conversions and methods of every type', async () => {
    const wrong: string[] = [];
    for (let from = 0; from < typeRules.length; from += 100) {
      const rules = typeRules.slice(from, from + 100);
      const theirs = await accepted(rules);
      rules.forEach((rule, index) => {
        const failed = ruleErrors(ruledObject([rule]), '').filter(({ detail }) =>
          detail.startsWith('compilation failed'),
        );
        if (theirs[index] === true && failed.some(({ isNotJudged }) => isNotJudged !== true)) wrong.push(rule);
      });
    }
    expect(wrong.join('\n')).toBe('');
    expect(typeRules.length).toBeGreaterThan(4_000);
  });

  it('are never accepted here while a real API server refuses them: operators, conversions and methods of every type', async () => {
    const wrong: string[] = [];
    for (let from = 0; from < typeRules.length; from += 100) {
      const rules = typeRules.slice(from, from + 100);
      const theirs = await accepted(rules);
      rules.forEach((rule, index) => {
        if (theirs[index] === false && ruleErrors(ruledObject([rule]), '').length === 0) wrong.push(rule);
      });
    }
    expect(wrong.join('\n')).toBe('');
  });
});
