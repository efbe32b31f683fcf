import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { read } from './as-admin.ts';
import { findBinaries } from './find-binaries.ts';
import { startApiServers } from './fleet.ts';
import { tracesOf } from './left-behind.ts';
import { freePort } from './ports.ts';
import { startApiServer } from './start.ts';

/** The name of each failing cluster here contains this text, and so does its directory. */
const doomed = 'doomed';

describe('a cluster that cannot start', () => {
  afterEach(() => {
    const left = readdirSync(tmpdir()).filter((entry) => entry.startsWith(`isthmus-${doomed}`));
    expect(left).toEqual([]);
    expect(tracesOf(`isthmus-${doomed}`)).toEqual([]);
  });

  it.each([
    ['etcd', 'flag provided but not defined: -no-such-flag'],
    ['kube-apiserver', 'unknown flag: --no-such-flag'],
    ['kube-controller-manager', 'unknown flag: --no-such-flag'],
  ] as const)('reports why with what it wrote when %s does not know a flag', async (component, reason) => {
    const start = startApiServer({
      name: doomed,
      controllerManager: true,
      flags: { [component]: { 'no-such-flag': 'true' } },
    });
    await expect(start).rejects.toThrow(`starting cluster doomed: ${component} exited with code`);
    await expect(start).rejects.toThrow(reason);
  });

  it('reports what the server answered last when it is not ready in time', async () => {
    // No program listens there: kube-apiserver runs and waits for its etcd.
    const flags = { 'kube-apiserver': { 'etcd-servers': 'unix://nowhere:0' } };
    const start = startApiServer({ name: doomed, flags, startTimeoutMs: 4000 });
    await expect(start).rejects.toThrow(
      /starting cluster doomed: waiting for https:.*readyz: TimeoutError.*last answer was/s,
    );
    await expect(start).rejects.toThrow(/kube-apiserver wrote:\n.+/);
  });

  it('ends with the reason of the signal that aborts its start', async () => {
    const stop = new AbortController();
    const start = startApiServer({ name: doomed, signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 1000);
    await expect(start).rejects.toThrow(/^enough$/);
  });

  it('names the program that cannot be executed', async () => {
    const binaries = { ...findBinaries(process.env), 'kube-apiserver': '/nonexistent/kube-apiserver' };
    await expect(startApiServer({ name: doomed, binaries })).rejects.toThrow(
      /starting \/nonexistent\/kube-apiserver: .*ENOENT/,
    );
  });

  it('takes the others of its fleet down with it', async () => {
    const start = startApiServers({
      [`${doomed}-one`]: {},
      [`${doomed}-two`]: { flags: { 'kube-apiserver': { 'no-such-flag': 'true' } } },
    });
    await expect(start).rejects.toThrow(/starting cluster doomed-two: kube-apiserver exited/);
  });
});

it('takes another port when a process was quicker to the first', async () => {
  await using taken = createServer((socket) => socket.destroy());
  taken.listen({ host: '127.0.0.1', port: 0 });
  await once(taken, 'listening');
  const address = taken.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const offered: number[] = [address.port];
  const pickPort = async () => offered.shift() ?? freePort();
  await using server = await startApiServer({ name: 'east', pickPort });
  expect(offered).toEqual([]);
  expect(server.url).not.toContain(`:${address.port}`);
  expect(await read(server, '/version')).toMatchObject({ major: '1' });
});
