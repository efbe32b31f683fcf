import type { CrdVersion, CustomResourceDefinition, JsonSchema } from '@isthmus/schema';
import { equal } from '@isthmus/machinery';
import { compareApiVersions, stabilityOf } from '../../crd/compare-api-versions.ts';
import { asClause } from '../../crd/finding-of-crd.ts';
import type { CrdFinding } from '../../crd/crd-finding.ts';
import type { Finding } from '../../finding.ts';
import type { Severity } from '../../words.ts';
import type { Version } from '../../version/version.ts';
import type { ApiHistory } from './api-history.ts';
import type { ApiDeprecationRule } from '../change-rules.ts';
import { ageProblem, historyOf } from './deprecation-age.ts';
import { orderedFindings } from '../../finding-order.ts';
import type { Policy } from '../policy.ts';

/** The context for judging promises about API versions. */
export interface ApiPromiseContext {
  readonly policies: readonly Policy[];
  readonly histories: readonly ApiHistory[];
  /** RFC 3339. */
  readonly now: string;
  /** The releases that the definitions belong to, where they are known. */
  readonly release?: { readonly from: Version; readonly to: Version } | undefined;
}

/**
 * A promise about an API version that a change breaks, as the report about the CRD has it, and as a
 * finding of its policy's severity.
 */
export interface ApiBreach {
  readonly crd: CrdFinding;
  readonly finding: Finding;
}

interface Breach {
  readonly rule: 'P01' | 'P02' | 'P03' | 'P05';
  readonly version: string;
  readonly message: string;
  readonly hint: string;
  readonly severity?: Severity | undefined;
}

/**
 * The promises about API versions that a change of a CRD breaks (docs/spec/upgrades.md §2.4: D1 to
 * D3 and D5, as P01 to P03 and P05): versions that are removed too early or without deprecation,
 * deprecated versions without conversion, and versions deprecated in favour of a less stable one.
 * `next` is undefined if the CRD itself is removed. CRDs of groups without a rule are not promised.
 * By rule and version.
 */
export function apiBreaches(
  old: CustomResourceDefinition | undefined,
  next: CustomResourceDefinition | undefined,
  context: ApiPromiseContext,
): readonly ApiBreach[] {
  const definition = next ?? old;
  if (definition === undefined) return [];
  const { name } = definition.metadata;
  return rulesFor(definition.spec.group, context.policies).flatMap((rule) => {
    const breaches = [
      ...(old === undefined ? [] : removals(old, next, rule, context)),
      ...(next === undefined ? [] : [...unconverted(old, next, rule), ...lessStable(old, next)]),
    ];
    return breaches
      .toSorted((a, b) => (a.rule + a.version < b.rule + b.version ? -1 : 1))
      .map((breach) => breachOf(breach, rule, name));
  });
}

/** The promises about an API group: those that name it, and those whose suffix it has. */
export function rulesFor(group: string, policies: readonly Policy[]): readonly ApiDeprecationRule[] {
  const isAbout = (pattern: string) =>
    pattern === group || (pattern.startsWith('*.') && group.endsWith(pattern.slice(1)));
  return policies.flatMap(({ spec }) => spec.apis).filter(({ groups }) => groups.some(isAbout));
}

/** D7: deprecated versions without a warning that names the replacement. */
export function silentDeprecations(definition: CustomResourceDefinition): readonly Finding[] {
  const { name } = definition.metadata;
  const silent = definition.spec.versions.filter(
    ({ served, deprecated, deprecationWarning }) =>
      served && deprecated === true && (deprecationWarning === undefined || deprecationWarning === ''),
  );
  return orderedFindings(
    silent.map((version) => ({
      rule: 'D7',
      severity: 'warn',
      subject: { object: name, path: version.name },
      why: `${version.name} of ${name} is deprecated without a deprecationWarning: users do not see the replacement`,
      unblock: 'name the replacement in deprecationWarning of the version',
      source: 'docs/spec/upgrades.md §2.4, D7',
    })),
  );
}

function removals(
  old: CustomResourceDefinition,
  next: CustomResourceDefinition | undefined,
  rule: ApiDeprecationRule,
  context: ApiPromiseContext,
): readonly Breach[] {
  const left = new Set(next?.spec.versions.filter(({ served }) => served).map(({ name }) => name));
  const gone = old.spec.versions.filter(({ served, name }) => served && !left.has(name));
  return gone.flatMap(({ name, deprecated }) => {
    const isMarked = deprecated === true;
    return removalBreaches({ name: old.metadata.name, version: name, isMarked }, rule, context);
  });
}

/** Something that is not served any more. */
interface GoneVersion {
  /** The name of the CRD, or the group of an aggregated API: the name that histories use. */
  readonly name: string;
  readonly version: string;
  /** Whether the release before marked it as deprecated. */
  readonly isMarked: boolean;
}

