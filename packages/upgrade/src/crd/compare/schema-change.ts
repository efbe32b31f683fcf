import { canonicalJson, equal } from '@isthmus/machinery';
import type { Json, JsonSchema } from '@isthmus/schema';
import type { CrdRuleId, CrdSeverity } from '../crd-rule.ts';

/**
 * The report of a rule on the change of one schema into another, before it is adjusted for a
 * server, objects and waivers.
 */
export interface SchemaChange {
  readonly rule: CrdRuleId;
  /**
   * The severity, if it is lower than that of the rule, such as `I` for a format that no server
   * checks.
   */
  readonly severity?: CrdSeverity | undefined;
  /** JSON pointer within the schema. */
  readonly pointer: string;
  /** As users write it: `spec.ports[].mode`, `spec.labels[*]`. */
  readonly field: string;
  readonly old?: Json | undefined;
  readonly new?: Json | undefined;
  readonly message: string;
  readonly hint: string;
}

/** One place of both schemas. */
export interface Pair {
  readonly old: JsonSchema;
  readonly next: JsonSchema;
  readonly pointer: string;
  readonly field: string;
  /**
   * Whether the object that holds the field is inside a list or map. Such an object need not exist,
   * so its fields need not affect stored objects.
   */
  readonly inRepeated: boolean;
}

/** A rule over one place. It reports nothing if both schemas mean the same in different forms. */
export type Compare = (pair: Pair) => readonly SchemaChange[];

/** A change at a place, about one keyword of it or the place as a whole. */
export function changeAt(
  { old, next, pointer, field }: Pair,
  key: keyof JsonSchema | undefined,
  what: Pick<SchemaChange, 'rule' | 'message' | 'hint' | 'severity'>,
): SchemaChange {
  const values = key === undefined ? {} : { old: old[key] as Json | undefined, new: next[key] as Json | undefined };
  return {
    ...what,
    pointer: key === undefined ? pointer : `${pointer}/${pointerToken(key)}`,
    field,
    ...(values.old !== undefined && { old: values.old }),
    ...(values.new !== undefined && { new: values.new }),
  };
}

/** A name as a part of a JSON pointer (RFC 6901). */
export function pointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Whether two parts of schemas are the same; absent is the same as absent alone. */
export function same(a: unknown, b: unknown): boolean {
  return equal(a, b);
}

/** A value for a sentence; long ones are cut. */
export function text(value: unknown): string {
  if (value === undefined) return 'none';
  const whole = canonicalJson(value);
  return whole.length <= 80 ? whole : `${whole.slice(0, 77)}...`;
}
