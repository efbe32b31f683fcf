import { labelSelectorOf, matchesLabels } from '@isthmus/machinery';
import type { LabelSelectorObject } from '@isthmus/machinery';
import { ruleMatches } from '../builtin/admissionregistration/webhook-configuration.ts';
import type { WebhookRule } from '../builtin/admissionregistration/webhook-configuration.ts';
import type { AdmissionRequest, Core } from '../core/core.ts';
import { internalError, Refusal } from '../refusal/refusal.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Stored } from '../store/stored.ts';

/** How webhooks and policies choose requests. */
export interface Matching {
  readonly matchPolicy?: 'Exact' | 'Equivalent' | undefined;
  readonly namespaceSelector?: LabelSelectorObject | undefined;
  readonly objectSelector?: LabelSelectorObject | undefined;
}

/**
 * The resource of the request if a rule names it. Otherwise (`Equivalent`) the version of it that a
 * rule names.
 */
export function matchedVersion(
  core: Core,
  rules: readonly WebhookRule[],
  { matchPolicy }: Matching,
  request: AdmissionRequest,
): ServedResource | undefined {
  const { resource, subresource, ofCollection = false } = request.target;
  const name = ofCollection ? '' : request.target.name || (request.object?.metadata.name ?? '');
  const matches = (candidate: ServedResource) =>
    rules.some((rule) =>
      ruleMatches(rule, {
        operation: request.operation,
        group: candidate.group,
        version: candidate.version,
        resource: candidate.plural,
        subresource,
        namespaced: candidate.namespaced,
        name,
      }),
    );
  if (matches(resource)) return resource;
  if (matchPolicy === 'Exact') return undefined;
  return core.registry.all().find((other) => other.storageKey === resource.storageKey && matches(other));
}

export function selectorsMatch(
  core: Core,
  { namespaceSelector, objectSelector }: Matching,
  request: AdmissionRequest,
): boolean {
  const { resource, namespace } = request.target;
  if (objectSelector !== undefined) {
    const selector = labelSelectorOf(objectSelector);
    const either = [request.object, request.before].some(
      (object) => object !== undefined && matchesLabels(selector, object.metadata.labels),
    );
    if (!either) return false;
  }
  if (namespaceSelector === undefined) return true;
  if (resource.storageKey === '/namespaces') {
    return matchesLabels(labelSelectorOf(namespaceSelector), (request.object ?? request.before)?.metadata.labels);
  }
  if (namespace === undefined) return true;
  return matchesLabels(labelSelectorOf(namespaceSelector), core.store.get('/namespaces', namespace)?.metadata.labels);
}

/**
 * An object of the request in the version that a rule names (`matchPolicy: Equivalent`). Errors:
 * throws if it cannot be converted.
 */
export async function inVersion({ conversion }: Core, resource: ServedResource, object: Stored): Promise<Stored> {
  try {
    return await conversion.toVersion(resource, object);
  } catch (error) {
    throw error instanceof Refusal ? internalError(error.message) : error;
  }
}
