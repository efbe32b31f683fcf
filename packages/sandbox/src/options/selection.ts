import { errorMessage, matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector } from '@isthmus/machinery';
import type { FieldSelector } from '@isthmus/machinery';
import type { ServedResource } from '../registry/served-resource.ts';
import { badRequest } from '../refusal/refusal.ts';
import type { Stored } from '../store/stored.ts';

/** Which objects of a resource a list or a watch is about. */
export interface Selection {
  matches(object: Stored): boolean;
  /** Whether a selector narrows it beyond the Namespace. */
  readonly selective: boolean;
}

/**
 * Reads `labelSelector` and `fieldSelector`. Refuses fields that the resource does not select by.
 */
export function selectionOf(
  resource: ServedResource,
  { namespace, name }: { readonly namespace: string | undefined; readonly name?: string | undefined },
  query: Readonly<Record<string, string>>,
): Selection {
  const labels = readable(() => parseLabelSelector(query['labelSelector'] ?? ''));
  const fields = fieldSelectorOf(query);
  const unknown = fields.find(({ field }) => !always.has(field) && !Object.hasOwn(resource.selectable, field));
  if (unknown !== undefined) throw badRequest(unknownField(resource, unknown.field));
  return {
    matches: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (name === undefined || object.metadata.name === name) &&
      matchesLabels(labels, object.metadata.labels) &&
      (fields.length === 0 || matchesFields(fields, fieldsOf(resource, object))),
    selective: labels.length > 0 || fields.length > 0,
  };
}

/**
 * The error for an unknown field. A kind without selectable fields of its own has another message.
 */
function unknownField({ origin, selectable }: ServedResource, field: string): string {
  return origin === 'custom' || Object.keys(selectable).length > 0
    ? `field label not supported: ${field}`
    : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

/** Rejects selectors that cannot be parsed. This check comes before the errors of other options. */
export function checkSelectors(query: Readonly<Record<string, string>>): void {
  readable(() => parseLabelSelector(query['labelSelector'] ?? ''));
  fieldSelectorOf(query);
}

/** The one name that a field selector admits; authorization by name looks at it. */
export function selectedName(query: Readonly<Record<string, string>>): string | undefined {
  return fieldSelectorOf(query).find(({ field, operator }) => field === 'metadata.name' && operator === '=')?.value;
}

const always: ReadonlySet<string> = new Set(['metadata.name', 'metadata.namespace']);

function fieldsOf({ selectable }: ServedResource, object: Stored): Readonly<Record<string, string>> {
  const own = Object.entries(selectable).map(([field, read]) => [field, read(object)]);
  return {
    'metadata.name': object.metadata.name,
    'metadata.namespace': object.metadata.namespace ?? '',
    ...Object.fromEntries(own),
  };
}

function fieldSelectorOf(query: Readonly<Record<string, string>>): FieldSelector {
  return readable(() => parseFieldSelector(query['fieldSelector'] ?? ''));
}

function readable<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw badRequest(errorMessage(error));
  }
}
