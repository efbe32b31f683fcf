import { qualifiedNameErrors } from '@isthmus/machinery';
import { isTrue, updateErrors } from '@isthmus/schema';
import type { FieldError } from '@isthmus/schema';
import type { Judgement, Rules } from '@isthmus/schema/cel';
import { exceptFields } from '../ownership/field-set.ts';
import { fieldElement } from '../ownership/path-element.ts';
import { numberAt } from '../scale/scale-paths.ts';
import type { TrackOptions } from '../ownership/track-update.ts';
import { subdomainName } from '../builtin/define.ts';
import { metadataForm } from '../builtin/field-rules.ts';
import { about, invalidValue } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';
import type { Strategy } from '../strategy/strategy.ts';
import type { CompiledVersion } from '../definition/compile-version.ts';
import type { Definition, ScalePaths, Version } from '../definition/definition.ts';

/** How objects of a version of a custom kind are written. */
export function customStrategy(
  definition: Definition,
  version: Version,
  { schema, object: compiled, status: compiledStatus, rules }: CompiledVersion,
): Strategy {
  const statusSchema = schema.properties?.['status'] ?? {};
  const hasStatus = version.subresources?.status !== undefined;
  const scale = version.subresources?.scale;
  const { group, names } = definition.spec;
  return {
    nameProblems: subdomainName,
    ...(hasStatus && { resetFields: ownable }),
    generation: hasStatus ? 'all-but-metadata-and-status' : 'all-but-metadata',
    unconditionalUpdate: false,
    createOnUpdate: false,
    deleteReturnsObject: false,
    defaults: (object) => compiled.applyDefaults(compiled.prune(object).value) as Stored,
    prepareForCreate(object) {
      if (isTrue(definition, 'Terminating')) throw terminating(group, names.plural, object.metadata.name);
      return hasStatus ? without(object, 'status') : object;
    },
    prepareForUpdate: (object, before) => (hasStatus ? withPart(object, 'status', before['status']) : object),
    prepareForStatusUpdate: (object, before) => {
      const { managedFields } = object.metadata;
      const { managedFields: _, ...metadata } = before.metadata;
      const kept = { ...before, metadata: { ...metadata, ...(managedFields !== undefined && { managedFields }) } };
      return withPart(kept, 'status', object['status']);
    },
    validate: (object) => [...withRules(rules, compiled.validate(object), object), ...scaleErrors(scale, object, true)],
    validateUpdate(object, before, { isRatcheting }) {
      const errors = updateErrors(compiled, { schema, value: object, before }, { isRatcheting });
      return [...withRules(rules, errors, object, { before, isRatcheting }), ...scaleErrors(scale, object, true)];
    },
    validateStatusUpdate(object, before, { isRatcheting }) {
      const status = object['status'];
      const part = { schema: statusSchema, value: status, before: before['status'] };
      const errors = status === undefined ? [] : updateErrors(compiledStatus, part, { isRoot: false, isRatcheting });
      return [
        ...withRules(rules, errors.map(belowStatus), object, { before, isRatcheting }),
        ...scaleErrors(scale, object, false),
      ];
    },
    warnings: (object, before) => [...finalizerWarnings(object, before), ...ruleWarnings(rules, object, before)],
  };
}

/** The error with its path below `status`. The status is validated as a whole of its own. */
function belowStatus(error: FieldError): FieldError {
  const { path } = error;
  if (path === '' || path === '<nil>') return { ...error, path: 'status' };
  return { ...error, path: path.startsWith('[') ? `status${path}` : `status.${path}` };
}

/**
 * The part that a write does not change has no field manager: the status, or, for a write of the
 * status, spec and metadata.
 */
function ownable(subresource: string | undefined): Pick<TrackOptions, 'resetFields'> {
  const left = subresource === 'status' ? ['spec', 'metadata'] : ['status'];
  return { resetFields: exceptFields(left.map((name) => [fieldElement(name)])) };
}

/** Errors that leave too little of an object for rules. */
const blocking: readonly string[] = ['NotSupported', 'Required', 'TooLong', 'TooMany', 'TypeInvalid'];

/**
 * The errors of a schema, and those of its rules if the object is valid enough to evaluate them.
 */
function withRules(
  rules: Rules | undefined,
  errors: readonly FieldError[],
  object: Stored,
  { before, isRatcheting }: { readonly before?: Stored; readonly isRatcheting?: boolean } = {},
): readonly FieldError[] {
  if (rules === undefined) return errors;
  const isBlocking = ({ type }: FieldError) => blocking.includes(type);
  // The metadata is judged elsewhere, and its errors block rules too.
  const isBlocked =
    object.metadata.name === '' || errors.some(isBlocking) || metadataForm(object, false).some(isBlocking);
  if (!isBlocked) {
    return [...errors, ...rules.judge(object, before, { isRatcheting }).errors];
  }
  const detail =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
  return [...errors, { path: '<nil>', type: 'Invalid', value: null, detail }];
}

function ruleWarnings(rules: Rules | undefined, object: Stored, before: Stored | undefined): Judgement['warnings'] {
  return before === undefined ? [] : (rules?.judge(object, before).warnings ?? []);
}

function terminating(group: string, plural: string, name: string): Error {
  const why = 'create not allowed while custom resource definition is terminating';
  const message = `${plural}.${group} "${name}" is forbidden: ${why}`;
  return about({ group, plural }, name, { reason: 'Forbidden', message });
}

function without(object: Stored, part: string): Stored {
  const { [part]: _, ...rest } = object;
  return rest as Stored;
}

function withPart(object: Stored, part: string, value: unknown): Stored {
  return value === undefined ? without(object, part) : { ...object, [part]: value };
}

const most = 2 ** 31 - 1;

function scaleErrors(scale: ScalePaths | undefined, object: Stored, spec: boolean): readonly FieldError[] {
  if (scale === undefined) return [];
  const paths = spec ? [scale.specReplicasPath, scale.statusReplicasPath] : [scale.statusReplicasPath];
  return paths.flatMap((path) => {
    const found = numberAt(object, path);
    if ('problem' in found) return [invalidValue(path, 0, found.problem)];
    const { value = 0 } = found;
    if (value < 0) return [invalidValue(path, value, 'should be a non-negative integer')];
    return value > most ? [invalidValue(path, value, `should be less than or equal to ${most}`)] : [];
  });
}

const standardFinalizers = ['orphan', 'foregroundDeletion', 'kubernetes'];

/** Finalizers that are new and named so that others could collide with them. */
function finalizerWarnings({ metadata }: Stored, before: Stored | undefined): readonly string[] {
  const had = before?.metadata.finalizers ?? [];
  const added = [...new Set(metadata.finalizers)].filter((one) => !had.includes(one)).toSorted();
  return added.flatMap((finalizer) => {
    const say = (what: string) => `metadata.finalizers: ${JSON.stringify(finalizer)}: ${what}`;
    const problems = qualifiedNameErrors(finalizer).map(say);
    if (finalizer.includes('/') || standardFinalizers.includes(finalizer)) return problems;
    const path = finalizer.includes('.') ? ' including a path (/)' : '';
    return [
      ...problems,
      say(`prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`),
    ];
  });
}
