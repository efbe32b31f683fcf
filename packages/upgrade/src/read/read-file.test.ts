import { describe, expect, it } from 'vitest';
import { channelIndex } from '../bundle/channel-index.ts';
import { componentBundle } from '../bundle/component-bundle.ts';
import { waivers } from '../crd/waivers.ts';
import { fleetSnapshot } from '../fleet/fleet-snapshot.ts';
import { plan } from '../plan/format/plan.ts';
import { apiHistory } from '../policy/releases/api-history.ts';
import { policy } from '../policy/policy.ts';
import { problemLine, readFile } from './read-file.ts';

const bundle = `apiVersion: upgrade.isthmus.dev/v1alpha1
kind: ComponentBundle
metadata:
  name: bundles-7
  uid: 0c5b
spec:
  number: 7
  channel: stable
  createdAt: 2026-11-01T00:00:00Z
  components:
    - id: antrea-controller
      version: {upstream: v2.7.0}
`;

/** What is wrong with a text, as a person would see it. */
function reported(text: string): readonly string[] {
  const result = readFile(componentBundle, text, 'b.yaml');
  return result.kind === 'read' ? [] : result.problems.map(problemLine);
}

describe('reading a file', () => {
  it('fills in what a bundle leaves out, and keeps foreign metadata', () => {
    const result = readFile(componentBundle, bundle, 'b.yaml');
    if (result.kind !== 'read') throw new Error(result.problems.map(problemLine).join('\n'));
    const [first] = result.value.spec.components;
    expect(first).toMatchObject({ scope: 'cluster', method: 'apply', version: { scheme: 'semver' }, requires: [] });
    expect(result.value.metadata).toEqual({ name: 'bundles-7', uid: '0c5b' });
    expect(result.lineOf('spec.components[0].version.upstream')).toBe(12);
  });

  it.each([
    [
      'an unknown field',
      bundle.replace('channel:', 'chanel:'),
      ['b.yaml:6: spec.channel: Required value', 'b.yaml:8: spec.chanel: unknown field of ComponentBundle'],
    ],
    [
      'another kind, and none of its fields',
      bundle.replace('kind: ComponentBundle', 'kind: Plan').replace('channel:', 'steps:'),
      ['b.yaml:2: kind: Unsupported value: "Plan": supported values: "ComponentBundle"'],
    ],
    [
      'a wrong type',
      bundle.replace('number: 7', 'number: seven'),
      ['b.yaml:7: spec.number: Invalid value: "string": spec.number in body must be of type integer: "string"'],
    ],
    [
      'a minor without quotation marks',
      `${bundle}  perKubernetes:\n    1.30: {}\n    1.31: {}\n`,
      ['b.yaml:14: spec.perKubernetes: the key 1.30 is read as "1.3"; put it in quotation marks'],
    ],
    [
      'a text that YAML takes for something else',
      bundle.replace('channel: stable', 'channel: y'),
      [
        'b.yaml:8: spec.channel: Invalid value: "boolean": spec.channel in body must be of type string: "boolean"; put it in quotation marks',
      ],
    ],
    [
      'a day that no calendar has',
      `${bundle}  perKubernetes: {"1.31": {endOfSupport: 2026-02-31}}\n`,
      [
        'b.yaml:13: spec.perKubernetes.1.31.endOfSupport: Invalid value: "2026-02-31": spec.perKubernetes.1.31.endOfSupport in body must be of type date: "2026-02-31"',
      ],
    ],
    [
      'an id given twice',
      `${bundle}    - {id: antrea-controller, version: {upstream: v1.0.0}}\n`,
      ['b.yaml:13: spec.components[1]: Duplicate value: {"id":"antrea-controller"}'],
    ],
    [
      'bad syntax',
      'a: [',
      ['b.yaml:1: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    ['an empty file', '# nothing', ['b.yaml:1: the file is empty; it must contain a ComponentBundle']],
    [
      'two documents',
      `${bundle}---\na: 1\n`,
      ['b.yaml:14: a second document; the file must contain one ComponentBundle'],
    ],
    ['a list', '- 1', ['b.yaml:1: Invalid value: "array": must be an object of kind ComponentBundle']],
    [
      'a private key, without its text',
      '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEG\n-----END PRIVATE KEY-----\n',
      ['b.yaml:1: Invalid value: "string": must be an object of kind ComponentBundle'],
    ],
  ])('reports %s with file, line, path and what is expected', (_what, text, problems) => {
    expect(reported(text)).toEqual(problems);
  });

  it('lists ten syntax errors with their places, and counts the others', () => {
    const result = readFile(componentBundle, `metadata:\n${'\tname: x\n'.repeat(13)}`, 'b.yaml');
    if (result.kind === 'read') throw new Error('it was read');
    expect(result.problems).toHaveLength(10);
    expect(result.problems.filter(({ message }) => message.startsWith('and '))).toEqual([]);
    expect(result.unlisted).toBeGreaterThan(0);
  });

  it.each([componentBundle, channelIndex, policy, apiHistory, fleetSnapshot, waivers, plan])(
    'refuses an object of another kind: $kind',
    (kind) => {
      const result = readFile(kind as never, 'apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n', 'x.yaml');
      expect(result.kind).toBe('refused');
    },
  );
});
