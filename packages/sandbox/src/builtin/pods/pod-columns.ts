import type { Stored } from '../../store/stored.ts';
import { none, orNone } from '../columns/cell-texts.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { podProgress } from './pod-progress.ts';
import type { PodShape } from './pod-progress.ts';

export const podColumns = defineColumns<PodShape>(
  {
    Name: nameColumn,
    Ready: ['string', readyText],
    Status: ['string', (pod, now) => podProgress(pod, now).status],
    Restarts: ['string', (pod, now) => podProgress(pod, now).restarts],
    Age: ageColumn,
    IP: ['wide', ({ status }) => orNone(status?.podIPs?.[0]?.ip)],
    Node: ['wide', ({ spec }) => orNone(spec?.nodeName)],
    'Nominated Node': ['wide', ({ status }) => orNone(status?.nominatedNodeName)],
    'Readiness Gates': ['wide', gatesText],
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

function readyText(pod: Stored & PodShape, now: number): string {
  const { ready, total } = podProgress(pod, now);
  return `${ready}/${total}`;
}

function gatesText({ spec, status }: PodShape): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return none;
  const met = gates.filter(
    ({ conditionType }) => status?.conditions?.find(({ type }) => type === conditionType)?.status === 'True',
  );
  return `${met.length}/${gates.length}`;
}
