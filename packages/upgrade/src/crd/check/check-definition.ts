import { equal } from '@isthmus/machinery';
import type { CustomResourceDefinition, JsonSchema, RuleErrors } from '@isthmus/schema';
import type { KubernetesObject } from '@isthmus/machinery';
import { compareApiVersions } from '../compare-api-versions.ts';
import { compareRoots } from '../compare/compare-schemas.ts';
import type { SchemaChange } from '../compare/schema-change.ts';
import { adjusted } from '../adjust.ts';
import type { CrdFinding, CrdReport, StorageMigration } from '../crd-finding.ts';
import type { CrdSeverity } from '../crd-rule.ts';
import { crdRule } from '../rules.ts';
import { definitionChanges } from '../changes/definition-changes.ts';
import { pointerOf } from '../changes/definition-change.ts';
import type { DefinitionChange } from '../changes/definition-change.ts';
import { faults, refusals } from './definition-faults.ts';
import { schemaOf, viewOf } from '../definition-view.ts';
import type { DefinitionView } from '../definition-view.ts';
import { lintSchema } from './lints.ts';
import type { ObjectsReport } from '../object-problem.ts';
import type { CompileRules } from '../rules-engine.ts';
import type { ServerVersion } from '../server-version.ts';
import { waive } from './waive.ts';
import type { Waiver } from '../waivers.ts';

export interface CrdCheckOptions {
  /**
   * The servers of the CRD. Rules count as ratcheted only if the oldest server is known and
   * ratchets.
   */
  readonly server: ServerVersion;
  readonly waivers: readonly Waiver[];
  /** RFC 3339, a day or a moment: waivers expire by it. */
  readonly today: string;
  /** CEL; without it rules are compared, and not compiled. */
  readonly compileRules?: CompileRules | undefined;
  /** Objects in the cluster or beside the CRD: other CRDs, the Services of webhooks. */
  readonly companions: readonly KubernetesObject[];
  /**
   * The result of the check of the stored objects: a finding that affects none of them notes this.
   */
  readonly objects?: ObjectsReport | undefined;
  /** Whether it is applied by `kubectl apply` without `--server-side`. Default false. */
  readonly clientSideApply?: boolean | undefined;
  /**
   * Promises of policies that the change breaks (P rules, see `apiBreaches`); reported, and waived,
   * with the rest. Default: none.
   */
  readonly promises?: readonly CrdFinding[] | undefined;
  /**
   * Whether matters of taste are reported as well (L rules), as far as they are new. Default false.
   */
  readonly lints?: boolean | undefined;
}

/**
 * Judges a CRD that is to replace another, or to be installed for the first time
 * (docs/spec/upgrades.md §3). It reports what the API server would reject, and what changes between
 * versions of the same name. It also reports differences between served versions of the new CRD
 * that did not exist before, and differences between the storage versions. Each rule reports each
 * place once. Equal inputs give equal reports.
 *
 * Both must have the shape of a CRD: see `readDefinition`. The cost is linear in the schemas, times
 * the number of pairs of served versions.
 */
export function checkDefinition(
  old: CustomResourceDefinition | undefined,
  next: CustomResourceDefinition,
  options: CrdCheckOptions,
): CrdReport {
  const before = old === undefined ? undefined : viewOf(old);
  const view = viewOf(next);
  const ruleErrors: RuleErrors = (schema, path, { isSound, isAsItWas }) => {
    const rules = options.compileRules?.(schema, { isSound: (at) => isSound(`${path}${at}`), isAsItWas });
    return (rules?.problems ?? []).map((error) => ({ ...error, path: `${path}${error.path}` }));
  };
  const bytes = new TextEncoder().encode(JSON.stringify(next)).length;
  const whole = [
    ...refusals(before, view, ruleErrors),
    ...faults(before, view, {
      companions: options.companions,
      bytes,
      clientSideApply: options.clientSideApply === true,
    }),
    ...(before === undefined ? [] : [...definitionChanges(before, view), ...unknownStorage(before, view)]),
  ];
  const found = [
    ...withoutRepeats(whole).map((change) => ofWhole(change, view.name)),
    ...(before === undefined ? [] : sameNamed(before, view)),
    ...servedPairs(before, view),
    ...(before === undefined ? [] : storagePair(before, view)),
    ...(options.lints === true ? lintFindings(before, view) : []),
    ...(options.promises ?? []),
  ];
  if (before !== undefined && found.length === 0 && !equal(before.definition.spec, view.definition.spec)) {
    const message = 'it is written differently, with the same meaning';
    found.push(ofWhole({ rule: 'G21', pointer: '/spec', message, hint: '' }, view.name));
  }
  const judged = found.map((finding) => adjusted(finding, options));
  const { findings, idle } = waive(withStatusNote(judged), {
    waivers: options.waivers.filter(({ crd }) => crd === view.name),
    today: options.today,
  });
  const migration = before === undefined ? undefined : migrationOf(before, view, options.objects);
  return {
    crd: view.name,
    ...(migration !== undefined && { migration }),
    findings: findings.toSorted(byWeight),
    idleWaivers: idle,
  };
}

