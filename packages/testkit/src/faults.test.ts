import { Namespace } from '@isthmus/api';
import type { ApiRequest, Transport } from '@isthmus/kube';
import { describe, expect, it } from 'vitest';
import { withFaults } from './faults.ts';
import type { Fault, FaultyTransport } from './faults.ts';
import { createStandin } from './standin/create-standin.ts';
import { ask, del, get, post } from './standin/testing/requests.ts';
import { createVirtualClock } from './virtual-clock.ts';

const namespaces = '/api/v1/namespaces';
const create = (name: string) => post(namespaces, { metadata: { name } });
const isWrite = (request: ApiRequest) => request.method !== 'GET';
const all = () => true;

function start() {
  const clock = createVirtualClock({ startMs: 0 });
  const standin = createStandin({ name: 'east', clock, types: [] });
  const names = () => standin.admin.list(Namespace).map(({ metadata }) => metadata.name);
  return { clock, standin, names, faulty: withFaults(standin.transport(), clock) };
}

/** What has become of a request by now: still `waiting`, its code, or its error. */
function outcome(transport: Transport, request: ApiRequest, signal = new AbortController().signal) {
  const state = { now: 'waiting' };
  transport.send(request, signal).then(
    ({ status }) => (state.now = String(status)),
    (error: unknown) => (state.now = `${(error as { code?: string }).code ?? ''} ${(error as Error).message}`.trim()),
  );
  return state;
}

/** The names that a watch tells, and how it ended. */
function follow(transport: Transport, signal = new AbortController().signal) {
  const state = { names: [] as string[], end: 'open' };
  void (async () => {
    try {
      const { body } = await transport.send(
        get(namespaces, { watch: 'true', resourceVersion: '2', timeoutSeconds: '3600' }),
        signal,
      );
      for await (const chunk of body)
        state.names.push(JSON.parse(new TextDecoder().decode(chunk)).object.metadata.name);
      state.end = 'ended';
    } catch (error) {
      state.end = `${(error as { code?: string }).code ?? ''} ${(error as Error).message}`.trim();
    }
  })();
  return state;
}

describe('without rules', () => {
  it('requests and streams go through', async () => {
    const { clock, standin, faulty, names } = start();
    const watch = follow(faulty);
    expect((await ask(faulty, create('shop'))).code).toBe(201);
    await clock.settle();
    expect([names(), watch.names]).toEqual([['default', 'kube-system', 'shop'], ['shop']]);
    expect(await ask(faulty, get(namespaces))).toEqual(await ask(standin.transport(), get(namespaces)));
    faulty.close();
    await clock.settle();
    expect(watch.end).toBe('the transport is closed');
  });

  it('a stream ends at the server when its reader leaves', async () => {
    const { clock, faulty } = start();
    const response = await faulty.send(
      get(namespaces, { watch: 'true', timeoutSeconds: '60' }),
      new AbortController().signal,
    );
    expect(clock.pending).toBe(1);
    for await (const _ of response.body) break;
    await clock.settle();
    expect(clock.pending).toBe(0);
  });
});

