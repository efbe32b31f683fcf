import { Namespace } from '@isthmus/api';
import type { Webhook } from '@isthmus/kube';
import { allow, defineWebhook, deny, mutate } from '@isthmus/kube';

/**
 * Rejects Namespaces whose name does not begin with the team that owns it, as `shop-cart` of team
 * `shop`.
 */
const teamPrefix = defineWebhook({
  kind: 'validating',
  name: 'prefix.namespaces.example.io',
  path: '/validate-namespaces',
  rules: [{ types: [Namespace], operations: ['CREATE', 'UPDATE'] }],
  // While this process is down Namespaces can be created all the same.
  failurePolicy: 'Ignore',
  sideEffects: 'None',
  access: [],
  review(request) {
    if (!('object' in request) || request.operation === 'CONNECT') return allow();
    const { name, labels } = request.object.metadata;
    const team = labels?.['example.io/team'];
    if (team === undefined) return allow({ warnings: ['the label example.io/team names no owner'] });
    if (name.startsWith(`${team}-`)) return allow();
    const message = `metadata.name: Invalid value: "${name}": must begin with "${team}-"`;
    const causes = [{ reason: 'FieldValueInvalid', field: 'metadata.name', message }];
    return deny(message, { reason: 'Invalid', causes });
  },
});

/** Gives Namespaces without one a cost centre. */
const costCentre = defineWebhook({
  kind: 'mutating',
  name: 'costs.namespaces.example.io',
  path: '/mutate-namespaces',
  rules: [{ types: [Namespace], operations: ['CREATE'] }],
  failurePolicy: 'Ignore',
  sideEffects: 'None',
  access: [],
  review(request) {
    if (request.operation !== 'CREATE') return allow();
    const { object } = request;
    const labels = { 'example.io/costs': 'general', ...object.metadata.labels };
    return mutate({ ...object, metadata: { ...object.metadata, labels } });
  },
});

export const webhooks: readonly Webhook[] = [teamPrefix, costCentre];
