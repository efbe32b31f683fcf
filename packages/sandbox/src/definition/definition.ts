import type { DefinitionCondition, StoredDefinition } from '@isthmus/schema';
import type { Stored } from '../store/stored.ts';

export type {
  ConversionRule,
  DefinitionColumn as Column,
  DefinitionCondition as Condition,
  DefinitionNames as Names,
  DefinitionVersion as Version,
  ScalePaths,
  WebhookClientConfig,
} from '@isthmus/schema';

/** The storage key of definitions. */
export const definitionsKey = 'apiextensions.k8s.io/customresourcedefinitions';

/** A definition in the store: with its defaults. */
export type Definition = StoredDefinition & Stored;

/**
 * The definition with a condition in the place of the one of its type. The time is kept if the
 * status does not change.
 */
export function withCondition(definition: Definition, condition: DefinitionCondition, now: string): Definition {
  const conditions = definition.status.conditions ?? [];
  const before = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now;
  const next = { ...condition, lastTransitionTime };
  const all = before === undefined ? [...conditions, next] : conditions.map((one) => (one === before ? next : one));
  return { ...definition, status: { ...definition.status, conditions: all } };
}
