import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { admin } from '../authentication/authenticator.ts';
import { anything, definitions, widget, widgets } from '../contract/cases/crd-fixtures.ts';
import { splitLines } from '../contract/streams.ts';
import { createSandbox } from '../sandbox.ts';

const group = 'shop.example.com';
const path = (version: string) => `/apis/${group}/${version}/namespaces/shop/widgets`;

interface Line {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly name?: string; readonly resourceVersion: string; readonly annotations?: object };
  };
}

/** A sandbox with Widgets stored in v1, whose webhook to v2 answers only on command. */
async function slowConversion() {
  const clock = createVirtualClock({ startMs: 0 });
  const waiting: (() => void)[] = [];
  const sandbox = createSandbox({
    name: 'slow',
    clock,
    async callWebhook(_, body) {
      await new Promise<void>((go) => waiting.push(go));
      const { request, ...review } = JSON.parse(body);
      const convertedObjects = request.objects.map((object: object) => ({
        ...object,
        apiVersion: request.desiredAPIVersion,
      }));
      const response = { uid: request.uid, result: { status: 'Success' }, convertedObjects };
      return { status: 200, body: JSON.stringify({ ...review, response }) };
    },
  });
  const transport = sandbox.transport({ kind: 'user', user: admin });
  const { signal } = new AbortController();
  const send = async (method: 'GET' | 'POST', at: string, body?: object) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await transport.send({ method, path: at, headers, body: body && JSON.stringify(body) }, signal);
    let text = '';
    for await (const chunk of answer.body) text += new TextDecoder().decode(chunk);
    expect([answer.status, text]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()]);
    return JSON.parse(text);
  };
  await send('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } });
  await send('POST', definitions, convertedWidgets());
  await clock.settle();
  return {
    clock,
    put: (name: string) => send('POST', path('v1'), widget(api, name)),
    version: async () => (await send('GET', path('v1'))).metadata.resourceVersion as string,
    async answerWebhook() {
      waiting.shift()?.();
      await clock.settle();
    },
    async watch(query: Readonly<Record<string, string>>) {
      const state = { lines: [] as Line[], ended: false };
      const { body } = await transport.send(
        { method: 'GET', path: path('v2'), query: { watch: 'true', ...query } },
        signal,
      );
      void (async () => {
        for await (const line of splitLines(body)) state.lines.push(JSON.parse(line));
        state.ended = true;
      })();
      return state;
    },
  };
}

const api = { namespace: 'shop' } as Parameters<typeof widget>[0];

/** Widgets of v1 and v2, which a webhook converts. */
function convertedWidgets() {
  const versions = ['v1', 'v2'].map((name) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: anything,
  }));
  const clientConfig = { url: 'https://127.0.0.1:1/convert' };
  const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
  return widgets(api, { versions, conversion });
}

/** The content of a line: `ADDED a`, or `BOOKMARK` with its version. */
const told = ({ lines }: { readonly lines: readonly Line[] }) =>
  lines.map(({ type, object }) => `${type} ${object.metadata.name ?? object.metadata.resourceVersion}`);

describe('a watch of a kind that a webhook converts', () => {
  it('bookmarks the version of when the bookmark was due, not that of writes which wait for the webhook', async () => {
    const { clock, put, version, answerWebhook, watch } = await slowConversion();
    const state = await watch({ resourceVersion: await version(), allowWatchBookmarks: 'true', timeoutSeconds: '300' });
    await put('a');
    const due = await version();
    await clock.advance(60_000);
    await put('b');
    await answerWebhook();
    expect(told(state)).toEqual(['ADDED a', `BOOKMARK ${due}`]);
    await answerWebhook();
    expect(told(state).slice(2)).toEqual(['ADDED b']);
  });

  it('ends the initial events with the version that they show', async () => {
    const { put, version, answerWebhook, watch } = await slowConversion();
    await put('a');
    const shown = await version();
    const state = await watch({
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
    });
    await put('b');
    await answerWebhook();
    await answerWebhook();
    expect(told(state)).toEqual(['ADDED a', `BOOKMARK ${shown}`, 'ADDED b']);
    expect(state.lines[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  it('ends where 1,000 events wait for the webhook, beside those that it began with', async () => {
    const { put, version, answerWebhook, watch } = await slowConversion();
    const state = await watch({ resourceVersion: await version() });
    for (let i = 0; i <= 1_000; i++) await put(`n${i}`);
    await answerWebhook();
    expect([told(state), state.ended]).toEqual([['ADDED n0'], false]);
    for (let i = 1_001; i <= 1_002; i++) await put(`n${i}`);
    await answerWebhook();
    expect([told(state), state.ended]).toEqual([['ADDED n0'], true]);
  });

  it('delivers what was written before its time was up, and a last bookmark, before it ends', async () => {
    const { clock, put, version, answerWebhook, watch } = await slowConversion();
    const state = await watch({ resourceVersion: await version(), allowWatchBookmarks: 'true', timeoutSeconds: '10' });
    await put('a');
    const due = await version();
    await clock.advance(10_000);
    expect([told(state), state.ended]).toEqual([[], false]);
    await answerWebhook();
    expect([told(state), state.ended]).toEqual([['ADDED a', `BOOKMARK ${due}`], true]);
  });
});
