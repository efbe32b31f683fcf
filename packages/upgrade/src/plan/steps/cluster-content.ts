import type { CustomResourceDefinition, StoredDefinition } from '@isthmus/schema';
import type { KubernetesObject } from '@isthmus/machinery';
import { canonicalJson, isRecord, keyOfObject } from '@isthmus/machinery';
import type { Component } from '../../bundle/component.ts';
import { fullVersion } from '../../bundle/components-of.ts';
import { checkDefinition } from '../../crd/check/check-definition.ts';
import type { CrdReport, StorageMigration } from '../../crd/crd-finding.ts';
import { withoutDescriptions } from '../../crd/without-descriptions.ts';
import { findingOfCrd } from '../../crd/finding-of-crd.ts';
import { checkObjects } from '../../crd/objects/check-objects.ts';
import { readDefinition } from '../../crd/read-definition.ts';
import type { DefinitionReading } from '../../crd/read-definition.ts';
import type { Finding } from '../../finding.ts';
import type { ClusterSnapshot } from '../../fleet/fleet-snapshot.ts';
import { immutableFindings, servesWebhooks } from '../../immutable/immutable-findings.ts';
import type { ImmutableFinding } from '../../immutable/immutable-rule.ts';
import { nameOf, stuckFindings } from '../../immutable/removal-order.ts';
import { apiBreaches } from '../../policy/releases/api-promises.ts';
import type { Content } from './content.ts';
import type { Move } from '../order/move.ts';
import type { PlanInput } from '../input/plan-input.ts';
import { planFinding } from '../format/plan-finding.ts';
import { kubernetesOf } from '../input/planner-context.ts';

/** The verdict on the content of a move in its cluster, at that place of the plan. */
export interface ClusterVerdict {
  readonly isFirst: boolean;
  readonly migrations: readonly StorageMigration[];
  readonly immutable: readonly ImmutableFinding[];
  readonly findings: readonly Finding[];
  readonly notExamined: readonly string[];
  /** CRD findings that pass because a person answers for them. */
  readonly waived: CrdReport['findings'];
}

/**
 * Looks at the content of moves in their order; what a move brings is live for the next one of its
 * cluster.
 */
export class ClusterContents {
  readonly #input: PlanInput;
  /** The CRDs that are live in a cluster at this place of the plan, by name. */
  readonly #definitions = new Map<string, Map<string, CustomResourceDefinition>>();
  readonly #applied = new Set<string>();
  /** Reports by the content of their subject: most clusters of a fleet have the same CRDs. */
  readonly #reports = new Map<string, CrdReport>();
  readonly #texts = new WeakMap<object, string>();
  readonly #plain = new WeakMap<object, CustomResourceDefinition>();
  readonly #readings = new WeakMap<object, DefinitionReading>();

  constructor(input: PlanInput) {
    this.#input = input;
  }

