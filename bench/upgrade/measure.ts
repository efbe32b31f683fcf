import { createHash } from 'node:crypto';
import type { CustomResourceDefinition } from '@isthmus/schema';
import {
  bundleDigest,
  checkDefinition,
  componentBundle,
  fleetSnapshot,
  planUpgrade,
  shippedPolicies,
} from '@isthmus/upgrade';
import type { LoadedBundle } from '@isthmus/upgrade';
import type { BenchOptions } from '../bench-options.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import { measureLiveFleets } from './live-fleets.ts';

const runs = 5;
const clusters = [50, 100, 200, 400] as const;
const goalMs = 2000;
const crdBytes = 500_000;

/**
 * Plans of fleets that grow, the check of a large CRD, and live fleets. Of the first two, files are
 * read before the clock starts.
 */
export async function measureUpgrade(
  options: BenchOptions,
  wanted: ReadonlySet<string>,
  note: (figure: Figure) => void,
): Promise<void> {
  if (wanted.has('plan')) for (const count of clusters) notePlan(count, note);
  if (wanted.has('crd')) noteCrd(note);
  if (wanted.has('live')) await measureLiveFleets(options.program.path, note);
}

function notePlan(count: number, note: (figure: Figure) => void): void {
  const [bundle, snapshot, policies] = [theBundle(), aFleet(count), shippedPolicies()];
  let steps = 0;
  const times = Array.from({ length: runs }, () =>
    timed(() => {
      const waves = { canary: 1, percent: [25, 100], nodesAtOnce: 1 };
      const input = { bundle, snapshot, policies, waivers: [], otherBundles: [], waves, unreachableAllowed: 0, sha256 };
      const { outcome, steps: made } = planUpgrade(input).spec;
      if (outcome !== 'ready') throw new Error(`the plan is ${outcome}, not ready`);
      steps = made.length;
    }),
  );
  const median = percentile(times, 0.5);
  note({
    row: 'plan',
    what: `a plan for ${count} clusters of 12 components in one ClusterSet (${steps} steps), median of ${runs}`,
    value: `${median.toFixed(0)} ms (longest ${Math.max(...times).toFixed(0)} ms)`,
    goal: count === 200 ? 'under 2 s' : '',
    met: count === 200 ? median < goalMs : undefined,
    data: { count, steps, times },
  });
}

function noteCrd(note: (figure: Figure) => void): void {
  const [before, after] = [largeDefinition(['a', 'b', 'c']), largeDefinition(['a', 'b'])];
  const bytes = JSON.stringify(after).length;
  let findings = 0;
  const times = Array.from({ length: runs }, () =>
    timed(() => {
      const options = { server: { minor: '1.34' }, waivers: [], today: '2026-11-21', companions: [] };
      findings = checkDefinition(before, after, options).findings.length;
    }),
  );
  note({
    row: 'crd',
    what: `the check of a CRD of ${Math.round(bytes / 1000)} KB with two served versions against the one before it (${findings} findings), median of ${runs}`,
    value: `${percentile(times, 0.5).toFixed(0)} ms (longest ${Math.max(...times).toFixed(0)} ms)`,
    goal: '',
    met: undefined,
    data: { bytes, findings, times },
  });
}

const ids = ['antrea-controller', 'antrea-agent', 'mc-member', 'flow-aggregator', 'cert-manager', 'flux', 'cilium'];
const others = ['ingress', 'metrics', 'logging', 'storage', 'backup'];
const digest = `sha256:${'1'.repeat(64)}`;

function theBundle(): LoadedBundle {
  const component = (id: string, more: object = {}) => ({
    id,
    version: { upstream: 'v1.15.1' },
    artifacts: [{ name: 'image', kind: 'image', uri: `registry.example/${id}:v1.15.1`, digest }],
    ...more,
  });
  const json = {
    apiVersion: 'upgrade.isthmus.dev/v1alpha1',
    kind: 'ComponentBundle',
    metadata: { name: 'bench' },
    spec: {
      number: 1,
      channel: 'bench',
      createdAt: '2026-11-01T00:00:00Z',
      components: [
        component('mc-leader', { unit: 'antrea-mc', roles: ['leader'] }),
        ...[...ids, ...others].map((id) =>
          component(id, id === 'mc-member' ? { unit: 'antrea-mc', roles: ['member'] } : {}),
        ),
      ],
    },
  };
  return { bundle: componentBundle.decode(json).value, digest: bundleDigest({ json }, sha256), contents: new Map() };
}

/** One ClusterSet: rules between clusters are what could cost more than clusters are many. */
function aFleet(count: number) {
  const names = Array.from({ length: count }, (_, at) => `c${String(at).padStart(3, '0')}`);
  const [leader = '', ...members] = names;
  const running = (id: string) => {
    const version = id === 'cilium' ? 'v1.14.9' : 'v1.14.2';
    return { id, recorded: { version }, live: [{ version }] };
  };
  const json = {
    apiVersion: 'upgrade.isthmus.dev/v1alpha1',
    kind: 'FleetSnapshot',
    metadata: { name: 'bench' },
    spec: {
      takenAt: '2026-11-21T09:00:00Z',
      clusterSets: [{ name: 's', leader, members }],
      clusters: names.map((name) => ({
        name,
        roles: [name === leader ? 'leader' : 'member'],
        clusterSet: 's',
        components: [...ids.map((id) => (id === 'mc-member' && name === leader ? 'mc-leader' : id)), ...others].map(
          running,
        ),
      })),
    },
  };
  return fleetSnapshot.decode(json).value;
}

function largeDefinition(modes: readonly string[]): CustomResourceDefinition {
  const field = {
    type: 'string',
    enum: modes,
    description: 'What this part of the object is to do, in the words of its authors.',
  };
  const part = {
    type: 'object',
    required: ['f0'],
    properties: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, field])),
  };
  const perVersion = crdBytes / 2;
  const count = Math.ceil(perVersion / JSON.stringify(part).length);
  const spec = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`part${at}`, part])),
  };
  const version = (name: string, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  });
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'larges.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'larges', singular: 'large', kind: 'Large', listKind: 'LargeList' },
      versions: [version('v1beta1', false), version('v1', true)],
    },
  };
  return definition as unknown as CustomResourceDefinition;
}

function timed(work: () => void): number {
  const before = performance.now();
  work();
  return performance.now() - before;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
