import { goJson } from '@isthmus/schema';
import { compareTyped } from './compare-typed.ts';
import { differenceOfFieldSets, hasField } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import type { OwnershipConflict } from './ownership.ts';
import type { JsonObject } from './shape.ts';
import { asObject, memberOf } from './shape.ts';
import type { TypeNode } from '../typed/type-node.ts';
import { validateTyped } from './validate-typed.ts';

/** The annotation in which a client-side `kubectl apply` keeps the applied configuration. */
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The conflicts that remain after fields of a client-side apply count as the applier's own, if they
 * still have the applied value. All of them if the annotation is absent, unreadable or of another
 * version.
 */
export function conflictsNotLastApplied(
  conflicts: readonly OwnershipConflict[],
  live: JsonObject,
  { type, apiVersion }: { readonly type: TypeNode; readonly apiVersion: string },
): readonly OwnershipConflict[] {
  const text = lastAppliedText(live);
  const applied = text === undefined ? undefined : parseObject(text);
  if (applied === undefined || memberOf(applied, 'apiVersion') !== apiVersion) return conflicts;
  const objects = [applied, live];
  if (objects.some((object) => validateTyped(type, object, { allowDuplicates: false }).length > 0)) return conflicts;
  const { added, modified, removed } = compareTyped(type, applied, live);
  const own = [modified, added, removed].reduce(differenceOfFieldSets, fieldSetOf(type, applied));
  return conflicts.filter(({ path }) => !hasField(own, path));
}

/** The object with the configuration in its annotation, if it has that annotation. */
export function withLastApplied(object: JsonObject, configuration: JsonObject): JsonObject {
  if (lastAppliedText(object) === undefined) return object;
  const metadata = asObject(memberOf(object, 'metadata'));
  const annotations = asObject(memberOf(metadata, 'annotations'));
  const text = `${goJson(withoutAnnotation(configuration))}\n`;
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [lastAppliedAnnotation]: text } } };
}

function withoutAnnotation(configuration: JsonObject): JsonObject {
  const metadata = asObject(memberOf(configuration, 'metadata'));
  const annotations = asObject(memberOf(metadata, 'annotations'));
  if (metadata === undefined || annotations === undefined) return configuration;
  const { [lastAppliedAnnotation]: _, ...rest } = annotations;
  return { ...configuration, metadata: { ...metadata, annotations: rest } };
}

function lastAppliedText(object: JsonObject): string | undefined {
  const annotations = asObject(memberOf(asObject(memberOf(object, 'metadata')), 'annotations'));
  const text = memberOf(annotations, lastAppliedAnnotation);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
