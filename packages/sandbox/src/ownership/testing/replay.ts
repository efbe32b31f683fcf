import { applyMergePatch } from '@isthmus/machinery';
import type { Failure } from '@isthmus/machinery';
import { compileSchema, causeOfFieldError, formatFieldErrors } from '@isthmus/schema';
import type { ApplyOptions } from '../apply.ts';
import { apply } from '../apply.ts';
import { exceptFields } from '../field-set.ts';
import { fieldElement } from '../path-element.ts';
import type { JsonObject } from '../shape.ts';
import { asObject, memberOf } from '../shape.ts';
import { keepTimesOfNoChange, trackUpdate, withManagedFields } from '../track-update.ts';
import { typeOfSchema } from '../../typed/type-of-schema.ts';
import { configMapType } from './config-map-type.ts';
import type { OwnershipCase, OwnershipStep } from './ownership-cases.ts';
import { thingSchema } from './ownership-cases.ts';
import type { RecordedAnswer } from './recorded-ownership.ts';
import { comparableObject, comparableStatus } from './recorded-ownership.ts';

/** Our answers to the steps of a case, with as much of an API server as the cases need. */
export function replay(theCase: OwnershipCase): readonly RecordedAnswer[] {
  let live: JsonObject | undefined;
  return theCase.steps.map((step, index) => {
    const answer = answerTo(theCase, step, live, timeOf(index));
    if (answer.kind === 'refused') {
      const { code, status } = answer;
      return { code, status: comparableStatus(status as unknown as JsonObject) };
    }
    const code = live === undefined ? 201 : 200;
    live = answer.object;
    const shown = inVersion(live, versionOf(theCase, step));
    return { code, object: comparableObject(shown, nameOfTime) };
  });
}

/** Times that a case wrote itself are before the first step. */
const nameOfTime = (time: string) => `step ${time < timeOf(0) ? -1 : Number(time.slice(17, 19))}`;

const timeOf = (index: number) => `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`;

type Answer =
  | { readonly kind: 'object'; readonly object: JsonObject }
  | { readonly kind: 'refused'; readonly code: number; readonly status: Partial<Failure> };

function answerTo(theCase: OwnershipCase, step: OwnershipStep, stored: JsonObject | undefined, time: string): Answer {
  const options = optionsOf(theCase, step, time);
  const { apiVersion, kind } = options;
  const live = stored === undefined ? undefined : inVersion(stored, apiVersion);
  const whole = (body: JsonObject): JsonObject => ({
    ...body,
    apiVersion,
    kind,
    metadata: { ...asObject(memberOf(body, 'metadata')), name: 'x' },
  });
  if ('apply' in step) {
    const result = apply(live ?? { apiVersion, kind }, whole(step.apply), options);
    if (result.kind === 'conflicts') return { kind: 'refused', code: 409, status: result.failure };
    if (result.kind === 'refused') {
      const reason = result.code === 400 ? { reason: 'BadRequest' as const } : {};
      return { kind: 'refused', code: result.code, status: { message: result.message, ...reason } };
    }
    const refused = validate(theCase, result.object);
    if (refused !== undefined) return refused;
    const admitted = admit(theCase, step, live, result.object);
    const object = withManagedFields(admitted, result.managedFields);
    return { kind: 'object', object: live === undefined ? object : keepTimesOfNoChange(live, object) };
  }
  const after = 'create' in step ? whole(step.create) : (applyMergePatch(live, step.patch) as JsonObject);
  const admitted = admit(theCase, step, live, after);
  const object = withManagedFields(admitted, trackUpdate(live, admitted, options));
  return { kind: 'object', object: live === undefined ? object : keepTimesOfNoChange(live, object) };
}

function optionsOf(theCase: OwnershipCase, step: OwnershipStep, time: string): ApplyOptions {
  const isThing = theCase.kind === undefined;
  const apiVersion = versionOf(theCase, step);
  const type = isThing ? thingType : configMapType;
  const served = isThing ? ['test.example.com/v1', 'test.example.com/v2'] : ['v1'];
  const reset = step.status === true ? ['metadata', 'spec'] : ['status'];
  return {
    manager: step.by,
    time,
    apiVersion,
    kind: theCase.kind ?? 'Thing',
    type,
    subresource: step.status === true ? 'status' : '',
    force: 'force' in step,
    resetFields: isThing ? exceptFields(reset.map((name) => [fieldElement(name)])) : undefined,
    isCustomResource: isThing,
    versions: { typeOf: (version) => (served.includes(version) ? type : undefined), convert: inVersion },
  };
}

/**
 * The API server's changes to a written object before it is stored: defaults, pruning, and fields
 * that the strategy resets.
 */
function admit(
  theCase: OwnershipCase,
  step: OwnershipStep,
  live: JsonObject | undefined,
  object: JsonObject,
): JsonObject {
  const metadata = { ...asObject(memberOf(object, 'metadata')), name: 'x', uid: 'u' };
  for (const [key, value] of Object.entries(metadata)) {
    if (value === null || (typeof value === 'object' && Object.keys(value).length === 0 && key !== 'managedFields')) {
      delete metadata[key as keyof typeof metadata];
    }
  }
  const whole: JsonObject = { ...object, metadata };
  if (theCase.kind !== undefined) return withoutEmptyMembers(whole);
  const { status, ...main } = whole;
  const { status: liveStatus, ...liveMain } = live ?? {};
  const strategic: JsonObject =
    step.status === true
      ? {
          ...liveMain,
          metadata: {
            ...asObject(memberOf(liveMain, 'metadata')),
            managedFields: memberOf(metadata, 'managedFields') ?? null,
          },
          ...(status === undefined ? {} : { status }),
        }
      : { ...main, ...(liveStatus === undefined ? {} : { status: liveStatus }) };
  const pruned = compiledThing.prune(strategic).value;
  return compiledThing.applyDefaults(pruned) as JsonObject;
}

function validate(theCase: OwnershipCase, object: JsonObject): Answer | undefined {
  const errors = theCase.kind === undefined ? compiledThing.validate(object) : [];
  if (errors.length === 0) return undefined;
  const message = `Thing.test.example.com "x" is invalid: ${formatFieldErrors(errors)}`;
  const details = { causes: errors.map(causeOfFieldError) };
  return { kind: 'refused', code: 422, status: { reason: 'Invalid', message, details } };
}

/**
 * A ConfigMap as the API server decodes it: nulls in a map of strings are empty strings, empty maps
 * are absent.
 */
function withoutEmptyMembers(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => {
      const map = key === 'data' ? asObject(value) : undefined;
      if (value === null || (map !== undefined && Object.keys(map).length === 0)) return [];
      if (map === undefined) return [[key, value]];
      return [[key, Object.fromEntries(Object.entries(map).map(([name, text]) => [name, text ?? '']))]];
    }),
  );
}

function versionOf(theCase: OwnershipCase, step: OwnershipStep): string {
  return theCase.kind === undefined ? `test.example.com/${step.version ?? 'v1'}` : 'v1';
}

function inVersion(object: JsonObject, apiVersion: string): JsonObject {
  return { ...object, apiVersion };
}

const thingType = typeOfSchema(thingSchema, { isResourceRoot: true });

const compiledThing = compileSchema(thingSchema, { isResourceRoot: true });
