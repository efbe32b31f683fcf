import { errorMessage } from '@isthmus/machinery';
import type { JsonSchema } from '@isthmus/schema';
import type { Authorizer, Budget, Compilation, DeclaredType, Environment, Expression } from '@isthmus/schema/cel';
import {
  addLibrary,
  authorizerLibrary,
  authorizerType,
  compileExpression,
  declareTypes,
  dynamicValue,
  kubernetesEnvironment,
} from '@isthmus/schema/cel';
import type { Stored } from '../../store/stored.ts';

const text: JsonSchema = { type: 'string' };
const time: JsonSchema = { type: 'string', format: 'date-time' };
const number: JsonSchema = { type: 'integer' };
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const mapOf = (additionalProperties: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties });
const structOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({ type: 'object', properties });
const texts = (...names: readonly string[]): JsonSchema =>
  structOf(Object.fromEntries(names.map((name) => [name, text])));

/** The schema of `request` (admission.k8s.io/v1 AdmissionRequest without its objects). */
const requestSchema = structOf({
  kind: texts('group', 'version', 'kind'),
  resource: texts('group', 'version', 'resource'),
  subResource: text,
  requestKind: texts('group', 'version', 'kind'),
  requestResource: texts('group', 'version', 'resource'),
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: structOf({ username: text, uid: text, groups: listOf(text), extra: mapOf(listOf(text)) }),
  dryRun: { type: 'boolean' },
  options: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
});

/**
 * The schema of `namespaceObject`: the part of a Namespace that expressions see. Where they are
 * evaluated, its times are texts.
 */
const namespaceSchema = structOf({
  metadata: structOf({
    name: text,
    generateName: text,
    namespace: text,
    labels: mapOf(text),
    annotations: mapOf(text),
    UID: text,
    creationTimestamp: time,
    deletionGracePeriodSeconds: number,
    deletionTimestamp: time,
    generation: number,
    resourceVersion: text,
    finalizers: listOf(text),
  }),
  spec: structOf({ finalizers: listOf(text) }),
  status: structOf({
    conditions: listOf(structOf({ status: text, type: text, lastTransitionTime: time, message: text, reason: text })),
    phase: text,
  }),
});

/** The values of the variables, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** A request, as expressions see it. */
export interface Asked {
  /** The `request` of a review. */
  readonly review: { readonly object?: unknown; readonly oldObject?: unknown };
  readonly authorizer: Authorizer;
  /** The Namespace of the request. */
  readonly namespace: Stored | undefined;
}

/** The CEL variables of admission, without `params` and `variables`. */
export interface Scope {
  readonly environment: Environment;
  readonly withoutAuthorizer: Environment;
  readonly valuesOf: (asked: Asked) => Values;
}

/**
 * `object`, `oldObject`, `request`, `namespaceObject` and `authorizer`. `isStrict`: expressions are
 * only compiled, and see no other fields of a Namespace.
 */
export function admissionScope({ isStrict = false } = {}): Scope {
  const environment = kubernetesEnvironment();
  addLibrary(environment, authorizerLibrary);
  const { request, namespaceObject } = declareTypes(
    environment,
    structOf({ request: requestSchema, namespaceObject: namespaceSchema }),
    { nameOf: (name) => name },
  ).properties as Readonly<Record<'request' | 'namespaceObject', DeclaredType>>;
  environment
    .registerVariable('object', 'dyn')
    .registerVariable('oldObject', 'dyn')
    .registerVariable('request', request.name)
    .registerVariable('namespaceObject', isStrict ? namespaceObject.name : 'dyn');
  return {
    environment: environment.clone().registerVariable('authorizer', authorizerType),
    withoutAuthorizer: environment,
    valuesOf: ({ review, authorizer, namespace }) => ({
      object: dynamicValue(review.object ?? null),
      oldObject: dynamicValue(review.oldObject ?? null),
      request: request.valueOf(review),
      namespaceObject: dynamicValue(namespace === undefined ? null : seenPart(namespace)),
      authorizer,
    }),
  };
}

function seenPart({ metadata, spec, status }: Stored): object {
  const seen = Object.keys(namespaceSchema.properties?.['metadata']?.properties ?? {});
  return {
    metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => [...seen, 'uid'].includes(key))),
    spec,
    status,
  };
}

/** An expression, with its compiled form. */
export interface Compiled {
  readonly text: string;
  readonly compilation: Compilation;
}

export function compiledIn(environment: Environment, text: string): Compiled {
  return { text, compilation: compileExpression(environment, text) };
}

/** The value of an expression, or why it has none. */
export type Outcome =
  | { readonly value: unknown; readonly failure?: undefined }
  | { readonly failure: string; readonly value?: undefined };

/** The cost limit of one expression (PerCallLimit of the real server). */
const mostOfExpression = 1_000_000;

/**
 * The outcome of an expression, paid from the budget. Errors: throws if the budget is spent, and
 * then no other expression is evaluated.
 */
export function outcomeOf(compiled: Compiled, values: Values, budget: Budget): Outcome {
  const { text, compilation } = compiled;
  if (!compilation.ok) return { failure: `compilation error: compilation failed: ${compilation.problem}` };
  const outcome = evaluated(compilation.expression, values, budget);
  if (budget.left < 0)
    throw new Error('validation failed due to running out of cost budget, no further validation rules will be run');
  return outcome.failure === undefined
    ? outcome
    : { failure: `expression '${text}' resulted in error: ${outcome.failure}` };
}

/** The outcome of an expression that was compiled, paid from the budget. */
export function evaluated(expression: Expression, values: Values, budget: Budget): Outcome {
  const given = Math.min(mostOfExpression, budget.left);
  const own = { left: given };
  try {
    return { value: expression.evaluate(values, own) };
  } catch (error) {
    return { failure: errorMessage(error) };
  } finally {
    budget.left -= given - own.left;
  }
}
