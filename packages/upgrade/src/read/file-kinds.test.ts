import { checkStructural, formatFieldError } from '@isthmus/schema';
import type { JsonSchema } from '@isthmus/schema';
import { describe, expect, it } from 'vitest';
import { channelIndex } from '../bundle/channel-index.ts';
import { componentBundle } from '../bundle/component-bundle.ts';
import { waivers } from '../crd/waivers.ts';
import { fleetSnapshot } from '../fleet/fleet-snapshot.ts';
import { plan } from '../plan/format/plan.ts';
import { apiHistory } from '../policy/releases/api-history.ts';
import { policy } from '../policy/policy.ts';
import { problemLine, readFile } from './read-file.ts';

const kinds = [componentBundle, channelIndex, policy, apiHistory, fleetSnapshot, waivers, plan];

/** A policy, a snapshot and a bundle of one ClusterSet, as a person would write them. */
const examples: readonly (readonly [string, (typeof kinds)[number], string])[] = [
  [
    'a rule about skew that holds where an upgrade ends',
    policy,
    `apiVersion: upgrade.isthmus.dev/v1alpha1
kind: Policy
metadata: {name: antrea-multicluster}
spec:
  product: Antrea Multi-cluster
  sequences: [{name: antrea, minors: ["1.14", "1.15", "2.0"]}]
  roleOrder: [leader, member]
  order:
    - {id: mc.order, first: mc-leader, next: mc-member, scope: clusterset, source: upgrade guide}
  skew:
    - id: mc.same
      subject: mc-member
      reference: mc-leader
      scope: clusterset
      newer: {minors: 0, patches: none}
      older: {minors: 0, patches: none}
      sequence: antrea
      holds: settled
      source: upgrade guide
  floors:
    - {id: mc.antctl-floor, subject: antctl, range: ">=1.6.0", whenPresent: mc-leader, scope: fleet, source: upgrade guide}
`,
  ],
  [
    'a leader, and a member with two agents of different versions',
    fleetSnapshot,
    `apiVersion: upgrade.isthmus.dev/v1alpha1
kind: FleetSnapshot
metadata: {name: shop}
spec:
  takenAt: 2026-11-21T09:00:00Z
  clusterSets: [{name: shop, leader: north, members: [east]}]
  clusters:
    - name: north
      roles: [leader]
      clusterSet: shop
      components: [{id: antrea-mc-leader, type: mc-leader, live: [{version: v2.6.0}]}]
    - name: east
      roles: [member]
      clusterSet: shop
      facts: {antrea-mc/member-credentials: present}
      components:
        - id: antrea-agent
          recorded: {version: v2.6.0}
          live: [{version: v2.6.0, node: n1}, {version: v2.5.1, node: n2}]
  clients: [{component: antctl, version: v2.6.0}]
`,
  ],
  [
    'a release of several components, with what has to be done before it',
    componentBundle,
    `apiVersion: upgrade.isthmus.dev/v1alpha1
kind: ComponentBundle
metadata: {name: antrea-2-7}
spec:
  number: 12
  channel: stable
  createdAt: 2026-11-01T00:00:00Z
  policies: [{name: antrea-multicluster}]
  components:
    - id: antrea-mc-leader
      type: mc-leader
      unit: antrea-mc
      roles: [leader]
      version: {upstream: v2.7.0, build: build.3, sequence: 3}
      artifacts:
        - name: manifest
          kind: manifest
          uri: antrea-mc.yml
          digest: sha256:${'0'.repeat(64)}
      workloads: [{kind: Deployment, namespace: antrea-multicluster, name: antrea-mc-controller}]
      hooks:
        - id: credentials
          at: before
          roles: [member]
          whenFrom: <2.7
          title: Give each member credentials of its own
          doneWhen: {fact: antrea-mc/member-credentials, equals: present}
  perKubernetes: {"1.35": {endOfSupport: 2027-10-31}}
`,
  ],
];

describe('the kinds of files', () => {
  it.each(kinds)('$kind has a structural schema', (kind) => {
    // Files may restrict the name in metadata, which a CRD may not.
    const { metadata: _, ...properties } = kind.schema.properties ?? {};
    expect(checkStructural({ ...kind.schema, properties }).map(formatFieldError)).toEqual([]);
  });

  it.each(kinds)('$kind documents every field', (kind) => {
    const silent = [...fieldsOf(kind.schema, '')].filter(([, { description }]) => description === undefined);
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  it.each(examples)('hold %s', (_what, kind, text) => {
    const result = readFile(kind as never, text, 'example.yaml');
    expect(result.kind === 'read' ? [] : result.problems.map(problemLine)).toEqual([]);
  });
});

function* fieldsOf(schema: JsonSchema, path: string): Generator<readonly [string, JsonSchema]> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const at = path === '' ? name : `${path}.${name}`;
    yield [at, field];
    yield* fieldsOf(field, at);
  }
  if (schema.items !== undefined) yield* fieldsOf(schema.items, `${path}[]`);
  const more = schema.additionalProperties;
  if (typeof more === 'object') yield* fieldsOf(more, `${path}{}`);
}
