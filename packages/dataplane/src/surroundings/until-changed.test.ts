import { expect, test } from 'vitest';
import { readUntilChanged } from './until-changed.ts';

/** Reads of a kernel. Each ends when the test gives its result. */
function createKernel() {
  const reads: { readonly of: string; readonly end: (found: string | undefined) => void }[] = [];
  let calls = 0;
  const { read, forget, subscribe } = readUntilChanged(
    (of: string) => new Promise<string | undefined>((end) => reads.push({ of, end })),
  );
  subscribe(() => calls++);
  return { read, forget, reads, calls: () => calls };
}

test('what was read is kept until it may have changed, or something else is asked for', async () => {
  const { read, forget, reads, calls } = createKernel();
  forget();
  expect(calls()).toBe(0);
  const first = read('eth0');
  reads[0]?.end('1500');
  expect([await first, await read('eth0'), reads.length, calls()]).toEqual(['1500', '1500', 1, 0]);
  forget();
  forget();
  expect(calls()).toBe(1);
  const second = read('eth0');
  reads[1]?.end('9000');
  expect([await second, await read('eth0'), reads.length]).toEqual(['9000', '9000', 2]);
  void read('eth1');
  expect(reads.map(({ of }) => of)).toEqual(['eth0', 'eth0', 'eth1']);
});

test('what may have changed while it was read is read again', async () => {
  const { read, forget, reads, calls } = createKernel();
  const first = read('eth0');
  forget();
  expect(calls()).toBe(1);
  reads[0]?.end('1500');
  expect(await first).toBe('1500');
  const second = read('eth0');
  reads[1]?.end('9000');
  expect([await second, await read('eth0'), reads.length]).toEqual(['9000', '9000', 2]);
});

test('what has the same content is the same object', async () => {
  const { read, forget } = readUntilChanged((of: string) => Promise.resolve([of, '127.0.0.1']));
  const first = await read('local');
  forget();
  expect(await read('local')).toBe(first);
  expect(await read('main')).toEqual(['main', '127.0.0.1']);
});

test('what was not found is looked for each time', async () => {
  const { read, reads } = createKernel();
  const first = read('eth0');
  reads[0]?.end(undefined);
  expect(await first).toBeUndefined();
  void read('eth0');
  expect(reads).toHaveLength(2);
});