describe('a request', () => {
  it('with latency is applied that much later, unless it is aborted', async () => {
    const { clock, faulty, names } = start();
    faulty.add({ match: isWrite, fault: { kind: 'latency', ms: 200 } });
    const stop = new AbortController();
    const late = outcome(faulty, create('late'));
    const aborted = outcome(faulty, create('aborted'), stop.signal);
    await clock.advance(199);
    expect([late.now, names()]).toEqual(['waiting', ['default', 'kube-system']]);
    stop.abort(new Error('enough'));
    await clock.advance(1);
    expect([late.now, aborted.now, names()]).toEqual(['201', 'enough', ['default', 'kube-system', 'late']]);
    expect(clock.pending).toBe(0);
  });

  it.each<readonly [Fault, string, boolean]>([
    [{ kind: 'hang' }, 'waiting', false],
    [{ kind: 'refuse' }, 'ECONNREFUSED connect ECONNREFUSED: nobody listens', false],
    [{ kind: 'status', code: 500 }, '500', false],
    [{ kind: 'lose-answer' }, 'ECONNRESET socket hang up: the connection broke before the answer', true],
    [{ kind: 'garbage' }, '200', false],
  ])('that suffers %j ends as %j; applied: %s', async (fault, end, applied) => {
    const { clock, faulty, names } = start();
    faulty.add({ match: isWrite, fault });
    const stop = new AbortController();
    const state = outcome(faulty, create('shop'), stop.signal);
    await clock.advance(3_600_000);
    expect([state.now, names().includes('shop')]).toEqual([end, applied]);
    stop.abort(new Error('enough'));
    await clock.settle();
    expect(state.now).toBe(end === 'waiting' ? 'enough' : end);
  });

  it('that is refused with 429 is told when to come again', async () => {
    const { faulty } = start();
    faulty.add({ match: all, fault: { kind: 'status', code: 429, retryAfterSeconds: 7 } });
    const response = await faulty.send(get(namespaces), new AbortController().signal);
    expect([response.status, response.headers['retry-after']]).toEqual([429, '7']);
    expect((await ask(faulty, get(namespaces))).body).toMatchObject({
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 7 },
    });
  });

  it('that is answered with garbage gets the bytes of the rule', async () => {
    const { faulty } = start();
    faulty.add({ match: all, fault: { kind: 'garbage', bytes: '{"kind":' } });
    expect(await ask(faulty, get(namespaces))).toEqual({ code: 200, body: '{"kind":' });
  });

  it('suffers the first rule that matches and is not used up', async () => {
    const { faulty } = start();
    faulty.add({ match: isWrite, fault: { kind: 'status', code: 500 } });
    const remove = faulty.add({ match: all, fault: { kind: 'status', code: 503 }, times: 2 });
    const codes = async (count: number) => {
      const got: number[] = [];
      for (let i = 0; i < count; i++) got.push((await ask(faulty, get(namespaces))).code);
      return got;
    };
    expect((await ask(faulty, create('shop'))).code).toBe(500);
    expect(await codes(3)).toEqual([503, 503, 200]);
    faulty.add({ match: all, fault: { kind: 'status', code: 504 } })();
    remove();
    expect(await codes(1)).toEqual([200]);
  });
});

describe('a stream', () => {
  async function tell(fault: Fault) {
    const world = start();
    const { clock, faulty, standin } = world;
    faulty.add({ match: (request) => request.query?.['watch'] === 'true', fault, times: 1 });
    const first = follow(faulty);
    const second = follow(faulty);
    await clock.settle();
    for (const name of ['a', 'b', 'c']) standin.admin.put(Namespace, { metadata: { name } });
    await clock.settle();
    return { ...world, first, second };
  }

  it('breaks after so many lines, and the next does not', async () => {
    const { first, second } = await tell({ kind: 'break-stream', afterLines: 2 });
    expect(first).toEqual({ names: ['a', 'b'], end: 'ECONNRESET the stream broke after 2 lines' });
    expect(second).toEqual({ names: ['a', 'b', 'c'], end: 'open' });
  });

  it('goes silent after so many lines, and not even the server’s time-out is heard', async () => {
    const { first, second, clock } = await tell({ kind: 'stall-stream', afterLines: 1 });
    await clock.advance(3_600_000);
    expect(first).toEqual({ names: ['a'], end: 'open' });
    expect(second.end).toBe('ended');
  });
});