function removalBreaches(
  { name, version, isMarked }: GoneVersion,
  rule: ApiDeprecationRule,
  context: ApiPromiseContext,
): readonly Breach[] {
  const stability = stabilityOf(version);
  if (stability === undefined || stability === 'alpha') return [];
  const known = historyOf(context.histories, name, version);
  const what = `${version} is no longer served`;
  const hint = `Keep serving ${version}, with deprecated: true, until the end of its deprecation period.`;
  if (!isMarked && known?.deprecated === undefined)
    return [{ rule: 'P02', version, message: `${what}, but was never marked as deprecated`, hint }];
  const { from, to } = context.release ?? {};
  const isSameMajor = from?.core !== undefined && from.core.major === to?.core?.major;
  if (stability === 'ga' && rule.gaWithinMajor && isSameMajor)
    return [{ rule: 'P01', version, message: `${what}; GA versions are kept for the whole major`, hint }];
  const age = ageProblem(known, rule[stability], { now: context.now, to });
  if (age.kind === 'old-enough') return [];
  if (age.kind === 'too-young') return [{ rule: 'P01', version, message: `${what}: ${age.why}`, hint }];
  const message = `${what}, and the end of its deprecation period is unknown: ${age.why}`;
  return [
    { rule: 'P01', version, message, hint: 'Pass an ApiHistory with the date of its deprecation.', severity: 'warn' },
  ];
}

/**
 * The same promises for APIs that an API server of the product itself serves
 * (`controlplane.antrea.io`). Manifests contain only their APIServices, so only a history can show
 * that they were deprecated.
 */
export function aggregatedBreaches(
  gone: { readonly group: string; readonly version: string },
  context: ApiPromiseContext,
): readonly Finding[] {
  const { group, version } = gone;
  return rulesFor(group, context.policies).flatMap((rule) =>
    removalBreaches({ name: group, version, isMarked: false }, rule, context).map(
      (breach) =>
        breachOf(
          {
            ...breach,
            hint: `Keep serving ${version} until the end of its deprecation period; an ApiHistory has the date of its deprecation.`,
          },
          rule,
          group,
        ).finding,
    ),
  );
}

/**
 * D3: without a webhook the fields that differ are lost between the versions. Where that was so
 * before, an upgrade makes it no worse.
 */
function unconverted(
  old: CustomResourceDefinition | undefined,
  next: CustomResourceDefinition,
  rule: ApiDeprecationRule,
): readonly Breach[] {
  const before = new Set(old === undefined ? [] : unconvertedVersions(old, rule).map(({ version }) => version));
  return unconvertedVersions(next, rule).map((breach) =>
    before.has(breach.version)
      ? { ...breach, message: `${breach.message}; this was so before`, severity: 'info' }
      : breach,
  );
}

function unconvertedVersions({ spec }: CustomResourceDefinition, rule: ApiDeprecationRule): readonly Breach[] {
  if (!rule.conversionWhileDeprecated || spec.conversion?.strategy === 'Webhook') return [];
  const stored = spec.versions.find(({ storage }) => storage);
  if (stored === undefined) return [];
  const isPromised = ({ name, served, deprecated }: CrdVersion) =>
    served && deprecated === true && stabilityOf(name) !== 'alpha' && stabilityOf(name) !== undefined;
  return spec.versions
    .filter((version) => isPromised(version) && !sameShape(version, stored))
    .map(({ name: version }) => ({
      rule: 'P03',
      version,
      message: `${version} is deprecated, has another schema than ${stored.name}, which is stored, and there is no conversion between them`,
      hint: 'Add a conversion webhook, in every release until the version is removed.',
    }));
}

/**
 * D5: of those that were not deprecated before, the ones that leave their users nothing as stable.
 */
function lessStable(old: CustomResourceDefinition | undefined, next: CustomResourceDefinition): readonly Breach[] {
  const before = new Set(old?.spec.versions.filter(({ deprecated }) => deprecated === true).map(({ name }) => name));
  const live = next.spec.versions.filter(({ served, deprecated }) => served && deprecated !== true);
  const rank = { ga: 2, beta: 1, alpha: 0 };
  const rankOf = (version: string) => rank[stabilityOf(version) ?? 'alpha'];
  const best = Math.max(-1, ...live.map(({ name }) => rankOf(name)));
  const newest = live.map(({ name }) => name).toSorted(compareApiVersions)[0];
  return next.spec.versions
    .filter(({ name, deprecated }) => deprecated === true && !before.has(name) && rankOf(name) > best)
    .map(({ name: version }) => ({
      rule: 'P05',
      version,
      message: `${version} is deprecated in favour of ${newest === undefined ? 'nothing' : `the less stable ${newest}`}`,
      hint: `Deprecate ${version} when a version of the same stability is served.`,
    }));
}

function sameShape(a: CrdVersion, b: CrdVersion): boolean {
  const schema = ({ schema: one }: CrdVersion): JsonSchema | undefined => one?.openAPIV3Schema;
  return equal(schema(a) ?? {}, schema(b) ?? {});
}

function breachOf(
  { rule: id, version, message, hint, severity }: Breach,
  rule: ApiDeprecationRule,
  crd: string,
): ApiBreach {
  return {
    crd: {
      rule: id,
      severity: 'P',
      note: `promised by ${rule.id}`,
      promise: { severity: severity ?? rule.severity, source: rule.source },
      crd,
      version,
      pointer: '/spec/versions',
      message,
      hint,
    },
    finding: {
      rule: id,
      severity: severity ?? rule.severity,
      subject: { object: crd, path: version },
      why: `${crd}: ${message} (${rule.id})`,
      unblock: asClause(hint),
      source: rule.source,
    },
  };
}
