import { fieldErrorBody, partsOf, rulesOf } from '@isthmus/schema';
import { keyOfObject } from '@isthmus/machinery';
import type { CustomResourceDefinition, FieldError, JsonSchema } from '@isthmus/schema';
import type { KubernetesObject } from '@isthmus/machinery';
import { ratchets } from '../adjust.ts';
import { schemaOf, viewOf } from '../definition-view.ts';
import type { DefinitionView } from '../definition-view.ts';
import type { ObjectEffect, ObjectsReport } from '../object-problem.ts';
import type { CompileRules } from '../rules-engine.ts';
import type { ServerVersion } from '../server-version.ts';
import { fieldOf } from './field-of.ts';
import { groupProblems } from './group-problems.ts';
import type { Found } from './group-problems.ts';
import { plainMessages, writeJudge } from './judge-write.ts';
import type { VerdictError, WriteJudge } from './judge-write.ts';
import { lastWriter } from './last-writer.ts';
import { versionUsers } from './version-users.ts';
import { isOfRange, placeInDetail, rulesOfError, rulesOfLoss } from './rules-of-error.ts';

export interface ObjectsCheckOptions {
  readonly server: ServerVersion;
  /** CEL; without it rules are not evaluated. */
  readonly compileRules?: CompileRules | undefined;
}

/** A check that objects are given to one by one. */
export interface ObjectsCheck {
  /** Judges an object; one of another kind is passed over. */
  add(object: KubernetesObject): void;
  /** All that was found so far. */
  report(): ObjectsReport;
}

/**
 * Judges stored objects by a new CRD (docs/spec/upgrades.md §3.5). It reports fields that are
 * pruned and that the old CRD kept, objects that are rejected after defaults are filled in, and
 * objects that can no longer be read. Never stops at the first problem; keeps counts and a few
 * names for each field, so that memory does not grow with the objects.
 *
 * An object is judged at the version that it is written in, if both CRDs have it. Under conversion
 * None it is judged at all versions that both serve, and at the new storage version. If the old CRD
 * did not serve a version, only pruned fields are reported. At other versions than the object's
 * own, only errors that the old schema did not have are reported. The result of a conversion
 * webhook cannot be known here.
 *
 * Errors: throws if a schema cannot be compiled; `checkDefinition` reports why.
 */
export function objectsCheck(
  old: CustomResourceDefinition | undefined,
  next: CustomResourceDefinition,
  options: ObjectsCheckOptions,
): ObjectsCheck {
  const before = old === undefined ? undefined : viewOf(old);
  const view = viewOf(next);
  const { group, names } = view.definition.spec;
  const places = new Map<string, Place>();
  const problems = groupProblems(view.name);
  const users = versionUsers(group);
  const placeAt = (from: string, to: string) => {
    const key = `${from} ${to}`;
    const place = places.get(key) ?? makePlace(before, view, { from, to, ...options });
    places.set(key, place);
    return place;
  };
  return {
    add(object) {
      const [objectGroup, version] = (object.apiVersion ?? '').split('/');
      if (objectGroup !== group || version === undefined || object.kind !== names.kind) return;
      const { versions, found } = judgeObject(object, version, { before, view, placeAt, options });
      problems.add(keyOfObject(object), versions, found);
      users.add(object);
    },
    report: () => ({ ...problems.report(), users: users.report() }),
  };
}

/** All at once; asynchronously where the objects come so. */
export function checkObjects(
  old: CustomResourceDefinition | undefined,
  next: CustomResourceDefinition,
  objects: Iterable<KubernetesObject>,
  options: ObjectsCheckOptions,
): ObjectsReport;
export function checkObjects(
  old: CustomResourceDefinition | undefined,
  next: CustomResourceDefinition,
  objects: AsyncIterable<KubernetesObject>,
  options: ObjectsCheckOptions,
): Promise<ObjectsReport>;
export function checkObjects(
  old: CustomResourceDefinition | undefined,
  next: CustomResourceDefinition,
  objects: Iterable<KubernetesObject> | AsyncIterable<KubernetesObject>,
  options: ObjectsCheckOptions,
): ObjectsReport | Promise<ObjectsReport> {
  const check = objectsCheck(old, next, options);
  if (Symbol.iterator in objects) {
    for (const object of objects) check.add(object);
    return check.report();
  }
  return (async () => {
    for await (const object of objects) check.add(object);
    return check.report();
  })();
}