  judge(move: Move, content: Content): ClusterVerdict {
    const { cluster } = move;
    if (cluster === undefined) return nothing;
    const fresh = content.keys.filter((key) => !this.#applied.has(`${cluster.name} ${key}`));
    for (const key of fresh) this.#applied.add(`${cluster.name} ${key}`);
    const isFirst = fresh.length > 0;
    const immutable = immutableOf(content, move, { isFirst, orphans: this.#input.orphans ?? [] });
    const reports = isFirst ? this.#checkDefinitions(content, cluster) : [];
    const findings = reports.flatMap((report) => report.findings);
    return {
      isFirst,
      migrations: reports.flatMap(({ migration }) => (migration === undefined ? [] : [migration])),
      immutable: immutable.filter(({ action }) => action !== 'block'),
      findings: [
        ...reports.flatMap((report) => crdFindings(report, cluster.name)),
        ...(isFirst ? this.#unreadable(content, move) : []),
        ...immutable.map((one) => immutableFinding(one, move)),
        ...(isFirst ? this.#ownResources(content, move) : []),
        ...(isFirst ? ownedByOthers(content, move) : []),
        ...(isFirst ? this.#stuck(cluster) : []),
      ],
      notExamined: (isFirst ? content.missing : []).map(
        ({ name, uri, digest }) =>
          `${move.component.id} ${fullVersion(move.component)}: ${name} (${uri}) ${digest === undefined ? 'has no digest in the bundle, so it was not read' : 'was not available'}; its CRDs, immutable fields and custom resources were not checked`,
      ),
      waived: findings.filter(({ waivedBy }) => waivedBy !== undefined),
    };
  }

  /** CRDs that hang in their deletion, with the objects that hold them. */
  #stuck(cluster: ClusterSnapshot): readonly Finding[] {
    const definitions = readObjects(cluster.definitions);
    const names = new Set(definitions.map(nameOf));
    const found = stuckFindings([...definitions, ...readObjects(cluster.objects)], cluster.name);
    return found.filter(({ subject }) => names.has(subject.object ?? ''));
  }

  #live(cluster: ClusterSnapshot): Map<string, CustomResourceDefinition> {
    const known = this.#definitions.get(cluster.name);
    if (known !== undefined) return known;
    const read = cluster.definitions.flatMap((one) => this.#readDefinition(one));
    const live = new Map(read.map((one) => [one.metadata.name, one]));
    this.#definitions.set(cluster.name, live);
    return live;
  }

  #checkDefinitions(content: Content, cluster: ClusterSnapshot): readonly CrdReport[] {
    const live = this.#live(cluster);
    const { waivers, snapshot, compileRules, policies, histories = [] } = this.#input;
    const promised = { policies, histories, now: snapshot.spec.takenAt };
    const server = { minor: kubernetesOf(cluster) };
    const objects = readObjects(cluster.objects);
    const companions = [...live.values(), ...objects, ...content.all];
    return content.definitions.flatMap((written): readonly CrdReport[] => {
      const [whole] = this.#readDefinition(written);
      if (whole === undefined) return [];
      const name = whole.metadata.name;
      const old = live.get(name);
      // Snapshots keep CRDs without descriptions: a text that was not kept counts as unchanged.
      const next = old === undefined || this.#hasDescriptions(old) ? whole : this.#undescribed(whole);
      const own = objects.filter(({ apiVersion, kind }) => isOf(apiVersion, kind, next));
      const near = companions.filter((one) => isBeside(one, next));
      const key = [old, next, ...own, ...near].map((one) => this.#text(one)).join('\n');
      const check = (): CrdReport => {
        const options = { server, compileRules };
        const stored = old === undefined || own.length === 0 ? undefined : checkObjects(old, next, own, options);
        return checkDefinition(old, next, {
          ...options,
          waivers,
          today: snapshot.spec.takenAt,
          companions,
          objects: stored,
          promises: apiBreaches(old, next, promised).map(({ crd }) => crd),
        });
      };
      const report = this.#reports.get(`${server.minor ?? ''}\n${key}`) ?? check();
      this.#reports.set(`${server.minor ?? ''}\n${key}`, report);
      live.set(name, afterwards(old, next, report));
      return [report];
    });
  }

  #readDefinition(value: object): readonly CustomResourceDefinition[] {
    const reading = this.#reading(value);
    return reading.kind === 'read' ? [reading.definition] : [];
  }

  #reading(value: object): DefinitionReading {
    const known = this.#readings.get(value) ?? readDefinition(value);
    this.#readings.set(value, known);
    return known;
  }

  /**
   * CRDs that are not compared: of the manifest, because no API server accepts them; live ones,
   * because the snapshot does not have them whole.
   */
  #unreadable({ definitions }: Content, { cluster, component }: Move): readonly Finding[] {
    if (cluster === undefined) return [];
    const names = new Set(definitions.map(nameOf));
    const live = readObjects(cluster.definitions).filter((one) => names.has(nameOf(one)));
    return [
      ...definitions.flatMap((one) => this.#unreadableNext(one, cluster, component)),
      ...live.flatMap((one) => {
        const problem = problemOf(this.#reading(one));
        if (problem === undefined) return [];
        const why = `not judged: the live CRD is incomplete in the snapshot (${problem}), so the two are not compared`;
        const unblock = `take the snapshot of ${cluster.name} again, or check what \`kubectl get crd ${nameOf(one)} -o yaml\` prints with \`isthmus upgrade check crd\``;
        return [
          planFinding('plan.definition', 'warn', { cluster: cluster.name, object: nameOf(one) }, { why, unblock }),
        ];
      }),
    ];
  }

  #unreadableNext(one: KubernetesObject, cluster: ClusterSnapshot, { id }: Component): readonly Finding[] {
    const problem = problemOf(this.#reading(one));
    if (problem === undefined) return [];
    const isFormer = one.apiVersion === formerVersion;
    const [major = 1, minor = 22] = (kubernetesOf(cluster) ?? '1.22').split('.').map(Number);
    const isServed = isFormer && major === 1 && minor < 22;
    const why = isFormer
      ? `the manifest of ${id} has a CRD of ${formerVersion}, which Kubernetes removed in 1.22; it is not checked`
      : `the manifest of ${id} has a CRD that API servers reject: ${problem}`;
    const unblock = isFormer
      ? 'use a release with CRDs of apiextensions.k8s.io/v1'
      : 'use a manifest with a correct CRD';
    const subject = { cluster: cluster.name, component: id, object: nameOf(one) };
    return [planFinding('plan.definition', isServed ? 'warn' : 'block', subject, { why, unblock })];
  }

  /**
   * Custom resources of the manifest, by the CRD that is live when they are applied
   * (docs/spec/upgrades.md §4).
   */
  #ownResources(content: Content, { cluster, component }: Move): readonly Finding[] {
    if (cluster === undefined) return [];
    const live = this.#live(cluster);
    return content.all.flatMap((one) => {
      const definition = [...live.values()].find((crd) => isOf(one.apiVersion, one.kind, crd));
      if (definition === undefined) return [];
      const options = { server: { minor: kubernetesOf(cluster) }, compileRules: this.#input.compileRules };
      const { groups } = checkObjects(undefined, definition, [one], options);
      const bad = groups.filter(({ effect }) => effect === 'read-breaks' || effect.startsWith('blocks-'));
      return bad.map(({ field, message }) =>
        planFinding(
          'plan.custom-resource',
          'block',
          { cluster: cluster.name, component: component.id, object: nameOf(one), path: field },
          {
            why: `the manifest of ${component.id} has ${one.kind ?? ''} ${keyOfObject(one)}, which the CRD that is live at that step rejects: ${message}`,
            unblock: `upgrade the component that has ${definition.metadata.name} first, and let ${component.id} require it in the bundle`,
          },
        ),
      );
    });
  }

  #hasDescriptions(definition: CustomResourceDefinition): boolean {
    return this.#text(definition) !== this.#text(this.#undescribed(definition));
  }

  #undescribed(definition: CustomResourceDefinition): CustomResourceDefinition {
    const known = this.#plain.get(definition);
    if (known !== undefined) return known;
    const plain = { ...definition, spec: withoutDescriptions(definition.spec) as CustomResourceDefinition['spec'] };
    this.#plain.set(definition, plain);
    return plain;
  }

  #text(object: object | undefined): string {
    if (object === undefined) return '';
    const known = this.#texts.get(object);
    if (known !== undefined) return known;
    const text = this.#input.sha256(canonicalJson(object));
    this.#texts.set(object, text);
    return text;
  }
}

const formerVersion = 'apiextensions.k8s.io/v1beta1';

/** Why a value is not a CRD; undefined if it is. */
function problemOf(reading: DefinitionReading): string | undefined {
  const [first] = reading.kind === 'read' ? [] : reading.problems;
  return first === undefined ? undefined : `${first.path} ${first.message}`.trim();
}

/**
 * Whether the check of a CRD looks at another object: CRDs of its group, which may have its names,
 * and the Service of its webhook.
 */
function isBeside({ kind, metadata, ...rest }: KubernetesObject, definition: CustomResourceDefinition): boolean {
  const { conversion, group } = (definition as unknown as StoredDefinition).spec;
  if (kind === 'Service') return metadata.name === conversion?.webhook?.clientConfig?.service?.name;
  return kind === 'CustomResourceDefinition' && groupOf(rest) === group;
}

function groupOf(definition: object): unknown {
  const { spec } = definition as { readonly spec?: unknown };
  return isRecord(spec) ? spec['group'] : undefined;
}

const nothing: ClusterVerdict = {
  isFirst: false,
  migrations: [],
  immutable: [],
  findings: [],
  notExamined: [],
  waived: [],
};

function immutableOf(
  content: Content,
  { cluster, component }: Pick<Move, 'cluster' | 'component'>,
  { isFirst, orphans }: { readonly isFirst: boolean; readonly orphans: readonly string[] },
): readonly ImmutableFinding[] {
  if (cluster === undefined || cluster.objects.length === 0) return [];
  const live = new Map(readObjects(cluster.objects).map((one) => [identity(one), one]));
  return [...content.own, ...(isFirst ? content.shared : [])].flatMap((target) => {
    const before = live.get(identity(target));
    if (before === undefined) return [];
    // The bundle requires it, or the user names the Deployment.
    const orphan = orphans.includes(keyOfObject(target)) || isOrphanedBy(component, target);
    return immutableFindings(before, target, { servesWebhooks: servesWebhooks(target, content.all), orphan }) ?? [];
  });
}

function isOrphanedBy({ workloads }: Component, { kind, metadata }: KubernetesObject): boolean {
  return workloads.some(
    (one) =>
      one.recreate === 'orphan' &&
      one.kind === kind &&
      one.namespace === metadata.namespace &&
      one.name === metadata.name,
  );
}

function immutableFinding(found: ImmutableFinding, { cluster, component }: Move): Finding {
  const object = `${found.kind} ${found.ref.namespace === undefined ? '' : `${found.ref.namespace}/`}${found.ref.name}`;
  const changes = found.changes.map(({ field, live, target }) =>
    live === undefined && target === undefined
      ? field
      : `${field} is ${live ?? 'absent'} and would be ${target ?? 'absent'}`,
  );
  const blocks = found.action === 'block';
  return planFinding(
    'plan.immutable',
    blocks ? 'block' : 'warn',
    { cluster: cluster?.name, component: component.id, object },
    {
      why: [found.why, ...changes].join('; '),
      unblock: blocks
        ? 'decide what to do with its data; delete the object, or keep the field unchanged'
        : `the plan deletes ${object} and creates it again (${found.action})`,
    },
  );
}

/** Tools that would put back what the plan changes (docs/spec/upgrades.md §4). */
function ownedByOthers(content: Content, { cluster, component }: Move): readonly Finding[] {
  if (cluster === undefined) return [];
  const written = new Set(content.all.map(identity));
  const managers = new Map<string, Set<string>>();
  for (const object of readObjects(cluster.objects).filter((one) => written.has(identity(one)))) {
    for (const manager of gitOpsManagers(object))
      managers.set(manager, (managers.get(manager) ?? new Set()).add(nameOf(object)));
  }
  return [...managers]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([manager, objects]) =>
      planFinding(
        'plan.other-owner',
        'warn',
        { cluster: cluster.name, component: component.id },
        {
          why: `${manager} owns fields of ${[...objects].toSorted().join(', ')}, which the plan changes`,
          unblock: `the plan pauses ${manager} during the upgrade; also change its source, or it will restore the old state`,
        },
      ),
    );
}

