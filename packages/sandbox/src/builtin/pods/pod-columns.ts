import { none, orNone } from '../columns/cell-texts.ts';
import { defineColumns } from '../columns/define-columns.ts';
import { ageOf } from '../name-and-age.ts';
import { podProgress } from './pod-progress.ts';
import type { PodShape } from './pod-progress.ts';

export const podColumns = defineColumns<PodShape>(
  {
    Name: 'name',
    Ready: 'string',
    Status: 'string',
    Restarts: 'string',
    Age: 'string',
    IP: 'wide',
    Node: 'wide',
    'Nominated Node': 'wide',
    'Readiness Gates': 'wide',
  },
  (object, now) => {
    const { spec = {}, status = {} } = object;
    const { ready, total, status: word, restarts } = podProgress(object, now);
    return [
      object.metadata.name,
      `${ready}/${total}`,
      word,
      restarts,
      ageOf(object, now),
      orNone(status.podIPs?.[0]?.ip),
      orNone(spec.nodeName),
      orNone(status.nominatedNodeName),
      gatesText(object),
    ];
  },
  ({ status }) => (Object.hasOwn(finished, status?.phase ?? '') ? finished[status?.phase ?? ''] : undefined),
);

/** The row conditions of a finished Pod, by phase. */
const finished: Readonly<Record<string, readonly object[]>> = {
  Succeeded: [
    { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
  ],
  Failed: [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }],
};

function gatesText({ spec, status }: PodShape): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return none;
  const met = gates.filter(
    ({ conditionType }) => status?.conditions?.find(({ type }) => type === conditionType)?.status === 'True',
  );
  return `${met.length}/${gates.length}`;
}
