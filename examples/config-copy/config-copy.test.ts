import { ConfigMap, Event, Namespace } from '@isthmus/api';
import { createClient, memoryLog, noMetrics } from '@isthmus/kube';
import { seededRandom } from '@isthmus/machinery';
import { createSandbox } from '@isthmus/sandbox';
import { clusterAdmin, createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { copyFrom } from './decide.ts';
import { runConfigCopy } from './run.ts';

/** The controller on a sandbox, in virtual time. */
async function started() {
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 0, 1) });
  const sandbox = createSandbox({ name: 'east', clock });
  const client = createClient({ transport: sandbox.transport(clusterAdmin), clock });
  const stop = new AbortController();
  const log = memoryLog();
  const world = { clock, random: seededRandom(1), log, metrics: noMetrics };
  const ended = runConfigCopy(client, world, stop.signal);
  await client.create(Namespace, { metadata: { name: 'shared' } });
  const annotations = { [copyFrom]: 'shared/settings' };
  await client.create(Namespace, { metadata: { name: 'shop', annotations } });
  const settings = { metadata: { namespace: 'shared', name: 'settings' }, data: { color: 'green' } };
  return {
    client,
    clock,
    log,
    settings,
    copy: () => client.get(ConfigMap, { namespace: 'shop', name: 'settings' }),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the test is over'));
      await clock.settle();
      await ended;
    },
  };
}

describe('config-copy', () => {
  it('copies, follows its source, and removes the copy that is not asked for any more', async () => {
    await using here = await started();
    const { client, clock, settings, copy } = here;
    await client.create(ConfigMap, settings);
    await clock.settle();
    expect((await copy()).data).toEqual({ color: 'green' });
    await client.patch(ConfigMap, settings.metadata, { type: 'merge', body: { data: { color: 'blue' } } });
    await clock.settle();
    expect((await copy()).data).toEqual({ color: 'blue' });
    const body = { metadata: { annotations: { [copyFrom]: null } } };
    await client.patch(Namespace, { name: 'shop' }, { type: 'merge', body });
    await clock.settle();
    await expect(copy()).rejects.toThrow('not found');
  });

  it('reports on the Namespace the problem that a person must solve, and continues when it is solved', async () => {
    await using here = await started();
    const { client, clock, log, settings, copy } = here;
    await clock.settle();
    const { items } = await client.list(Event);
    expect(items.map(({ reason, involvedObject, message }) => [reason, involvedObject.name, message])).toEqual([
      [
        'SourceMissing',
        'shop',
        'ConfigMap shared/settings does not exist. Create it, or correct the annotation example.io/copy-from.',
      ],
    ]);
    await client.create(ConfigMap, settings);
    await clock.settle();
    expect((await copy()).data).toEqual({ color: 'green' });
    expect(log.entries.filter(({ level }) => level === 'info').map(({ message }) => message)).toEqual([
      'blocked until the reported problem is fixed',
      'no longer blocked',
    ]);
  });

  it('leaves a ConfigMap alone that somebody else made', async () => {
    await using here = await started();
    const { client, clock, settings, copy } = here;
    await client.create(ConfigMap, { metadata: { namespace: 'shop', name: 'settings' }, data: { own: 'yes' } });
    await client.create(ConfigMap, settings);
    await clock.settle();
    expect((await copy()).data).toEqual({ own: 'yes' });
  });
});
