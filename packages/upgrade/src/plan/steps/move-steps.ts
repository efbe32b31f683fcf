import type { KubernetesObject } from '@isthmus/machinery';
import { fullVersion } from '../../bundle/components-of.ts';
import type { Hook } from '../../bundle/component.ts';
import type { StorageMigration } from '../../crd/crd-finding.ts';
import type { ImmutableFinding } from '../../immutable/immutable-rule.ts';
import { nameOf } from '../../immutable/removal-order.ts';
import { typeOf } from '../../bundle/type-of.ts';
import type { RuleSet } from '../../policy/rule-set.ts';
import { namesText } from '../../fleet/where-text.ts';
import { sortedVersions } from '../differences/cluster-change.ts';
import type { Content } from './content.ts';
import { artifactText, otherImages } from './content.ts';
import type { Move } from '../order/move.ts';
import type { Effect, Gate } from '../format/step.ts';
import type { StepDraft } from './step-draft.ts';
import { draft } from './step-draft.ts';

/** The changes of a move in a cluster beside its versions, unless they were made there before. */
export interface MoveContent {
  readonly content: Content;
  /** Nothing of the manifests is applied again by a later part of the same unit. */
  readonly isFirst: boolean;
  readonly migrations: readonly StorageMigration[];
  readonly immutable: readonly ImmutableFinding[];
  /** Hooks that are not done yet, with the clusters in which they are missing. */
  readonly hooks: readonly { readonly hook: Hook; readonly clusters: readonly string[] }[];
  /** The Kubernetes minor that runs, where it changes in a later step. */
  readonly kubernetesStays?: string | undefined;
  readonly rules: RuleSet;
}

/**
 * The steps of a move (docs/spec/upgrades.md §1.6), in this order: rewrite objects that are stored
 * in a removed version; apply CRDs; apply objects without a workload; recreate objects that cannot
 * be changed; upgrade the component itself.
 */
export function stepsOfMove(move: Move, parts: MoveContent): readonly StepDraft[] {
  const { content, isFirst, migrations, immutable } = parts;
  const { component, cluster, group, wave, round } = move;
  const version = fullVersion(component);
  const what = `${component.displayName ?? component.id} ${version}`;
  const where = cluster === undefined ? '' : ` in ${cluster.name}`;
  const place = {
    group,
    wave,
    round,
    cluster: cluster?.name,
    component: component.id,
    move: move.key,
    lane: laneOf(move),
  };
  const { artifacts } = content;
  const withDefinitions = component.method !== 'clusterctl' && component.method !== 'flux';
  const drafts: StepDraft[] = [];
  const migrate = (one: StorageMigration) =>
    draft({
      ...place,
      kind: 'migrate-storage',
      title: `Rewrite the objects of ${one.crd}${where} from ${one.from.join(', ')} to ${one.to}`,
      why:
        one.when === 'before-crd'
          ? `the new CRD drops ${one.from.join(', ')}, in which objects are stored (G05)`
          : `the CRD stores in ${one.to} from now on; objects stored in ${one.from.join(', ')} are rewritten (G08)`,
      objects: [one.crd],
      storedVersion: one.to,
      gates: [gate('rewritten', ['after', 'objects-valid'], `status.storedVersions of ${one.crd} is [${one.to}].`)],
      irreversible: one.when === 'before-crd' ? [`${one.crd} is no longer stored in ${one.from.join(', ')}`] : [],
    });
  if (isFirst) {
    drafts.push(...migrations.filter(({ when }) => when === 'before-crd').map(migrate));
    const unknownManifest = content.missing.some(({ kind }) => kind === 'manifest');
    const unknownSet = content.missing.some(({ kind }) => kind === 'crdset');
    const mayHaveDefinitions = unknownSet || (unknownManifest && component.method === 'apply');
    if (withDefinitions && (content.definitions.length > 0 || mayHaveDefinitions)) {
      drafts.push(
        draft({
          ...place,
          kind: 'apply-definitions',
          title: `Apply the CRDs of ${what}${where}`,
          why:
            content.definitions.length === 0 && !unknownSet
              ? 'the manifest was not read: if it has CRDs, they must be Established before objects that use them change'
              : 'CRDs must be Established before objects that use them change',
          objects: content.definitions.map(nameOf).toSorted(),
          artifacts: [...artifacts],
          gates: [
            gate('objects-valid', ['before', 'objects-valid'], 'Stored objects are valid under the new schemas.'),
            gate('established', ['after', 'established'], 'The CRDs are Established and their names are accepted.', 60),
          ],
        }),
      );
    }
    drafts.push(...migrations.filter(({ when }) => when === 'after-crd').map(migrate));
    drafts.push(...immutable.filter((one) => !isOwn(one, content)).map((one) => recreate(one, move, place)));
    if (component.method === 'apply' && (content.shared.length > 0 || unknownManifest)) {
      drafts.push(
        draft({
          ...place,
          kind: 'apply-shared',
          title: `Apply the shared objects of ${what}${where}`,
          why: unknownManifest
            ? 'the manifest was not read; it is split by its workloads: objects that belong to no workload come before them'
            : 'RBAC, configuration and Services must exist before the Pods that need them',
          objects: content.shared.map(nameOf).toSorted(),
          artifacts: [...artifacts],
          gates: [gate('dry-run', ['before', 'dry-run'], 'The API server accepts the objects in a dry run.')],
        }),
      );
    }
  }
  const anew = immutable.filter((one) => isOwn(one, content));
  drafts.push(
    ...anew.map((one) => {
      const { gates, interrupts, ...rest } = theUpgrade(move, parts);
      const made = { ...recreate(one, move, place), artifacts: artifactsOf(move, content) };
      const all = { gates: [...gates, ...made.gates], interrupts: [...made.interrupts, ...interrupts] };
      return { ...made, ...rest, ...all, rolling: keepsPods(one) && move.rolling };
    }),
  );
  if (anew.length === 0 || content.own.length > anew.length) drafts.push(upgrade(move, parts, place));
  return drafts;
}

