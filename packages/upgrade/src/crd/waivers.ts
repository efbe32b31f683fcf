import type { InferRead } from '@isthmus/schema';
import { s } from '@isthmus/schema';
import { fileMetadata } from '../file-metadata.ts';
import { defineFileKind } from '../file-kind.ts';

/**
 * A finding that a person has looked at and answers for (docs/spec/upgrades.md §3.4). It never lets
 * pass what the API server rejects.
 */
const waiver = s.object({
  rule: s.string().pattern('^[A-Za-z][-.a-zA-Z0-9]*$').doc('The id of the rule, such as F09 or antrea.agent.'),
  crd: s.string().optional().doc('The CRD; absent for rules that are not about CRDs.'),
  version: s.string().optional().doc('Its version; absent: any.'),
  path: s
    .string()
    .optional()
    .doc(
      'The field as users write it, `spec.mode`, or for other rules the cluster, the component, or both, `east/antrea-agent`; absent: any.',
    ),
  reason: s.string().minLength(1).doc('The reason for the waiver.'),
  by: s.string().minLength(1).doc('The owner of the waiver.'),
  until: s.date().doc('The last day on which the waiver applies, UTC.'),
});
export type Waiver = InferRead<typeof waiver>;

export const waivers = defineFileKind({
  kind: 'Waivers',
  docs: 'Accepted findings, with owner and end date.',
  schema: s.object({
    metadata: fileMetadata,
    spec: s.object({ waivers: s.array(waiver).doc('In any order.') }).doc('The waivers.'),
  }),
});
