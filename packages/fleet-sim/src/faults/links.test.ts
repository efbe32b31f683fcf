import { Namespace } from '@isthmus/api';
import type { ApiRequest, Transport } from '@isthmus/kube';
import { createSandbox } from '@isthmus/sandbox';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../clock/virtual-clock.ts';
import { clusterAdmin } from '../fleet/credentials.ts';
import type { Fault } from './fault.ts';
import { withFaults } from './with-faults.ts';
import type { FaultyTransport } from './with-faults.ts';

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
/** Deletes a Secret, which is removed at once, unlike a Namespace. */
const remove = (name: string): ApiRequest => ({ method: 'DELETE', path: `${secrets}/${name}` });
const createSecret = (name: string): ApiRequest => ({ ...create(name), path: secrets });
const secrets = '/api/v1/namespaces/default/secrets';
const isWrite = (request: ApiRequest) => request.method !== 'GET';
const all = () => true;

function start() {
  const clock = createVirtualClock({ startMs: 0 });
  const sandbox = createSandbox({ name: 'east', clock });
  const direct = sandbox.transport(clusterAdmin);
  /** The Namespaces that a request has made. */
  const names = () =>
    sandbox.admin
      .list(Namespace)
      .map(({ metadata }) => metadata.name)
      .filter((name) => !/^(default|kube-.*)$/.test(name));
  const from = String(sandbox.admin.resourceVersion);
  return { clock, sandbox, direct, names, from, faulty: withFaults(direct, clock) };
}

/** The code and the decoded body of an answer; text that is not JSON stays text. */
async function ask(
  transport: Transport,
  request: ApiRequest,
): Promise<{ readonly code: number; readonly body: unknown }> {
  const { status, body } = await transport.send(request, new AbortController().signal);
  let text = '';
  for await (const chunk of body) text += new TextDecoder().decode(chunk);
  try {
    return { code: status, body: JSON.parse(text) };
  } catch {
    return { code: status, body: text };
  }
}

/** The state of a request by now: still `waiting`, its code, or its error. */
function outcome(transport: Transport, request: ApiRequest, signal = new AbortController().signal) {
  const state = { now: 'waiting' };
  transport.send(request, signal).then(
    ({ status }) => (state.now = String(status)),
    (error: unknown) => (state.now = `${(error as { code?: string }).code ?? ''} ${(error as Error).message}`.trim()),
  );
  return state;
}

/** The names in the events of a watch, and how it ended. */
function follow(transport: Transport, from: string, signal = new AbortController().signal) {
  const state = { names: [] as string[], end: 'open' };
  void (async () => {
    try {
      const { body } = await transport.send(
        get(namespaces, { watch: 'true', resourceVersion: from, timeoutSeconds: '3600' }),
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
    const { clock, direct, from, faulty, names } = start();
    const watch = follow(faulty, from);
    expect((await ask(faulty, create('shop'))).code).toBe(201);
    await clock.settle();
    expect([names(), watch.names]).toEqual([['shop'], ['shop']]);
    expect(await ask(faulty, get(namespaces))).toEqual(await ask(direct, get(namespaces)));
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
    expect([late.now, names()]).toEqual(['waiting', []]);
    stop.abort(new Error('enough'));
    await clock.advance(1);
    expect([late.now, aborted.now, names()]).toEqual(['201', 'enough', ['late']]);
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

  it('that is refused with 429 learns when to come again', async () => {
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
    const { clock, faulty, sandbox, from } = world;
    faulty.add({ match: (request) => request.query?.['watch'] === 'true', fault, times: 1 });
    const first = follow(faulty, from);
    const second = follow(faulty, from);
    await clock.settle();
    for (const name of ['a', 'b', 'c']) sandbox.admin.put(Namespace, { metadata: { name } });
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
    const { clock, faulty, from } = start();
    const watch = follow(faulty, from);
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
    const { clock, faulty, sandbox, names, from } = start();
    const watch = follow(faulty, from);
    await clock.settle();
    faulty.cut('silence');
    const stop = new AbortController();
    const waiting = outcome(faulty, create('a'));
    const givenUp = outcome(faulty, create('b'), stop.signal);
    sandbox.admin.put(Namespace, { metadata: { name: 'c' } });
    await clock.advance(60_000);
    expect([waiting.now, givenUp.now, watch]).toEqual(['waiting', 'waiting', { names: [], end: 'open' }]);
    stop.abort(new Error('time-out'));
    await clock.settle();
    faulty.heal();
    await clock.settle();
    expect([waiting.now, givenUp.now, watch.names]).toEqual(['201', 'time-out', ['c', 'a']]);
    expect(names()).toEqual(['a', 'c']);
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
    const { clock, faulty, sandbox, names, from } = start();
    const asked: string[] = [];
    faulty.onWrite((count, request) => {
      asked.push(`${count} ${request.method}`);
      return count === n ? verdict : 'pass';
    });
    const stop = new AbortController();
    const watch = follow(faulty, from, stop.signal);
    await clock.settle();
    const outcomes: { readonly now: string }[] = [];
    for (const request of [createSecret('a'), get(namespaces), remove('a'), create('b'), get(namespaces)]) {
      outcomes.push(outcome(faulty, request, stop.signal));
      await clock.settle();
    }
    return {
      clock,
      faulty,
      sandbox,
      names,
      asked,
      stop,
      watch,
      outcomes,
      states: () => outcomes.map(({ now }) => now),
    };
  }

  it('kills before it left: it is not applied, and nothing passes any more', async () => {
    const { asked, states, names, faulty, sandbox, watch, stop, clock } = await dieAt(1, 'die-before');
    expect([asked, names(), faulty.dead, faulty.writes]).toEqual([['1 POST'], [], true, 1]);
    sandbox.admin.put(Namespace, { metadata: { name: 'z' } });
    await clock.settle();
    expect([states(), watch]).toEqual([Array(5).fill('waiting'), { names: [], end: 'open' }]);
    stop.abort(new Error('killed'));
    await clock.settle();
    expect([states(), watch.end]).toEqual([Array(5).fill('killed'), 'killed']);
  });

  it('kills after it was applied: the server has it, the process never learns', async () => {
    const { states, names, faulty } = await dieAt(3, 'die-after');
    expect(names()).toEqual(['b']);
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
    expect([names(), faulty.writes]).toEqual([[], 0]);
  });
});
