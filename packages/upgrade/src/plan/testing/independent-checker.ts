import type { FleetState, Instance } from '../../fleet/fleet-state.ts';
import { compareVersions } from '../../version/compare-versions.ts';
import { minorOf } from '../../version/parse-version.ts';
import type { Version } from '../../version/version.ts';

/**
 * The rules of docs/spec/upgrades.md §2.2, written once more from its text alone: neither the
 * engine of policies nor their data is used here. A plan that both find right is right twice. Each
 * broken rule is one line, `rule: subject against reference`.
 */
export function brokenRules(state: FleetState, when: 'on-the-way' | 'at-the-end'): readonly string[] {
  const byType = Map.groupBy(state.instances, ({ type }) => type);
  return rows
    .filter((row) => row.only === undefined || row.only === when)
    .flatMap((row) => pairsOf(state, byType, row).flatMap(([subject, reference]) => judge(row, subject, reference)))
    .concat(byType.has('mc-leader') ? withoutCommands(byType.get('antctl') ?? []) : []);
}

/** antctl has commands for ClusterSets from 1.6.0 on. */
function withoutCommands(clients: readonly Instance[]): readonly string[] {
  return clients
    .filter(({ version: { core } }) => core !== undefined && (core.major < 1 || (core.major === 1 && core.minor < 6)))
    .map(({ version }) => `mc.antctl-floor: antctl ${version.text}`);
}

/** The rules about single steps: how far a version may move at once, and never back. */
export function brokenStep(type: string, from: Version, to: Version): readonly string[] {
  const row = hops[type];
  if (row === undefined || from.text === '' || from.core === undefined || to.core === undefined) return [];
  const minors = distance(from, to, row.count ?? 'numbers');
  const fits =
    minors !== undefined &&
    Math.abs(minors) <= row.most &&
    (row.back === true || compareVersions(from, to) !== 'older');
  return fits ? [] : [`${row.rule}: ${type} ${from.text} to ${to.text}`];
}

/** An instance that moves to a version, from the effects of a step. */
interface Moving {
  readonly type: string;
  readonly cluster: string | undefined;
  readonly to: string;
}

/**
 * The rules about who goes last: the flow aggregator begins when all agents of its cluster that go
 * to its version are through, an agent when its controller is, a member when the leaders are.
 */
export function brokenOrder(begins: Moving, unfinished: readonly Moving[]): readonly string[] {
  return lastOnes
    .filter(({ next }) => next === begins.type)
    .flatMap(({ rule, first, anywhere }) =>
      unfinished
        .filter(({ type, to }) => type === first && to === begins.to)
        .filter(({ cluster }) => anywhere || cluster === begins.cluster)
        .map(({ cluster = '' }) => `${rule}: ${begins.type} of ${begins.cluster ?? ''} before ${first} of ${cluster}`),
    );
}

const lastOnes = [
  { rule: 'antrea.fa', first: 'antrea-agent', next: 'flow-aggregator', anywhere: false },
  { rule: 'antrea.order', first: 'antrea-controller', next: 'antrea-agent', anywhere: false },
  { rule: 'mc.order', first: 'mc-leader', next: 'mc-member', anywhere: true },
];

/** The types that some rule puts last. */
export const followers: ReadonlySet<string> = new Set(lastOnes.map(({ next }) => next));

type Counting = 'antrea' | 'numbers';

interface Row {
  readonly rule: string;
  readonly subject: readonly string[];
  readonly reference: readonly string[];
  readonly scope: 'cluster' | 'node' | 'clusterset' | 'management' | 'fleet';
  /** Minors that the subject may be ahead. `to the patch`: none, and no patch either. */
  readonly newer: number | 'to the patch';
  readonly older: number | 'to the patch';
  readonly count?: Counting;
  readonly when?: (subject: Version) => boolean;
  readonly only?: 'at-the-end' | 'on-the-way';
}

const before125 = ({ core }: Version) => core !== undefined && core.major === 1 && core.minor < 25;
const since125 = (version: Version) => !before125(version);
const control = ['kube-controller-manager', 'kube-scheduler', 'cloud-controller-manager'];
const multicluster = ['mc-leader', 'mc-member'];

