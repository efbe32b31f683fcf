import { createVirtualClock } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { admin } from '../authentication/authenticator.ts';
import { splitLines } from '../contract/streams.ts';
import { createSandbox } from '../sandbox.ts';

const maps = '/api/v1/namespaces/ns/configmaps';

async function watched(count: number) {
  const clock = createVirtualClock({ startMs: 0 });
  const defects: unknown[] = [];
  const sandbox = createSandbox({ name: 'watched', clock, onDefect: (_, error) => defects.push(error) });
  const transport = sandbox.transport({ kind: 'user', user: admin });
  const { signal: never } = new AbortController();
  const post = (path: string, object: object) =>
    transport.send({ method: 'POST', path, body: JSON.stringify(object) }, never);
  await post('/api/v1/namespaces', { metadata: { name: 'ns' } });
  const stops = Array.from({ length: count }, () => new AbortController());
  const bodies = await Promise.all(
    stops.map(async ({ signal }) => {
      const { body } = await transport.send({ method: 'GET', path: maps, query: { watch: 'true' } }, signal);
      return body;
    }),
  );
  return { clock, defects, sandbox, post, stops, bodies };
}

it('2,000 watches see every write in one order, and cost nothing when they are gone', async () => {
  const { clock, defects, post, stops, bodies } = await watched(2_000);
  const views = bodies.map(() => [] as string[]);
  const readers = bodies.map(async (body, index) => {
    try {
      for await (const line of splitLines(body)) views[index]?.push(line);
    } catch {
      // It was broken off.
    }
  });
  for (const name of ['a', 'b', 'c']) await post(maps, { metadata: { name } });
  await clock.settle();
  expect(views[0]).toHaveLength(3);
  expect(new Set(views.map((view) => view.join('\n'))).size).toBe(1);
  const waiting = clock.pending;
  for (const stop of stops) stop.abort(new Error('enough'));
  await Promise.all(readers);
  expect(waiting - clock.pending).toBe(2_000);
  expect(defects).toEqual([]);
});

it('a watch that nobody reads keeps no writer waiting, and loses nothing', async () => {
  const { defects, post, bodies } = await watched(1);
  for (let i = 0; i < 300; i++) await post(maps, { metadata: { name: `n${i}` } });
  const names: string[] = [];
  for await (const line of splitLines(bodies[0] ?? expect.unreachable())) {
    names.push(
      (JSON.parse(line) as { readonly object: { readonly metadata: { readonly name: string } } }).object.metadata.name,
    );
    if (names.length === 300) break;
  }
  expect(names).toEqual(Array.from({ length: 300 }, (_, i) => `n${i}`));
  expect(defects).toEqual([]);
});
