import type { ApiRequest, Transport } from '@isthmus/kube';
import { describe, expect, it } from 'vitest';
import { lazyTransport } from './lazy-transport.ts';

const request: ApiRequest = { method: 'GET', path: '/' };
const { signal } = new AbortController();

function world(fails?: Error) {
  const calls: string[] = [];
  const opened: Transport = {
    async send({ path }) {
      if (calls.includes('close')) throw new Error('closed');
      calls.push(`send ${path}`);
      return { status: 200, headers: {}, body: (async function* () {})() };
    },
    close: () => void calls.push('close'),
  };
  const transport = lazyTransport(async () => {
    calls.push('open');
    if (fails !== undefined) throw fails;
    return opened;
  });
  return { calls, transport };
}

describe('a transport that is loaded with its first request', () => {
  it('is opened once, and not before', async () => {
    const { calls, transport } = world();
    expect(calls).toEqual([]);
    await Promise.all([transport.send(request, signal), transport.send(request, signal)]);
    expect(calls).toEqual(['open', 'send /', 'send /']);
  });

  it('closes what was opened, also where it is asked to while that goes on, and opens nothing to be closed', async () => {
    const { calls, transport } = world();
    const sent = transport.send(request, signal);
    transport.close();
    await expect(sent).rejects.toThrow('closed');
    expect([calls[0], calls.includes('close'), calls.includes('send /')]).toEqual(['open', true, false]);
    const unused = world();
    unused.transport.close();
    expect(unused.calls).toEqual([]);
  });

  it('rejects each request after it was closed, as the transport that it stands for does', async () => {
    const { calls, transport } = world();
    transport.close();
    await expect(transport.send(request, signal)).rejects.toThrow('closed');
    expect(calls).toEqual(['open', 'close']);
  });

  it('rejects each request with the reason why it cannot be opened, and can be closed then', async () => {
    const { transport } = world(new Error('no certificate'));
    await expect(transport.send(request, signal)).rejects.toThrow('no certificate');
    transport.close();
    await expect(transport.send(request, signal)).rejects.toThrow('no certificate');
  });
});
