import { setTimeout as delay } from 'node:timers/promises';
import { Lease } from '@isthmus/api';
import { adminTransport, startApiServer } from '@isthmus/testkit';
import { expect, it } from 'vitest';
import { createClient } from '../client/create-client.ts';
import { noLog } from '../log/log.ts';
import { systemClock, systemRandom } from '../world/node-world.ts';
import { runWithLease } from './lease.ts';

const ref = { namespace: 'kube-system', name: 'kube-controller-manager' };
const clock = systemClock();

it('shares a Lease with client-go: waits while a kube-controller-manager leads, takes over when it dies, keeps it out, gives back', async () => {
  const election = { 'leader-elect': 'true', 'leader-elect-lease-duration': '4s', 'leader-elect-renew-deadline': '2s' };
  const flags = { 'kube-controller-manager': { ...election, 'leader-elect-retry-period': '500ms' } };
  await using server = await startApiServer({ name: 'lease', controllerManager: true, flags });
  const { url } = server;
  const transport = adminTransport(server, 'test');
  const client = createClient({ transport, clock, server: url });
  const holder = async () => (await client.get(Lease, ref)).spec?.holderIdentity ?? '';
  const until = (what: string, holds: () => Promise<boolean> | boolean) =>
    expect.poll(holds, { interval: 20, message: what }).toBe(true);

  await until('kube-controller-manager leads', async () => (await holder()) !== '');
  const stop = new AbortController();
  let leads = false;
  const ended = runWithLease({
    client,
    ...ref,
    identity: 'ours',
    clock,
    random: systemRandom(),
    log: noLog,
    times: { durationMs: 4_000, renewDeadlineMs: 2_000, renewPeriodMs: 500, retryPeriodMs: 500 },
    signal: stop.signal,
    async lead(signal) {
      leads = true;
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      leads = false;
    },
  });
  await delay(6_000);
  expect(leads).toBe(false);

  const { leaseTransitions: before = 0 } = (await client.get(Lease, ref)).spec ?? {};
  await server.stop('kube-controller-manager');
  await until('ours leads', () => leads);
  expect((await client.get(Lease, ref)).spec).toMatchObject({ holderIdentity: 'ours', leaseTransitions: before + 1 });

  await server.start('kube-controller-manager');
  await delay(6_000);
  expect([leads, await holder()]).toEqual([true, 'ours']);
  const said = (text: string) => server.logs('kube-controller-manager').split(text).length - 1;
  expect([said('Attempting to acquire leader lease'), said('Successfully acquired lease')]).toEqual([2, 1]);

  stop.abort(new Error('stop'));
  expect(await ended).toEqual({ kind: 'stopped' });
  // Given back: the other need not wait for the four seconds.
  expect(await holder()).not.toBe('ours');
  await until('kube-controller-manager leads again', async () => !['', 'ours'].includes(await holder()));
  client.close();
});