/** A pair of schemas by which objects are judged. */
interface Place {
  readonly schema: JsonSchema;
  readonly messages: ReadonlySet<string>;
  readonly judge: WriteJudge;
  /**
   * Whether rules compare with the old value: these count in an update that leaves everything as it
   * is.
   */
  readonly hasTransitions: boolean;
  /** The old schema, and who judges by it; absent where nothing is known of it. */
  readonly before: JsonSchema | undefined;
  readonly old: WriteJudge | undefined;
}

function makePlace(
  before: DefinitionView | undefined,
  view: DefinitionView,
  { from, to, ...options }: ObjectsCheckOptions & { readonly from: string; readonly to: string },
): Place {
  const schema = schemaOf(view, to) ?? {};
  const old = schemaOf(before, from);
  return {
    schema,
    messages: plainMessages(schema),
    judge: writeJudge(schema, options),
    hasTransitions: [...partsOf(schema)].some((part) => rulesOf(part).some(({ rule }) => /\boldSelf\b/.test(rule))),
    before: old,
    old: old === undefined ? undefined : writeJudge(old, options),
  };
}

interface Context {
  readonly before: DefinitionView | undefined;
  readonly view: DefinitionView;
  readonly placeAt: (from: string, to: string) => Place;
  readonly options: ObjectsCheckOptions;
}

/** The problems that were found, and the versions that were checked. */
interface Judged {
  readonly versions: readonly string[];
  readonly found: readonly Found[];
}

function judgeObject(object: KubernetesObject, version: string, context: Context): Judged {
  const { before, view } = context;
  const { storage } = view;
  const found: Found[] = [];
  const isKnown = view.versions.has(version) && before?.versions.has(version) !== false;
  const flips = storage !== undefined && storage !== version && before?.storage !== storage;
  // By conversion None an object can be written at any version; what a webhook makes of it is not
  // known.
  const others = view.isWebhook ? [] : view.served.filter((one) => before?.served.includes(one) !== false);
  const versions = [...new Set([...(isKnown ? [version] : []), ...others])].filter((one) => !flips || one !== storage);
  for (const to of versions)
    found.push(...judgeAt(object, { from: to, to, part: to === version ? 'all' : 'news' }, context));
  if (!isKnown || flips) {
    if (view.isWebhook) {
      const message = `a webhook converts it from ${version} to ${storage ?? 'another version'}, which cannot be called here`;
      found.push({ version: storage ?? version, effect: 'unknown-conversion', field: '', message });
    } else if (flips) {
      const isNew = before?.served.includes(storage) === false;
      found.push(...judgeAt(object, { from: version, to: storage, part: isNew ? 'pruning' : 'all' }, context));
      if (!isNew) versions.push(storage);
    }
  }
  if (!isKnown && before !== undefined && !before.served.some((one) => view.served.includes(one))) {
    const message = `no version in which it can be read is still served`;
    found.push({ version, effect: 'read-breaks', field: '', message });
  }
  return { versions, found };
}