const rows: readonly Row[] = [
  row('antrea.agent', 'antrea-agent', 'antrea-controller', 'cluster', 'to the patch', 4, { count: 'antrea' }),
  row('antrea.antctl', 'antctl', 'antrea-controller', 'fleet', 'to the patch', 4, { count: 'antrea' }),
  row('antrea.fa', 'flow-aggregator', 'antrea-agent', 'cluster', 4, 4, { count: 'antrea' }),
  row('mc.order', 'mc-member', 'mc-leader', 'clusterset', 'to the patch', 1000, { count: 'antrea' }),
  row('mc.same', 'mc-member', 'mc-leader', 'clusterset', 'to the patch', 'to the patch', {
    count: 'antrea',
    only: 'at-the-end',
  }),
  { ...row('mc.antctl', 'antctl', '', 'fleet', 'to the patch', 1000, { count: 'antrea' }), reference: multicluster },
  row('k8s.apiserver-ha', 'kube-apiserver', 'kube-apiserver', 'cluster', 1, 1),
  row('k8s.kubelet', 'kubelet', 'kube-apiserver', 'cluster', 0, 3, { when: since125 }),
  row('k8s.kubelet', 'kubelet', 'kube-apiserver', 'cluster', 0, 2, { when: before125 }),
  // The note on 1.25 holds for both references.
  row('k8s.kproxy', 'kube-proxy', 'kube-apiserver', 'cluster', 0, 3, { when: since125 }),
  row('k8s.kproxy', 'kube-proxy', 'kube-apiserver', 'cluster', 0, 2, { when: before125 }),
  row('k8s.kproxy', 'kube-proxy', 'kubelet', 'node', 3, 3, { when: since125 }),
  row('k8s.kproxy', 'kube-proxy', 'kubelet', 'node', 2, 2, { when: before125 }),
  { ...row('k8s.cm', '', 'kube-apiserver', 'cluster', 0, 1), subject: control },
  row('k8s.kubectl', 'kubectl', 'kube-apiserver', 'fleet', 1, 1),
  row('eksa.mgmt', 'eks-anywhere', 'eks-anywhere', 'management', 'to the patch', 1),
];

const hops: Readonly<
  Record<string, { readonly rule: string; readonly most: number; readonly count?: Counting; readonly back?: boolean }>
> = {
  'antrea-controller': { rule: 'antrea.hop', most: 4, count: 'antrea' },
  'antrea-agent': { rule: 'antrea.hop', most: 4, count: 'antrea' },
  'kube-apiserver': { rule: 'k8s.step', most: 1 },
  cilium: { rule: 'cilium.step', most: 1, back: true },
  'capi-core': { rule: 'capi.step', most: 3 },
  'capi-kubeadm-bootstrap': { rule: 'capi.step', most: 3 },
  'capi-kubeadm-control-plane': { rule: 'capi.step', most: 3 },
  'eks-anywhere': { rule: 'eksa.step', most: 1 },
};

function row(
  rule: string,
  subject: string,
  reference: string,
  scope: Row['scope'],
  newer: Row['newer'],
  older: Row['older'],
  more: Pick<Row, 'count' | 'when' | 'only'> = {},
): Row {
  return { rule, subject: [subject], reference: [reference], scope, newer, older, ...more };
}

function pairsOf(
  state: FleetState,
  byType: ReadonlyMap<string, readonly Instance[]>,
  { subject, reference, scope }: Row,
): readonly (readonly [Instance, Instance])[] {
  const inScope = (one: Instance, other: Instance): boolean => {
    const [here, there] = [places.get(one.cluster ?? ''), places.get(other.cluster ?? '')];
    if (scope === 'fleet') return true;
    if (scope === 'clusterset') return here?.clusterSet !== undefined && here.clusterSet === there?.clusterSet;
    if (scope === 'management')
      return here?.managedBy !== undefined && here.managedBy === there?.name && here !== there;
    return one.cluster === other.cluster && (scope === 'cluster' || one.node === other.node);
  };
  const subjects = subject.flatMap((type) => byType.get(type) ?? []);
  const references = reference.flatMap((type) => byType.get(type) ?? []);
  if (subjects.length === 0 || references.length === 0) return [];
  const places = new Map(state.clusters.map((cluster) => [cluster.name, cluster]));
  return subjects.flatMap((one) =>
    references.filter((other) => other !== one && inScope(one, other)).map((other) => [one, other] as const),
  );
}

function judge(row: Row, subject: Instance, reference: Instance): readonly string[] {
  const [mine, theirs] = [subject.version, reference.version];
  if (mine.core === undefined || theirs.core === undefined || row.when?.(mine) === false) return [];
  const ahead = distance(theirs, mine, row.count ?? 'numbers');
  const order = compareVersions(theirs, mine);
  const tooNew = row.newer === 'to the patch' ? order === 'newer' : ahead === undefined || ahead > row.newer;
  const tooOld = row.older === 'to the patch' ? order === 'older' : ahead === undefined || -ahead > row.older;
  if (!tooNew && !tooOld) return [];
  const name = ({ type, cluster, node, version }: Instance) => [
    type,
    version.text,
    ...(cluster === undefined ? [] : ['of', cluster]),
    ...(node === undefined ? [] : ['on', node]),
  ];
  return [`${row.rule}: ${name(subject).join(' ')} against ${name(reference).join(' ')}`];
}

/**
 * The distance by positions in a list that marks where a major follows: independent of the
 * package's own counting.
 */
function distance(from: Version, to: Version, count: Counting): number | undefined {
  const [first, last] = [placeOf(from, count), placeOf(to, count)];
  if (first === undefined || last === undefined) return undefined;
  return count === 'numbers' && from.core?.major !== to.core?.major ? undefined : last - first;
}

function placeOf(version: Version, count: Counting): number | undefined {
  if (version.core === undefined) return undefined;
  if (count === 'numbers' || version.core.major === 1) return version.core.minor;
  const minor = minorOf(version) ?? '';
  // 1.15 is followed by 2.0; before 1.0 came 0.13.
  if (minor.startsWith('2.')) return 16 + version.core.minor;
  return minor.startsWith('0.') ? version.core.minor - 14 : undefined;
}
