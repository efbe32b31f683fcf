import type { ApiRequest, Transport } from '@isthmus/kube';
import { createSandbox } from '@isthmus/sandbox';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../clock/virtual-clock.ts';
import { clusterAdmin } from '../fleet/credentials.ts';
import type { Fault } from './fault.ts';
import { withFaults } from './with-faults.ts';

const namespaces = '/api/v1/namespaces';
const get = (path: string, query: Readonly<Record<string, string>> = {}): ApiRequest => ({
  method: 'GET',
  path,
  query,
});
const create = (name: string): ApiRequest => ({
  method: 'POST',
  path: namespaces,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ metadata: { name } }),
});
const isWrite = ({ method }: ApiRequest) => method !== 'GET';
const isWatch = ({ query }: ApiRequest) => query?.['watch'] === 'true';

function start() {
  const clock = createVirtualClock({ startMs: 0 });
  const sandbox = createSandbox({ name: 'east', clock });
  const direct = sandbox.transport(clusterAdmin);
  const made = async () => {
    const { items } = JSON.parse(await text(direct, get(namespaces)));
    return (items as { metadata: { name: string } }[])
      .map(({ metadata }) => metadata.name)
      .filter((name) => !/^(default|kube-.*)$/.test(name));
  };
  return { clock, direct, made, faulty: withFaults(direct, clock) };
}

async function text(transport: Transport, request: ApiRequest): Promise<string> {
  const { body } = await transport.send(request, new AbortController().signal);
  let all = '';
  for await (const chunk of body) all += new TextDecoder().decode(chunk);
  return all;
}

/** The state of a request by now: still `waiting`, its code, or its error. */
function outcome(transport: Transport, request: ApiRequest, signal = new AbortController().signal) {
  const state = { now: 'waiting' };
  transport.send(request, signal).then(
    ({ status }) => (state.now = String(status)),
    (error: unknown) => (state.now = (error as Error).message),
  );
  return state;
}

/** The objects and errors in the events of a watch, and how it ended. */
function follow(transport: Transport) {
  const state = { told: [] as string[], end: 'open' };
  void (async () => {
    try {
      const watch = get(namespaces, {
        watch: 'true',
        resourceVersion: '1',
        timeoutSeconds: '3600',
        fieldSelector: 'metadata.name!=default',
      });
      const { body } = await transport.send(watch, new AbortController().signal);
      for await (const chunk of body) {
        const { object } = JSON.parse(new TextDecoder().decode(chunk));
        const told = String(object.metadata?.name ?? object.code);
        if (!told.startsWith('kube-')) state.told.push(told);
      }
      state.end = 'ended';
    } catch (error) {
      state.end = (error as Error).message;
    }
  })();
  return state;
}

describe('a request', () => {
  it.each<readonly [Fault, string, boolean]>([
    [{ kind: 'time-out', afterMs: 60_000, applied: false }, '504', false],
    [{ kind: 'time-out', afterMs: 60_000, applied: true }, '504', true],
    [{ kind: 'expired' }, '410', false],
    [{ kind: 'status', code: 429, retryAfterSeconds: 1 }, '429', false],
    [{ kind: 'status', code: 500 }, '500', false],
    [{ kind: 'latency', ms: 60_000 }, '201', true],
  ])('that suffers %j ends as %s; applied: %s', async (fault, end, applied) => {
    const { clock, faulty, made } = start();
    faulty.add({ match: isWrite, fault });
    const state = outcome(faulty, create('shop'));
    await clock.advance(59_999);
    const early = ['time-out', 'latency'].includes(fault.kind) ? 'waiting' : end;
    expect(state.now).toBe(early);
    await clock.advance(1);
    expect([state.now, await made()]).toEqual([end, applied ? ['shop'] : []]);
  });

  it('of a version that expired is rejected with the text of the server', async () => {
    const { faulty } = start();
    faulty.add({ match: () => true, fault: { kind: 'expired' } });
    expect(JSON.parse(await text(faulty, get(namespaces, { resourceVersion: '1' })))).toMatchObject({
      reason: 'Expired',
      code: 410,
    });
  });

  it('that times out can be given up before', async () => {
    const { clock, faulty } = start();
    faulty.add({ match: isWrite, fault: { kind: 'time-out', afterMs: 60_000, applied: false } });
    const stop = new AbortController();
    const state = outcome(faulty, create('shop'), stop.signal);
    await clock.advance(10);
    stop.abort(new Error('enough'));
    await clock.settle();
    expect([state.now, clock.pending]).toEqual(['enough', 0]);
  });
});

describe('a watch', () => {
  it.each<readonly [Fault, readonly string[], string]>([
    [{ kind: 'expired' }, ['410'], 'ended'],
    [{ kind: 'end-stream', afterLines: 0 }, [], 'ended'],
    [{ kind: 'break-stream', afterLines: 0 }, [], 'the stream broke after 0 lines'],
    [{ kind: 'stall-stream', afterLines: 0 }, [], 'open'],
  ])('that suffers %j gets %j and is %s; the next one goes on', async (fault, told, end) => {
    const { clock, direct, faulty } = start();
    faulty.add({ match: isWatch, fault, times: 1 });
    const first = follow(faulty);
    const second = follow(faulty);
    await clock.settle();
    await text(direct, create('a'));
    await clock.settle();
    expect([first, second]).toEqual([
      { told, end },
      { told: ['a'], end: 'open' },
    ]);
  });
});

describe('a frozen server', () => {
  it('answers nothing until it thaws, and then does what it was sent', async () => {
    const { clock, faulty, made } = start();
    faulty.freeze();
    const read = outcome(faulty, get(namespaces));
    const write = outcome(faulty, create('a'));
    await clock.advance(3_600_000);
    expect([read.now, write.now, await made()]).toEqual(['waiting', 'waiting', []]);
    faulty.thaw();
    await clock.settle();
    expect([read.now, write.now, await made()]).toEqual(['200', '201', ['a']]);
  });

  it('does the writes that were given up while it was frozen', async () => {
    const { clock, faulty, made } = start();
    faulty.freeze();
    const stop = new AbortController();
    const write = outcome(faulty, create('a'), stop.signal);
    const read = outcome(faulty, get(namespaces), stop.signal);
    await clock.settle();
    stop.abort(new Error('enough'));
    await clock.settle();
    expect([write.now, read.now, await made()]).toEqual(['enough', 'enough', []]);
    faulty.thaw();
    await clock.settle();
    expect(await made()).toEqual(['a']);
  });

  it('keeps open streams, which deliver everything when it thaws', async () => {
    const { clock, direct, faulty } = start();
    const watch = follow(faulty);
    await clock.settle();
    faulty.freeze();
    await text(direct, create('a'));
    await clock.settle();
    expect(watch).toEqual({ told: [], end: 'open' });
    faulty.thaw();
    await clock.settle();
    expect(watch).toEqual({ told: ['a'], end: 'open' });
  });
});
