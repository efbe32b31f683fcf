import { anyCharacter, sweepRuns } from '@isthmus/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemLine, readFile } from '../read/read-file.ts';
import { mutatedJson, mutatedText } from '../testing/mutations.ts';
import { channelIndex } from './channel-index.ts';
import { componentBundle } from './component-bundle.ts';
import { componentsFor, kubernetesMinors } from './components-of.ts';
import { diffBundles } from './diff-bundles.ts';
import { bundleOfRelease, latestBundle } from './latest-bundle.ts';
import { lintBundle } from './lint/lint-bundle.ts';
import { putSignature } from './put-signature.ts';
import { digest } from './testing/bundle-of.ts';

const whole = {
  apiVersion: 'upgrade.isthmus.dev/v1alpha1',
  kind: 'ComponentBundle',
  metadata: { name: 'bundle-7', annotations: { a: 'b' } },
  spec: {
    number: 7,
    channel: 'stable',
    engine: { min: '0.1', max: '0.9' },
    createdAt: '2026-11-01T00:00:00Z',
    expiresAt: '2027-11-01T00:00:00Z',
    policies: [{ name: 'antrea', digest: digest(4) }],
    components: [
      {
        id: 'antrea-agent',
        unit: 'antrea',
        scope: 'node',
        roles: ['member', 'management'],
        version: { upstream: 'v2.7.0', build: 'build.3', sequence: 3 },
        artifacts: [{ name: 'image', kind: 'image', uri: 'r/antrea', digest: digest(1) }],
        requires: [{ component: 'antrea-controller', range: '>=2.0.0 <3', contract: 'c/v1' }],
        supports: { kubernetes: { min: '1.30', max: '1.35' } },
        upgradeFrom: { range: '>=1.13', maxMinors: 4, via: ['v1.15.1', 'v2.0.0'] },
        hooks: [
          {
            id: 'h',
            at: 'before',
            roles: ['member'],
            whenFrom: '<2.7',
            title: 'T',
            doneWhen: { fact: 'f', equals: 'x' },
          },
        ],
      },
      {
        id: 'antrea-controller',
        unit: 'antrea',
        version: { upstream: 'v2.7.0', build: 'build.3' },
        contracts: ['c/v1'],
      },
    ],
    perKubernetes: {
      '1.31': {
        endOfSupport: '2026-12-26',
        components: [{ id: 'cilium', version: { upstream: 'v1.18.1-1', scheme: 'eks-suffix' } }],
      },
      '1.32': {
        components: [
          { id: 'antrea-controller', version: { upstream: 'v2.7.1' }, requires: [{ component: 'antrea-agent' }] },
        ],
      },
    },
  },
  signature: { algorithm: 'ecdsa-p256-sha256', keyID: digest(5), value: 'MEUCIQ==' },
};

const yaml = `apiVersion: upgrade.isthmus.dev/v1alpha1
kind: ComponentBundle
metadata: {name: bundle-7}
# Of the second week.
spec:
  number: 7
  channel: stable
  createdAt: 2026-11-01T00:00:00Z
  components:
    - id: flux
      version: {upstream: v2.3.0, build: a34c207}
      artifacts: [{name: image, kind: image, uri: r/flux, digest: "${digest(1)}"}]
    - id: cilium
      requires:
        - component: flux
signature:
  algorithm: ecdsa-p256-sha256
  keyID: ${digest(5)}
  value: MEUCIQ==
`;

/**
 * Whatever the text: it is read, and then all that works on bundles works on it, or refused with
 * places.
 */
function demandVerdict(text: string): void {
  const result = readFile(componentBundle, text, 'b.yaml');
  if (result.kind === 'refused') {
    expect(result.problems.length).toBeGreaterThan(0);
    for (const problem of result.problems) {
      expect(problemLine(problem)).toMatch(/^b\.yaml:\d+: ./);
      expect(problem.line).toBeLessThanOrEqual(text.split('\n').length);
    }
    return;
  }
  const { value, lineOf } = result;
  const context = { lineOf, older: [value], engineVersion: '0.1.0', policies: ['antrea'], now: '2026-11-21T00:00:00Z' };
  const findings = lintBundle(value, context);
  for (const { line, why, severity, unblock } of findings) {
    expect(line).toBeGreaterThan(0);
    expect(why).not.toBe('');
    if (severity !== 'info') expect(unblock).not.toBe('');
  }
  for (const minor of [undefined, ...kubernetesMinors(value)]) componentsFor(value, minor);
  expect(diffBundles(value, value)).toEqual([]);
  expect(lintBundle(value, context)).toEqual(findings);
  const signature = { algorithm: 'ecdsa-p256-sha256', keyID: digest(6), value: 'AAAA' } as const;
  const signed = readFile(componentBundle, putSignature(text, signature).text, 'signed.yaml');
  expect(signed.kind === 'read' && signed.value).toEqual({ ...value, signature });
}

describe('a bundle that a person or a machine has spoilt', () => {
  it('is read or refused, as random text', () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter(), maxLength: 60 }), demandVerdict), {
      numRuns: sweepRuns(150, { oneIn: 8 }),
      seed: 5,
    });
  });

  it('is read or refused, with one change in its text', () => {
    fc.assert(fc.property(mutatedText(yaml), demandVerdict), { numRuns: sweepRuns(200, { oneIn: 8 }), seed: 6 });
  });

  it('is read or rejected, with one change of its content', () => {
    const runs = sweepRuns(250, { oneIn: 8 });
    let read = 0;
    fc.assert(
      fc.property(mutatedJson(whole), (value) => {
        const text = JSON.stringify(value);
        demandVerdict(text);
        if (readFile(componentBundle, text, 'b').kind === 'read') read++;
      }),
      { numRuns: runs, seed: 7 },
    );
    // Both happen: neither half of the check is idle.
    expect(read).toBeGreaterThan(runs / 10);
    expect(read).toBeLessThan(runs * 0.9);
  });

  it('is read before it is changed', () => {
    demandVerdict(JSON.stringify(whole));
    expect(readFile(componentBundle, JSON.stringify(whole), 'b').kind).toBe('read');
  });
});

describe('an index that a person or a machine has spoilt', () => {
  const index = {
    apiVersion: 'upgrade.isthmus.dev/v1alpha1',
    kind: 'ChannelIndex',
    metadata: { name: 'index' },
    spec: {
      bundles: [3, 10].map((number) => ({
        name: `bundle-${number}`,
        channel: 'stable',
        number,
        releaseVersion: `v1.0.0+build.${number}`,
        createdAt: '2026-11-01T00:00:00Z',
        uri: 'b.yaml',
        digest: digest(1),
      })),
    },
  };

  it('is read or rejected, and a look-up in it reports what it found or why not', () => {
    fc.assert(
      fc.property(mutatedJson(index), fc.string({ unit: anyCharacter() }), (value, wanted) => {
        const result = readFile(channelIndex, JSON.stringify(value), 'i.json');
        if (result.kind === 'refused') {
          expect(result.problems.length).toBeGreaterThan(0);
          return;
        }
        for (const lookUp of [
          latestBundle(result.value.spec, 'stable'),
          bundleOfRelease(result.value.spec, 'stable', 'v1.0.0+latest'),
          bundleOfRelease(result.value.spec, 'stable', wanted),
        ]) {
          expect(lookUp.kind === 'found' ? lookUp.bundle.name : lookUp.why).not.toBe('');
        }
      }),
      { numRuns: 150 },
    );
  });
});