function judgeAt(
  object: KubernetesObject,
  { from, to, part }: { readonly from: string; readonly to: string; readonly part: 'all' | 'news' | 'pruning' },
  { view, placeAt, options }: Context,
): readonly Found[] {
  const { schema, messages, judge, hasTransitions, before, old } = placeAt(from, to);
  const { managedFields: _, ...metadata } = object.metadata;
  const bare = { ...object, metadata, apiVersion: `${view.definition.spec.group}/${to}` };
  const kept = old === undefined ? bare : old.prune(bare).value;
  const verdict = judge.judge(kept);
  const lost = verdict.pruned.map((path): Found => {
    // The old schema names fields that the new one does not have: keys of a map that becomes
    // another type are one field.
    const field = fieldOf(path, before ?? schema, bare);
    return {
      version: to,
      effect: 'data-loss',
      field,
      path,
      rules: rulesOfLoss,
      message: 'stored values are pruned',
      manager: lastWriter(object, field),
    };
  });
  if (part === 'pruning') return lost;
  const isRatcheting = ratchets(options.server);
  // At another version than its own only what the old schema did not refuse there is news.
  const known = new Set(part === 'news' ? (old?.judge(bare).errors ?? []).map(keyOf) : []);
  const unchanged = hasTransitions ? judge.judge(kept, kept).errors.filter(({ by }) => by === 'rules') : [];
  const ofCreate = new Set(verdict.errors.map(keyOf));
  // No API server forgives a rule that compares with the old value, though nothing changes.
  const always = new Set(unchanged.map(keyOf).filter((key) => isRatcheting || !ofCreate.has(key)));
  const errors = [...verdict.errors, ...unchanged.filter((error) => !ofCreate.has(keyOf(error)))]
    .filter((error) => !known.has(keyOf(error)))
    .map(({ error, by }): Found => {
      const isTransition = always.has(keyOf({ error, by }));
      const field = fieldOf(placeOf(error.path, error.detail), schema, verdict.object);
      const message = withoutValue({ error, by }, messages);
      return {
        version: to,
        effect: isTransition ? 'blocks-any-write' : effectOf({ error, by }, isRatcheting),
        field,
        path: error.path,
        rules: [...rulesOfError({ error, by }), ...(isTransition ? (['F31'] as const) : [])],
        message,
        manager: lastWriter(object, field),
      };
    });
  return [...lost, ...errors];
}

function keyOf({ error, by }: VerdictError): string {
  return JSON.stringify([by, error.path, error.type, error.detail]);
}

/** Verdicts about alternatives have their place in their text. */
function placeOf(path: string, detail: string): string {
  return path === '<nil>' ? placeInDetail(detail) : path;
}

/**
 * Errors that are not ratcheted (KEP-4008): required fields, alternatives, and objects within the
 * object. The first two are forgiven too if nothing around them changes, which few useful writes
 * achieve. Every API server forgives duplicate items in an update of an object that already had
 * some, and none forgives them in a server-side apply (measured on 1.36.3).
 */
function effectOf({ error, by }: VerdictError, isRatcheting: boolean): ObjectEffect {
  if (error.type === 'Duplicate') return 'blocks-apply';
  // A rule that cannot be evaluated is not forgiven, whatever stays as it was.
  const isUnevaluated = by === 'rules' && error.detail.includes(' evaluating rule: ');
  // For a number that is too large for its type the API server names no field either, and forgives
  // it as it forgives other limits.
  const isAlternative = error.path === '<nil>' && !isOfRange(error.detail);
  const isKept = by === 'embedded' || error.type === 'Required' || isAlternative || isUnevaluated;
  return isRatcheting && !isKept ? 'blocks-change' : 'blocks-any-write';
}

function withoutValue({ error, by }: VerdictError, messages: ReadonlySet<string>): string {
  if (by === 'rules' && error.detail !== '' && !messages.has(error.detail))
    return 'Invalid value: breaks a rule whose message contains values';
  return fieldErrorBody({ ...error, shown: '', detail: plainDetail(error) });
}

/** The types that errors name instead of values. */
const namesOfTypes = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null', 'int64', 'float64', ''];

/** The detail of an error without the value that those about formats and API versions end with. */
function plainDetail({ detail, value }: FieldError): string {
  if (detail.startsWith('unexpected GroupVersion string')) return 'unexpected GroupVersion string';
  if (typeof value === 'string' && namesOfTypes.includes(value)) return detail;
  return detail.replace(/( in body must be of type [^:]+): .*$/s, '$1');
}
