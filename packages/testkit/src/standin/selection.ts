import {
  matchesFields,
  matchesLabels,
  metadataFields,
  parseFieldSelector,
  parseLabelSelector,
} from '@isthmus/machinery';
import type { FieldSelector } from '@isthmus/machinery';
import { badRequest } from './refusal.ts';
import type { Stored } from './served-type.ts';

/** Which objects of a kind a list or a watch is about. */
export interface Selection {
  matches(object: Stored): boolean;
  /** Whether a selector narrows it beyond the Namespace. */
  readonly selective: boolean;
}

/** Reads `labelSelector` and `fieldSelector`. Refuses fields that not every kind has. */
export function selectionOf(namespace: string | undefined, query: Readonly<Record<string, string>>): Selection {
  const labels = readable(() => parseLabelSelector(query['labelSelector'] ?? ''));
  const fields = fieldSelectorOf(query);
  const unknown = fields.find(({ field }) => field !== 'metadata.name' && field !== 'metadata.namespace');
  if (unknown !== undefined) throw badRequest(`field label not supported: ${unknown.field}`);
  return {
    matches: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      matchesLabels(labels, object.metadata.labels) &&
      matchesFields(fields, metadataFields(object)),
    selective: labels.length > 0 || fields.length > 0,
  };
}

/** The one name that a field selector admits; authorization by name looks at it. */
export function selectedName(query: Readonly<Record<string, string>>): string | undefined {
  return fieldSelectorOf(query).find(({ field, operator }) => field === 'metadata.name' && operator === '=')?.value;
}

function fieldSelectorOf(query: Readonly<Record<string, string>>): FieldSelector {
  return readable(() => parseFieldSelector(query['fieldSelector'] ?? ''));
}

function readable<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
}
