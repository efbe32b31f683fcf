import type { Answer, CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

const time = '2026-01-01T00:00:00.000000Z';

/** Events under the names of events.k8s.io, which are those of v1. */
export const eventsGroup = contractArea('events-group', [
  {
    title: 'an Event of events.k8s.io is one of v1, under other names',
    async run(api) {
      await api.post(fresh(api), event(api, 'a'));
      await api.get(`${old(api)}/a`);
      await api.get(`${fresh(api)}/a`);
    },
  },
  {
    title: 'an Event of v1 is one of events.k8s.io, with its old fields as deprecated ones',
    async run(api) {
      await api.quietly.post(old(api), {
        metadata: { name: 'a' },
        involvedObject: { kind: 'Pod', name: 'p', namespace: api.namespace, uid: 'u' },
        reason: 'R',
        message: 'm',
        type: 'Normal',
        source: { component: 'kubelet', host: 'n' },
        count: 2,
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:01:00Z',
      });
      await api.get(`${fresh(api)}/a`);
    },
  },
  {
    title: 'a recorder counts a series by a patch',
    async run(api) {
      await api.quietly.post(fresh(api), event(api, 'a'));
      await api.patch(`${fresh(api)}/a`, 'strategic-merge', { series: { count: 2, lastObservedTime: time } });
      const change = async (more: object) =>
        noteCauses(api, JSON.stringify(more), await api.unnoted.patch(`${fresh(api)}/a`, 'merge', more));
      await change({ series: { count: 1 } });
      await change({ note: 'another' });
      await api.get(`${old(api)}/a`);
    },
  },
  {
    title: 'what managers own is kept across both groups',
    async run(api) {
      const by = (fieldManager: string) => ({ query: { fieldManager } });
      await api.quietly.post(fresh(api), event(api, 'a'), by('recorder'));
      await api.quietly.patch(`${old(api)}/a`, 'merge', { metadata: { labels: { x: 'y' } } }, by('labeller'));
      const { body } = await api.unnoted.get(`${fresh(api)}/a`);
      api.note('managers', body.metadata.managedFields);
    },
  },
  {
    title: 'the rules of events.k8s.io are stricter',
    async run(api) {
      const post = async (more: object) =>
        noteCauses(
          api,
          JSON.stringify(more),
          await api.unnoted.post(fresh(api), { ...event(api, 'a'), ...more }, { query: { dryRun: 'All' } }),
        );
      await post({ eventTime: null });
      await post({ type: 'Odd' });
      await post({ reportingController: '' });
      await post({ reportingInstance: '', action: '', reason: '' });
      await post({ series: { count: 1 } });
      await post({ deprecatedCount: 3, deprecatedFirstTimestamp: '2026-01-01T00:00:00Z' });
      await post({ regarding: { kind: 'Pod', name: 'p' } });
    },
  },
  {
    title: 'Events are selected by what they regard',
    async run(api) {
      await api.quietly.post(fresh(api), event(api, 'a'));
      await api.quietly.post(fresh(api), { ...event(api, 'b'), reason: 'Other' });
      for (const fieldSelector of [
        'regarding.name=p,regarding.kind=Pod',
        'reason=Other',
        'reportingController=example.com/tester',
        'involvedObject.name=p',
      ]) {
        const { status, body } = await api.unnoted.get(fresh(api), { query: { fieldSelector, limit: '5' } });
        api.note(fieldSelector, { status, count: body.items?.length, message: body.message });
      }
    },
  },
  {
    title: 'a watch of one group tells what is written through the other',
    async run(api) {
      const watch = await api.watch(fresh(api));
      await api.quietly.post(old(api), {
        metadata: { name: 'a' },
        involvedObject: { kind: 'Pod', name: 'p', namespace: api.namespace },
        reason: 'R',
      });
      await watch.until(1);
      await watch.close();
    },
  },
  {
    title: 'the Table of events.k8s.io is that of v1',
    async run(api) {
      await api.quietly.post(fresh(api), event(api, 'a'));
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      await api.get(`${fresh(api)}/a`, { headers: { accept }, query: { includeObject: 'None' } });
    },
  },
]);

const old = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/events`;
const fresh = ({ namespace }: CaseApi) => `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;

/** Notes only the causes: the message names the kind of the other group. */
function noteCauses(api: CaseApi, line: string, { status, body }: Answer): void {
  api.note(line, { status, causes: body.details?.causes ?? [] });
}

function event({ namespace }: CaseApi, name: string) {
  return {
    metadata: { name },
    eventTime: time,
    type: 'Normal',
    reason: 'Started',
    action: 'Start',
    note: 'It has started.',
    reportingController: 'example.com/tester',
    reportingInstance: 'tester-1',
    regarding: { kind: 'Pod', name: 'p', namespace },
  };
}