/** The GitOps tools that own fields of an object. */
export function gitOpsManagers({ metadata }: KubernetesObject): readonly string[] {
  const entries = Array.isArray(metadata.managedFields) ? (metadata.managedFields as readonly unknown[]) : [];
  const names = entries.flatMap((one) => {
    const manager =
      typeof one === 'object' && one !== null ? (one as { readonly manager?: unknown }).manager : undefined;
    return typeof manager === 'string' && /^(kustomize-controller|helm-controller|flux|argocd)/.test(manager)
      ? [manager]
      : [];
  });
  return [...new Set(names)].toSorted();
}

/** The values of a list that have the shape of an object. */
export function readObjects(values: readonly unknown[]): readonly KubernetesObject[] {
  return values.filter((one): one is KubernetesObject => {
    const metadata =
      typeof one === 'object' && one !== null ? (one as { readonly metadata?: unknown }).metadata : undefined;
    if (typeof metadata !== 'object' || metadata === null) return false;
    return typeof (metadata as { readonly name?: unknown }).name === 'string';
  });
}

/**
 * The findings of a report. What the API server would refuse because of stored versions (G05) is no
 * obstacle where the plan rewrites them first.
 */
function crdFindings({ findings, migration }: CrdReport, cluster: string): readonly Finding[] {
  return findings
    .filter(({ waivedBy }) => waivedBy === undefined)
    .map((one) => {
      const finding = findingOfCrd(one, cluster);
      if (one.rule !== 'G05' || migration?.when !== 'before-crd') return finding;
      const { unblock: _, ...rest } = finding;
      return { ...rest, severity: 'info', why: `${finding.why}; the plan rewrites them first` };
    });
}

/** A CRD as it is live when the plan has migrated and applied it. */
function afterwards(
  old: CustomResourceDefinition | undefined,
  next: CustomResourceDefinition,
  { migration }: CrdReport,
): CustomResourceDefinition {
  const before = (old as { readonly status?: { readonly storedVersions?: readonly string[] } } | undefined)?.status;
  const storage = next.spec.versions.filter((one) => one.storage).map(({ name }) => name);
  const stored = migration === undefined ? (before?.storedVersions ?? []) : [migration.to];
  const status = { ...before, storedVersions: [...new Set([...stored, ...storage])] };
  const after = { ...next, status };
  return after;
}

function isOf(apiVersion: string | undefined, kind: string | undefined, { spec }: CustomResourceDefinition): boolean {
  return (
    (apiVersion ?? '').split('/')[0] === spec.group && kind === spec.names.kind && (apiVersion ?? '').includes('/')
  );
}

/** The identity of an object in a manifest and in a cluster: group, kind, Namespace, name. */
export function identity({ apiVersion = '', kind = '', metadata }: KubernetesObject): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return JSON.stringify([group, kind, metadata.namespace ?? '', metadata.name]);
}
