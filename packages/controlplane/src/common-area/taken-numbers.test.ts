import { Namespace, ResourceExport, ResourceImport } from '@isthmus/api';
import { createClient, createEventRecorder, memoryLog, noMetrics } from '@isthmus/kube';
import { seededRandom } from '@isthmus/machinery';
import { createSandbox } from '@isthmus/sandbox';
import { clusterAdmin, createVirtualClock, definitions, withFaults } from '@isthmus/fleet-sim';
import { leaderAdmission } from '@isthmus/install';
import type { ExportGroup, HoldersOf } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { createLeader } from '../leader/leader.ts';
import { defineExchange } from '../define-exchange.ts';

const namespace = 'antrea-multicluster';
const isTicket = ({ spec }: ResourceExport | ResourceImport) => spec?.kind === 'LabelIdentity';
const keys = (object: ResourceExport | ResourceImport) => (isTicket(object) ? [object.metadata.name] : []);
const numbersOf = ({ spec }: ResourceImport) => (spec?.labelIdentity?.id === undefined ? [] : [spec.labelIdentity.id]);

/**
 * Each export gets the lowest free number. If two have the same number, the first by name keeps it.
 * The exporters work in the leader's cluster.
 */
const tickets = defineExchange({
  name: 'Ticket',
  docs: 'Numbers.',
  statuses: [],
  leader: {
    controller: 'tickets',
    exportKeys: keys,
    importKeys: keys,
    importNames: (key) => [key],
    sources: ({ metadata }) => ({ by: 'name', name: metadata.name }),
    numbers: numbersOf,
    decide: decideTicket,
  },
  member: {
    access: [],
    importKinds: [],
    importKeys: keys,
    join: () => ({ exporters: () => [], importers: () => [], keepers: () => [], imported: [] }),
  },
});

function decideTicket({ exports, imports: [present] }: ExportGroup, holdersOf: HoldersOf) {
  const [had = 0] = present === undefined ? [] : numbersOf(present);
  const keeps = had > 0 && holdersOf(had).every(({ metadata }) => metadata.name > (present?.metadata.name ?? ''));
  let free = 1;
  while (holdersOf(free).length > 0) free++;
  const id = keeps ? had : free;
  const wanted = exports.map(({ metadata: { name } }) => ({
    metadata: { name },
    spec: { kind: 'LabelIdentity', labelIdentity: { id } },
  }));
  const unwanted = exports.length === 0 && present !== undefined ? [present] : [];
  return { wanted, unwanted, statuses: [], released: [], incomplete: [], wait: undefined };
}

async function run(
  act: (admin: ReturnType<typeof createSandbox>['admin'], pass: () => Promise<void>) => Promise<void>,
) {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
  const server = createSandbox({ name: 'north', clock, image: await definitions.ours() });
  server.admin.put(Namespace, { metadata: { name: namespace } });
  const world = { clock, random: seededRandom(1), log: memoryLog(), metrics: noMetrics };
  const transport = withFaults(server.transport(clusterAdmin), clock);
  // While one number is being written, other keys are decided.
  transport.add({ match: ({ method }) => method === 'POST', fault: { kind: 'latency', ms: 100 } });
  const client = createClient({ transport, clock });
  const end = new AbortController();
  const recorder = { ...world, client, component: 'isthmus-leader', instance: 'north', signal: end.signal };
  const events = createEventRecorder(recorder);
  const exchanges = [tickets];
  const ran = createLeader({
    client,
    namespace,
    version: '0.1.0',
    events,
    world,
    exchanges,
    admission: leaderAdmission({ client, namespace, world }),
  }).run(end.signal);
  await act(server.admin, () => clock.advance(5_000));
  end.abort();
  await clock.advance(60_000);
  await ran;
  return server.admin.list(ResourceImport, namespace).flatMap(numbersOf);
}

const ticket = (name: string): ResourceExport => ({ metadata: { name, namespace }, spec: { kind: 'LabelIdentity' } });

describe('numbers that the imports of all keys share', () => {
  it('are taken once each, also where many keys are decided at once', async () => {
    const numbers = await run(async (admin, pass) => {
      for (let n = 0; n < 40; n++) admin.put(ResourceExport, ticket(`t${n}`));
      await pass();
    });
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  });

  it('are free again when their import is gone, and stay with those that are there', async () => {
    const numbers = await run(async (admin, pass) => {
      for (const name of ['a', 'b', 'c']) {
        admin.put(ResourceExport, ticket(name));
        await pass();
      }
      admin.delete(ResourceExport, { namespace, name: 'b' });
      await pass();
      admin.put(ResourceExport, ticket('d'));
      await pass();
    });
    expect(numbers).toEqual([1, 3, 2]);
  });

  it('that two imports have are decided by both', async () => {
    const numbers = await run(async (admin, pass) => {
      for (const name of ['a', 'b']) {
        admin.put(ResourceExport, ticket(name));
        await pass();
      }
      admin.patch(ResourceImport, { namespace, name: 'a' }, { spec: { labelIdentity: { id: 2 } } });
      await pass();
    });
    expect(numbers).toEqual([2, 1]);
  });
});
