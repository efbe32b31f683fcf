/** Generated objects against the sandbox: the verdicts that a real API server has given. */
import { readFileSync } from 'node:fs';
import { createClient } from '@isthmus/kube';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { admin } from '../authentication/authenticator.ts';
import { virtualTime } from '../contract/virtual-time.ts';
import { createSandbox } from '../sandbox.ts';
import { generatedObjects, haveSentTheSame, verdictsOf, whenSentDiffers } from './frame.ts';
import { generatedPath } from './generated-path.ts';
import { generatedKinds } from './kinds.ts';
import { requestsOfRules } from './policies/policy-requests.ts';
import { policyVerdicts } from './policies/policy-verdicts.ts';
import type { PolicyVerdict } from './policies/policy-verdicts.ts';
import { prepare } from './prepare.ts';

describe('generated objects get the verdicts of a real API server', () => {
  it.each(generatedKinds.map((kind) => ({ name: kind.name, kind })))('$name', async ({ name, kind }) => {
    const all = readFileSync(generatedPath(name), 'utf8').trimEnd().split('\n');
    const generated = generatedObjects(kind);
    expect(generated).toHaveLength(all.length);
    const share = sweepOf([...generated.entries()], { oneIn: 14 });
    const objects = share.map(([, object]) => object);
    const recorded = share.map(([index]) => all[index] ?? '');
    const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
    const defects: unknown[] = [];
    const sandbox = createSandbox({ name: 'generated', clock, onDefect: (_, error) => defects.push(error) });
    const transport = sandbox.transport({ kind: 'user', user: admin });
    const { signal } = new AbortController();
    const namespace = `generated-${name}`;
    await virtualTime(clock).during(prepare(transport, kind, namespace, signal));
    const lines = await virtualTime(clock).during(verdictsOf(transport, kind, namespace, { signal, objects }));
    expect(defects).toEqual([]);
    expect(haveSentTheSame(lines, recorded), whenSentDiffers(name)).toBe(true);
    const verdicts = recorded.map(parsed);
    const hasVerdict = (index: number) => verdicts[index]?.status !== 0;
    expect(lines.map(parsed).filter((_, index) => hasVerdict(index))).toEqual(
      verdicts.filter((_, index) => hasVerdict(index)),
    );
  });
});

describe('our admission policies', () => {
  const recorded = readFileSync(generatedPath('policies'), 'utf8').trimEnd().split('\n');

  it('accept and reject the requests that they accept and reject in a real API server', async () => {
    const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
    const sandbox = createSandbox({ name: 'policies', clock, onDefect: (_, error) => expect.fail(String(error)) });
    const transport = sandbox.transport({ kind: 'user', user: admin });
    const client = createClient({ transport, clock, server: 'policies' });
    const { lines, policies } = await virtualTime(clock).during(
      policyVerdicts({ transport, admin: client }, async (isSo) => expect(await isSo()).toBe(true)),
    );
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
      recorded.map((line) => JSON.parse(line) as unknown),
    );
    const ruleOf = (policy: string) => policy.replace(/^.*-isthmus-/, '');
    expect(Object.keys(requestsOfRules).toSorted()).toEqual([...new Set(policies.map(ruleOf))].toSorted());
  });

  it.each(Object.keys(requestsOfRules))('%s accepts one and rejects one', (rule) => {
    const at = 2 * Object.keys(requestsOfRules).indexOf(rule);
    const [accepted, refused] = recorded.slice(at, at + 2).map((line) => JSON.parse(line) as PolicyVerdict);
    const byRule = expect.stringMatching(new RegExp(`ValidatingAdmissionPolicy '[a-z-]+-isthmus-${rule}' `));
    expect(accepted?.denied).toEqual([]);
    expect(refused?.denied).toContainEqual(byRule);
  });
});

/** The order of fields does not belong to a verdict. */
function parsed(line: string): { readonly status: number } {
  return JSON.parse(line);
}
