import { isRecord } from '@isthmus/machinery';
import { compileSchema, rulesOf, partsOf, updateErrors } from '@isthmus/schema';
import type { FieldError, JsonSchema } from '@isthmus/schema';
import { ratchets } from '../adjust.ts';
import type { CompileRules } from '../rules-engine.ts';
import type { ServerVersion } from '../server-version.ts';
import { embeddedErrors } from './embedded.ts';

/** The result of a write on an API server with this schema. */
export interface WriteVerdict {
  /** Pruned and defaulted, as it would be stored. */
  readonly object: unknown;
  /** The paths of pruned fields. */
  readonly pruned: readonly string[];
  /** Why it is refused; empty where it is accepted. */
  readonly errors: readonly VerdictError[];
}

export interface VerdictError {
  readonly error: FieldError;
  /** The check that finds it: the schema, the rules for objects within the object, or CEL. */
  readonly by: 'schema' | 'embedded' | 'rules';
}

/** A schema made ready to judge writes: compile once, use often. */
export interface WriteJudge {
  /**
   * Judges a create, or, if `before` is the stored object, an update. Metadata of the object itself
   * is not checked. If the status is a subresource, the status of the written object does not
   * count: a create drops it, an update keeps the stored one.
   */
  judge(object: unknown, before?: unknown): WriteVerdict;
  prune(object: unknown): { readonly value: unknown; readonly unknownFields: readonly string[] };
}

/**
 * Prepares the schema of a version. Errors: throws if the schema cannot be compiled;
 * `checkDefinition` reports it beforehand.
 */
export function writeJudge(
  schema: JsonSchema,
  {
    server,
    compileRules,
    hasStatus = false,
  }: {
    readonly server: ServerVersion;
    readonly compileRules?: CompileRules | undefined;
    /** Whether the version has the subresource status, and writes go to the object itself. */
    readonly hasStatus?: boolean | undefined;
  },
): WriteJudge {
  const compiled = compileSchema(schema, { isResourceRoot: true });
  const rules = compileRules?.(schema);
  const hasEmbedded = [...partsOf(schema)].some((part) => part['x-kubernetes-embedded-resource'] === true);
  const isRatcheting = ratchets(server);
  const prepare = (object: unknown) => {
    const { value, unknownFields } = compiled.prune(object);
    return { value: compiled.applyDefaults(value), unknownFields };
  };
  return {
    prune: (object) => compiled.prune(object),
    judge(object, before) {
      const { value: given, unknownFields } = prepare(object);
      const had = before === undefined ? undefined : prepare(before).value;
      const value = hasStatus ? withStatusOf(had, given) : given;
      const part = { schema, value, before: had };
      const found = had === undefined ? compiled.validate(value) : updateErrors(compiled, part, { isRatcheting });
      const errors: VerdictError[] = found.map((error) => ({ error, by: 'schema' }));
      if (hasEmbedded)
        errors.push(...embeddedErrors(schema, value).map((error): VerdictError => ({ error, by: 'embedded' })));
      if (rules !== undefined && !found.some(({ type }) => blocking.includes(type))) {
        // Without ratcheting what was there before matters to transition rules alone.
        const kept = had !== undefined && !isRatcheting ? rules.judge(value).errors : [];
        const reported = rules.judge(value, had).errors;
        const once = new Map(
          [...reported, ...kept].map((error) => [JSON.stringify([error.path, error.detail]), error]),
        );
        errors.push(...[...once.values()].map((error): VerdictError => ({ error, by: 'rules' })));
      }
      return { object: value, pruned: unknownFields, errors };
    },
  };
}

/** The written object with the stored status. */
function withStatusOf(stored: unknown, written: unknown): unknown {
  if (!isRecord(written)) return written;
  const { status: _, ...rest } = written;
  return isRecord(stored) && stored['status'] !== undefined ? { ...rest, status: stored['status'] } : rest;
}

/** Errors that leave too little of an object for rules. */
const blocking: readonly string[] = ['NotSupported', 'Required', 'TooLong', 'TooMany', 'TypeInvalid'];

/**
 * The messages of a schema's rules that contain no values. Other messages are built from values of
 * objects, which must not be shown.
 */
export function plainMessages(schema: JsonSchema): ReadonlySet<string> {
  const texts = [...partsOf(schema)].flatMap((part) =>
    rulesOf(part).map(({ rule, message = '' }) =>
      message.trim() === '' ? `failed rule: ${rule.trim()}` : message.trim(),
    ),
  );
  return new Set(texts);
}