type Place = Pick<StepDraft, 'group' | 'wave' | 'round' | 'cluster' | 'component' | 'move' | 'lane'>;

/** Steps of a cluster come one after the other; a program of people is a lane of its own. */
function laneOf({ cluster, component }: Pick<Move, 'cluster' | 'component'>): string {
  return cluster?.name ?? `client ${component.id}`;
}

function upgrade(move: Move, parts: MoveContent, place: Place): StepDraft {
  const { component, nodes, name } = move;
  const where = move.cluster === undefined ? '' : ` in ${move.cluster.name}`;
  const names = move.after.flatMap((one) => one.name ?? []);
  const users = component.scope === 'client' ? names : [];
  const besideNodes = component.scope === 'node' && names.length > 0 ? namesText(names) : name;
  const part =
    nodes.length > 0
      ? ` on ${nodes.length === 1 ? nodes[0] : `${nodes.length} Nodes`}`
      : users.length > 0
        ? ` on ${namesText(users)}`
        : besideNodes === undefined
          ? ''
          : ` (${besideNodes})`;
  const verb =
    { added: 'Install', 'content-drift': 'Apply again', downgrade: 'Roll back' }[move.change.row.relation as string] ??
    'Upgrade';
  const render =
    parts.kubernetesStays === undefined ? '' : `, rendered for Kubernetes ${parts.kubernetesStays}, which still runs`;
  return {
    ...draft({
      ...place,
      kind: 'upgrade',
      title: `${verb} ${component.displayName ?? component.id}${part}${where}${verb === 'Upgrade' ? ' to' : ','} ${fullVersion(component)}${render}`,
      why: whyHere(move, parts.rules),
    }),
    ...theUpgrade(move, parts),
    objects: ownObjects(move, parts.content),
    artifacts: artifactsOf(move, parts.content),
    rolling: move.rolling,
  };
}

/**
 * The workloads of the component that this move changes: of its manifest, otherwise those that the
 * bundle names. Where some run on every Node and others do not, such as the agents and the operator
 * of a network plugin, a move of the others must not restart the Pods of all Nodes.
 */
function ownObjects({ component, nodes, change }: Move, { own }: Content): string[] {
  const named = component.workloads.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
  const objects = (own.length > 0 ? own.map(nameOf) : named).toSorted();
  const runsOn = new Set(change.running.map(({ node }) => node !== undefined));
  if (component.scope !== 'node' || runsOn.size < 2) return objects;
  const moved = objects.filter((one) => one.startsWith('DaemonSet ') === nodes.length > 0);
  return moved.length > 0 ? moved : objects;
}

/**
 * The artifacts of the component itself: those that the bundle lists, the manifest of its unit, and
 * other images of its workloads.
 */
function artifactsOf({ component }: Move, content: Content): string[] {
  const own = content.own.length > 0 ? content.artifacts : [];
  return [
    ...new Set([...component.artifacts.map(artifactText), ...own, ...otherImages(content, component)]),
  ].toSorted();
}

