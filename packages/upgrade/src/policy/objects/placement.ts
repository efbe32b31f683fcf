import type { CustomResourceDefinition } from '@isthmus/schema';
import { compareApiVersions } from '../../crd/compare-api-versions.ts';
import type { Finding } from '../../finding.ts';
import type { PlacementRule } from '../change-rules.ts';
import { cycleIn } from '../cycle.ts';
import { orderedFindings } from '../../finding-order.ts';
import type { Policy } from '../policy.ts';
import { namesText } from '../../fleet/where-text.ts';

/**
 * The annotation in which a CRD names the types that it refers to: `v1alpha2/ClusterGroup`, or with
 * the group before it; several by commas.
 */
const dependsOnAnnotation = 'upgrade.isthmus.dev/depends-on';

/** A type in a version of its group. */
interface TypeInVersion {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The context for judging CRDs. */
export interface PlacementContext {
  readonly policies: readonly Policy[];
  /**
   * The references of CRDs, by the name of the CRD, in the form of the annotation; in addition to
   * those of their annotations.
   */
  readonly dependsOn?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * The names of CRDs that are there already: where they went is settled, their dependencies are
   * not. Default: all are new.
   */
  readonly existing?: ReadonlySet<string> | undefined;
}

/**
 * Whether CRDs are in versions of their group that their dependencies allow
 * (docs/spec/upgrades.md §2.9). At least one version of a CRD must not be lower than the highest
 * version of a type of the same group that it refers to, by the order of Kubernetes (GA before beta
 * before alpha, then numbers). A new CRD without dependencies must be in the usual version of the
 * rule. Types that refer to each other in a circle are drawn.
 */
export function placementFindings(
  definitions: readonly CustomResourceDefinition[],
  context: PlacementContext,
): readonly Finding[] {
  const rules = context.policies.flatMap(({ spec }) => spec.placement);
  return orderedFindings(
    rules.flatMap((rule) => {
      const own = definitions.filter(({ spec }) => rule.groups.includes(spec.group));
      const placed = own.map((definition) => ({ definition, types: dependenciesOf(definition, context) }));
      return [
        ...placed.flatMap(({ definition, types }) => judged(definition, types, rule, { ...context, own })),
        ...circles(placed, rule),
      ];
    }),
  );
}

/**
 * In sentences, what {@link placementFindings} does not look at: CRDs of groups that no policy is
 * about.
 */
export function placementNotExamined(
  definitions: readonly CustomResourceDefinition[],
  policies: readonly Policy[],
): readonly string[] {
  const groups = new Set(policies.flatMap(({ spec }) => spec.placement.flatMap((rule) => rule.groups)));
  const unknown = definitions.filter(({ spec }) => !groups.has(spec.group));
  const names = [...new Set(unknown.map(({ metadata }) => metadata.name))];
  if (names.length === 0) return [];
  return [`${names.length === 1 ? 'a CRD' : `${names.length} CRDs`} of groups without a policy: ${namesText(names)}`];
}

function judged(
  { metadata, spec }: CustomResourceDefinition,
  types: readonly (TypeInVersion | string)[],
  rule: PlacementRule,
  { existing, own }: PlacementContext & { readonly own: readonly CustomResourceDefinition[] },
): readonly Finding[] {
  const [highest = ''] = spec.versions.map(({ name }) => name).toSorted(compareApiVersions);
  const finding = (severity: Finding['severity'], why: string, unblock?: string): Finding => ({
    rule: rule.id,
    severity,
    subject: { object: metadata.name },
    why: `${metadata.name} ${why}`,
    ...(unblock === undefined ? {} : { unblock }),
    source: rule.source,
  });
  const unread = types
    .filter((type) => typeof type === 'string')
    .map((text) =>
      finding(
        'block',
        `names ${JSON.stringify(text)}, which is not version/Kind or group/version/Kind`,
        `correct ${dependsOnAnnotation}`,
      ),
    );
  const within = types.filter((type) => typeof type !== 'string').filter(({ group }) => group === spec.group);
  const unknown = within.filter(({ kind, version }) => !own.some((one) => serves(one, kind, version)));
  const strange = unknown.map(({ kind, version }) =>
    finding('warn', `refers to ${version}/${kind}, which is not among these definitions`, 'pass all CRDs of the group'),
  );
  const [needed] = within.toSorted((a, b) => compareApiVersions(a.version, b.version));
  if (needed === undefined) {
    const isUsual = rule.usual.includes(highest) || existing?.has(metadata.name) === true;
    const usual = rule.usual.join(' or ');
    return [
      ...unread,
      ...(isUsual
        ? []
        : [
            finding(
              'warn',
              `refers to no type of its group and is in ${highest}; usually that is ${usual}`,
              `place it in ${usual}`,
            ),
          ]),
    ];
  }
  const order = compareApiVersions(highest, needed.version);
  if (order > 0) {
    const why = `is in ${highest} and refers to ${needed.kind}, which is in the higher ${needed.version}`;
    return [...unread, ...strange, finding(rule.severity, why, `place it in ${needed.version} or higher`)];
  }
  const above = `is in ${highest}, above ${needed.version}, the highest version that it refers to: correct if it is closely related to existing types`;
  return [
    ...unread,
    ...strange,
    ...(order < 0 && existing?.has(metadata.name) !== true ? [finding('info', above)] : []),
  ];
}

function serves({ spec }: CustomResourceDefinition, kind: string, version: string): boolean {
  return spec.names.kind === kind && spec.versions.some(({ name }) => name === version);
}

function circles(
  placed: readonly {
    readonly definition: CustomResourceDefinition;
    readonly types: readonly (TypeInVersion | string)[];
  }[],
  rule: PlacementRule,
): readonly Finding[] {
  const edges = placed.flatMap(({ definition: { spec }, types }) =>
    types.flatMap((type) =>
      typeof type === 'string' || type.group !== spec.group ? [] : [[spec.names.kind, type.kind] as const],
    ),
  );
  const cycle = cycleIn(edges.filter(([from, to]) => from !== to));
  if (cycle === undefined) return [];
  const finding: Finding = {
    rule: rule.id,
    severity: rule.severity,
    subject: { object: cycle[0] },
    why: `types have circular references: ${cycle.join(' → ')}`,
    unblock: 'move the shared parts into a separate type',
    source: rule.source,
  };
  return [finding];
}

/** Types as far as they can be read, others as they are written. */
function dependenciesOf(
  { metadata, spec }: CustomResourceDefinition,
  { dependsOn }: PlacementContext,
): readonly (TypeInVersion | string)[] {
  const annotation = metadata.annotations?.[dependsOnAnnotation] ?? '';
  const words = [...annotation.split(','), ...(dependsOn?.[metadata.name ?? ''] ?? [])].map((one) => one.trim());
  return [...new Set(words.filter((one) => one !== ''))].map((word) => {
    const parts = word.split('/');
    const [kind = '', version = '', group = spec.group] = parts.toReversed();
    const isRead = (parts.length === 2 || parts.length === 3) && /^v\d/.test(version) && /^[A-Z]\w*$/.test(kind);
    return isRead ? { group, version, kind } : word;
  });
}