describe('a link that is cut', () => {
  it('refuses requests and breaks streams, until it heals', async () => {
    const { clock, faulty } = start();
    const watch = follow(faulty);
    await clock.settle();
    faulty.cut('refuse');
    const refused = outcome(faulty, get(namespaces));
    await clock.settle();
    expect([watch.end, refused.now]).toEqual([
      'ECONNRESET read ECONNRESET: the link was cut',
      'ECONNREFUSED connect ECONNREFUSED: the link is cut',
    ]);
    faulty.heal();
    expect((await ask(faulty, get(namespaces))).code).toBe(200);
  });

  it('in silence lets requests and streams wait, and all go on when it heals', async () => {
    const { clock, faulty, standin, names } = start();
    const watch = follow(faulty);
    await clock.settle();
    faulty.cut('silence');
    const stop = new AbortController();
    const waiting = outcome(faulty, create('a'));
    const givenUp = outcome(faulty, create('b'), stop.signal);
    standin.admin.put(Namespace, { metadata: { name: 'c' } });
    await clock.advance(60_000);
    expect([waiting.now, givenUp.now, watch]).toEqual(['waiting', 'waiting', { names: [], end: 'open' }]);
    stop.abort(new Error('time-out'));
    await clock.settle();
    faulty.heal();
    await clock.settle();
    expect([waiting.now, givenUp.now, watch.names]).toEqual(['201', 'time-out', ['c', 'a']]);
    expect(names()).toEqual(['a', 'c', 'default', 'kube-system']);
  });

  it('in silence can be cut for good', async () => {
    const { clock, faulty } = start();
    faulty.cut('silence');
    const waiting = outcome(faulty, get(namespaces));
    await clock.settle();
    faulty.cut('refuse');
    await clock.settle();
    expect(waiting.now).toBe('ECONNREFUSED connect ECONNREFUSED: the link is cut');
  });
});

describe('the n-th write', () => {
  async function dieAt(n: number, verdict: 'die-before' | 'die-after') {
    const { clock, faulty, standin, names } = start();
    const asked: string[] = [];
    faulty.onWrite((count, request) => {
      asked.push(`${count} ${request.method}`);
      return count === n ? verdict : 'pass';
    });
    const stop = new AbortController();
    const watch = follow(faulty, stop.signal);
    await clock.settle();
    const outcomes: { readonly now: string }[] = [];
    for (const request of [create('a'), get(namespaces), del(`${namespaces}/a`), create('b'), get(namespaces)]) {
      outcomes.push(outcome(faulty, request, stop.signal));
      await clock.settle();
    }
    return {
      clock,
      faulty,
      standin,
      names,
      asked,
      stop,
      watch,
      outcomes,
      states: () => outcomes.map(({ now }) => now),
    };
  }

  it('kills before it left: it is not applied, and nothing passes any more', async () => {
    const { asked, states, names, faulty, standin, watch, stop, clock } = await dieAt(1, 'die-before');
    expect([asked, names(), faulty.dead, faulty.writes]).toEqual([['1 POST'], ['default', 'kube-system'], true, 1]);
    standin.admin.put(Namespace, { metadata: { name: 'z' } });
    await clock.settle();
    expect([states(), watch]).toEqual([Array(5).fill('waiting'), { names: [], end: 'open' }]);
    stop.abort(new Error('killed'));
    await clock.settle();
    expect([states(), watch.end]).toEqual([Array(5).fill('killed'), 'killed']);
  });

  it('kills after it was applied: the server has it, the process never learns', async () => {
    const { states, names, faulty } = await dieAt(3, 'die-after');
    expect(names()).toEqual(['b', 'default', 'kube-system']);
    expect([states(), faulty.writes]).toEqual([['201', '200', '200', 'waiting', 'waiting'], 3]);
  });

  it('is not revived by a link that heals', async () => {
    const { faulty, clock, states } = await dieAt(1, 'die-before');
    faulty.cut('silence');
    faulty.heal();
    await clock.settle();
    expect(states()).toEqual(Array(5).fill('waiting'));
  });
});

describe('a request that was aborted before it was sent', () => {
  it('is not sent', async () => {
    const { faulty, names } = start();
    const send = (transport: FaultyTransport) => transport.send(create('x'), AbortSignal.abort(new Error('too late')));
    await expect(send(faulty)).rejects.toThrow('too late');
    expect([names(), faulty.writes]).toEqual([['default', 'kube-system'], 0]);
  });
});