/**
 * Removes repetitions: G05 of a version with G06, and an error that the API server returns twice.
 */
function withoutRepeats(changes: readonly DefinitionChange[]): readonly DefinitionChange[] {
  const gone = changes.filter(({ rule }) => rule === 'G06').map(({ version }) => version);
  const seen = new Set<string>();
  return changes.filter((change) => {
    if (change.rule === 'G05' && gone.includes(change.version)) return false;
    const key = `${change.rule} ${change.pointer} ${change.message}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function ofWhole(
  { rule, severity, version, pointer, field, old, new: now, message, hint }: DefinitionChange,
  crd: string,
): CrdFinding {
  return {
    rule,
    severity: severity ?? crdRule(rule).severity,
    crd,
    ...(version !== undefined && { version }),
    pointer,
    ...(field !== undefined && { field }),
    ...(old !== undefined && { old }),
    ...(now !== undefined && { new: now }),
    message,
    hint,
  };
}

function ofSchema(
  change: SchemaChange,
  view: DefinitionView,
  versions: Pick<CrdFinding, 'version' | 'comparedWith'> & { readonly version: string },
): CrdFinding {
  const { rule, severity, field, pointer, ...rest } = change;
  return {
    rule,
    severity: severity ?? crdRule(rule).severity,
    crd: view.name,
    ...versions,
    pointer: `${pointerOf(view, versions.version)}/schema/openAPIV3Schema${pointer}`,
    ...rest,
    ...(field !== '' && { field }),
  };
}

/** Versions that both have, old against new. */
function sameNamed(before: DefinitionView, view: DefinitionView): readonly CrdFinding[] {
  return [...view.versions.keys()].flatMap((version) => {
    const [old, next] = [schemaOf(before, version), schemaOf(view, version)];
    if (old === undefined || next === undefined) return [];
    return collapsed(compareRoots(old, next)).map((change) => ofSchema(change, view, { version }));
  });
}

/**
 * Every pair of served versions, the less preferred against the more preferred one, as far as the
 * old CRD did not have the same difference already between versions that it served and did not
 * convert otherwise. With a webhook it is the webhook's affair.
 */
function servedPairs(before: DefinitionView | undefined, view: DefinitionView): readonly CrdFinding[] {
  if (view.isWebhook) return [];
  const served = view.served.toSorted(compareApiVersions).toReversed();
  return served.flatMap((from, index) =>
    served.slice(index + 1).flatMap((to) => {
      const wasPair = before?.isWebhook === false && [from, to].every((one) => before.served.includes(one));
      const had = new Set(wasPair ? differences(schemaOf(before, from), schemaOf(before, to)).map(keyOf) : []);
      return differences(schemaOf(view, from), schemaOf(view, to))
        .filter((change) => !had.has(keyOf(change)))
        .map((change) => ofSchema(inPair(change, from, to), view, { version: to, comparedWith: from }));
    }),
  );
}

/**
 * The differences by which objects lose data or become invalid when they are read at the other
 * version. Other differences do not matter between two versions.
 */
function differences(from: JsonSchema | undefined, to: JsonSchema | undefined): readonly SchemaChange[] {
  if (from === undefined || to === undefined) return [];
  return compareRoots(from, to).filter(({ rule, severity }) =>
    ['B', 'C', 'R'].includes(severity ?? crdRule(rule).severity),
  );
}

function keyOf({ rule, pointer, message }: SchemaChange): string {
  return `${rule} ${pointer} ${message}`;
}

function inPair(change: SchemaChange, from: string, to: string): SchemaChange {
  return { ...change, message: `from ${from} to ${to}: ${change.message}` };
}

/**
 * Compares the present storage version with the next one; versions of the same name are compared
 * already.
 */
function storagePair(before: DefinitionView, view: DefinitionView): readonly CrdFinding[] {
  const [from, to] = [before.storage, view.storage];
  if (from === undefined || to === undefined || from === to || view.isWebhook) return [];
  // Two served versions are a pair above.
  if (view.served.includes(from) && view.served.includes(to)) return [];
  return differences(schemaOf(before, from), schemaOf(view, to)).map((change) =>
    ofSchema(inPair(change, from, to), view, { version: to, comparedWith: from }),
  );
}

function lintFindings(before: DefinitionView | undefined, view: DefinitionView): readonly CrdFinding[] {
  return [...view.versions.keys()].flatMap((version) => {
    const hasStatus = view.versions.get(version)?.subresources?.status !== undefined;
    const had = new Set(
      lintSchema(schemaOf(before, version), hasStatus).map(({ rule, pointer }) => `${rule} ${pointer}`),
    );
    return lintSchema(schemaOf(view, version), hasStatus)
      .filter(({ rule, pointer }) => !had.has(`${rule} ${pointer}`))
      .map((change) => ofSchema(change, view, { version }));
  });
}

/** Changed texts are one finding for each version: a thousand findings would hide the others. */
function collapsed(changes: readonly SchemaChange[]): readonly SchemaChange[] {
  const isText = ({ rule, pointer }: SchemaChange) =>
    rule === 'G21' && /\/(description|title|example|externalDocs)$/.test(pointer);
  const texts = changes.filter(isText);
  const [first] = texts;
  const rest = changes.filter((change) => !isText(change));
  if (first === undefined || texts.length === 1) return changes;
  return [
    ...rest,
    {
      ...first,
      message: `${texts.length} descriptions and examples change; the first is that of ${first.field === '' ? 'the object' : first.field}`,
    },
  ];
}

/** F38: marks breaking changes within status, and adds one note if only status breaks. */
function withStatusNote(findings: readonly CrdFinding[]): readonly CrdFinding[] {
  const breaks = findings.filter(({ severity }) => severity === 'B' || severity === 'C');
  const isOfStatus = ({ field }: CrdFinding) => field !== undefined && /^status($|[.[])/.test(field);
  const note = 'status: affects mostly controllers, not users';
  const marked = findings.map((one) =>
    isOfStatus(one) && breaks.includes(one)
      ? { ...one, note: one.note === undefined ? note : `${one.note}; ${note}` }
      : one,
  );
  const [first] = breaks;
  if (first === undefined || !breaks.every(isOfStatus)) return marked;
  const { crd, version } = first;
  const only: CrdFinding = {
    rule: 'F38',
    severity: 'I',
    crd,
    ...(version !== undefined && { version }),
    // The breaking changes may be in several schemas; the note is reported at the first.
    pointer: first.pointer.replace(/(\/openAPIV3Schema).*$/, '$1/properties/status'),
    field: 'status',
    message: 'only status breaks: writes of status validate the whole object, so controllers fail first',
    hint: 'Upgrade the controllers together with the CRD.',
  };
  return [...marked, only];
}

/**
 * G05 if the file of the live CRD does not contain the versions in which objects are stored, and
 * one of its versions is removed.
 */
function unknownStorage(before: DefinitionView, view: DefinitionView): readonly DefinitionChange[] {
  if (before.isStorageKnown) return [];
  return [...before.versions.keys()]
    .filter((version) => !view.versions.has(version) && version !== before.storage)
    .map((version) => ({
      rule: 'G05',
      severity: 'R',
      version,
      pointer: '/spec/versions',
      old: version,
      message: `not judged: ${version} is removed, and the file of the live CRD has no status.storedVersions, so objects may still be stored in ${version}`,
      hint: `Pass the CRD of the cluster (kubectl get crd ${view.name} -o yaml); the API server rejects the new CRD while storedVersions has ${version}.`,
    }));
}

/** G05 before the CRD, G08 after it. */
function migrationOf(
  before: DefinitionView,
  view: DefinitionView,
  objects: ObjectsReport | undefined,
): StorageMigration | undefined {
  const stored = before.definition.status.storedVersions ?? (before.storage === undefined ? [] : [before.storage]);
  const [live, to] = [before.storage, view.storage];
  if (live === undefined || to === undefined) return undefined;
  const dropped = stored.filter((version) => !view.versions.has(version)).toSorted();
  const count = objects === undefined ? {} : { objects: objects.objects };
  if (dropped.length > 0) {
    // If the storage version itself is removed, nothing can be rewritten in one step (G06).
    if (dropped.includes(live)) return undefined;
    return { crd: view.name, from: dropped, to: live, when: 'before-crd', ...count };
  }
  const left = stored.filter((version) => version !== to).toSorted();
  if (live === to || left.length === 0) return undefined;
  return { crd: view.name, from: left, to, when: 'after-crd', ...count };
}

const weights: readonly CrdSeverity[] = ['X', 'B', 'C', 'P', 'R', 'I'];

function byWeight(a: CrdFinding, b: CrdFinding): number {
  const keys = ({ severity, rule, version = '', comparedWith = '', pointer, message }: CrdFinding) => [
    String(weights.indexOf(severity)),
    rule,
    version,
    comparedWith,
    pointer,
    message,
  ];
  const [x, y] = [keys(a), keys(b)];
  const at = x.findIndex((key, index) => key !== y[index]);
  if (at < 0) return 0;
  return (x[at] ?? '') < (y[at] ?? '') ? -1 : 1;
}