/** The fields of the step that changes the version, either an upgrade or a recreation. */
function theUpgrade(
  move: Move,
  { content, hooks, rules }: MoveContent,
): Pick<StepDraft, 'effects' | 'nodes' | 'gates' | 'interrupts' | 'irreversible'> {
  const { component, cluster } = move;
  const inSet = cluster?.clusterSet !== undefined;
  const plays = (role: 'leader' | 'member') => inSet && component.roles?.includes(role) === true;
  return {
    effects: effectsOf(move),
    nodes: [...move.nodes],
    gates: [
      ...hooks.map(({ hook, clusters }) =>
        gate(`hook-${hook.id}`, ['before', 'fact'], `${hook.title}: done in ${clusters.join(', ')}.`),
      ),
      ...(component.scope === 'client' ? [] : [gate('ready', ['after', 'ready'], readyText(move), 1800)]),
      ...(content.servesWebhooks || (plays('leader') && component.scope === 'cluster')
        ? [gate('webhook-ready', ['after', 'webhook-ready'], 'The endpoints of its webhooks answer.', 120)]
        : []),
      ...(plays('leader') && component.scope === 'cluster'
        ? [gate('canary', ['after', 'dry-run'], 'The leader accepts a new ResourceExport in a dry run.', 60)]
        : []),
      ...(plays('member') && component.scope === 'cluster'
        ? [
            gate(
              'heartbeat',
              ['after', 'heartbeat'],
              `The announcement of ${cluster?.name ?? ''} on the leader is up to date.`,
              30,
            ),
            gate(
              'imports-unchanged',
              ['after', 'imports-unchanged'],
              'Imported Services, endpoints and policies are unchanged.',
            ),
          ]
        : []),
    ],
    interrupts: [...interruptsOf(component, rules)],
    irreversible: [...component.irreversible],
  };
}

/** The interruptions of a step: as the bundle describes them, else as the policies do. */
function interruptsOf(component: MoveComponent, { interruptions }: RuleSet): readonly string[] {
  if (component.interrupts.length > 0) return component.interrupts;
  return interruptions.filter((one) => one.component === typeOf(component)).map(({ text }) => text);
}

type MoveComponent = Move['component'];

function recreate(finding: ImmutableFinding, move: Move, place: Place): StepDraft {
  const object = `${finding.kind} ${finding.ref.namespace === undefined ? '' : `${finding.ref.namespace}/`}${finding.ref.name}`;
  const where = move.cluster === undefined ? '' : ` in ${move.cluster.name}`;
  return draft({
    ...place,
    kind: 'recreate',
    title: `Delete ${object}${where} and create it again for ${move.component.displayName ?? move.component.id} ${fullVersion(move.component)}`,
    why: finding.why,
    objects: [object],
    artifacts: move.component.artifacts.map(artifactText).toSorted(),
    gates: keepsPods(finding)
      ? [
          gate(
            'old-pods-gone',
            ['after', 'ready'],
            `The old ReplicaSet of ${object} is deleted, and its Pods are gone.`,
            300,
          ),
        ]
      : [],
    interrupts:
      isWorkload(finding) && !keepsPods(finding)
        ? [`${object} has no Pods from its deletion until the new ones are ready.`]
        : [],
    // The object that is saved before can be created again.
    action: finding.action === 'block' ? undefined : finding.action,
  });
}

function isWorkload({ kind }: ImmutableFinding): boolean {
  return ['Deployment', 'DaemonSet', 'StatefulSet', 'ReplicaSet'].includes(kind);
}

function keepsPods({ action }: ImmutableFinding): boolean {
  return action === 'recreate-orphan';
}

function effectsOf({ before, after, component, cluster }: Move): Effect[] {
  const at = (one: { readonly node?: string | undefined; readonly name?: string | undefined }) =>
    `${one.node ?? ''}\n${one.name ?? ''}`;
  const was = new Map(before.map((one) => [at(one), one.version.text]));
  return after.map((one) => ({
    component: component.id,
    cluster: cluster?.name,
    node: one.node,
    name: one.name,
    from: was.get(at(one)) ?? '',
    to: one.version.text,
  }));
}

function whyHere({ change, component, before }: Move, rules: RuleSet): string {
  const type = typeOf(component);
  const from = sortedVersions(before.map((one) => ({ version: one.version, digests: {} })));
  const { relation } = change.row;
  const first =
    relation === 'added'
      ? 'the bundle requires it here'
      : `${from.join(', ') || 'an unknown version'} → ${fullVersion(component)} (${relation})`;
  const order = rules.order.flatMap((rule) =>
    rule.first === type
      ? [`before ${rule.next} (${rule.id})`]
      : rule.next === type
        ? [`after ${rule.first} (${rule.id})`]
        : [],
  );
  const needs = component.requires.map(
    ({ component: id, reason }) => `it requires ${id}${reason === undefined ? '' : `: ${reason}`}`,
  );
  return [first, ...order, ...needs].join('; ');
}

function readyText({ component, cluster, nodes, name }: Move): string {
  const where = nodes.length > 0 ? nodes.join(', ') : (name ?? cluster?.name ?? '');
  return `${component.displayName ?? component.id} runs ${fullVersion(component)} and is available on ${where}.`;
}

function isOwn({ kind, ref }: ImmutableFinding, { own }: Content): boolean {
  return own.some(
    (one: KubernetesObject) =>
      one.kind === kind && one.metadata.name === ref.name && one.metadata.namespace === ref.namespace,
  );
}

function gate(id: string, [at, kind]: readonly [Gate['at'], Gate['kind']], what: string, seconds?: number): Gate {
  return { id, at, kind, what, ...(seconds !== undefined && { seconds }) };
}
