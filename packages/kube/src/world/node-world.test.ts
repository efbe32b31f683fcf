import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { isMissingFile } from './read-file.ts';
import { readFile, systemClock, systemRandom } from './node-world.ts';

it('calls back after the time, once, unless cancelled', async () => {
  const clock = systemClock();
  const called: string[] = [];
  const before = clock.monotonic();
  await new Promise<void>((resolve) => {
    const cancel = clock.after(5, () => called.push('cancelled'));
    clock.after(15, () => called.push('kept'));
    clock.after(-1, () => called.push('at once'));
    clock.after(Infinity, () => called.push('never'));
    clock.after(40, resolve);
    cancel();
  });
  expect(called).toEqual(['at once', 'kept']);
  expect(clock.monotonic() - before).toBeGreaterThanOrEqual(39);
});

it('keeps a wait that is longer than a timer of Node can be', () => {
  vi.useFakeTimers();
  try {
    const month = 31 * 24 * 3600 * 1000;
    let calls = 0;
    systemClock().after(month, () => calls++);
    const cancel = systemClock().after(month, () => (calls += 100));
    vi.advanceTimersByTime(month - 1);
    expect(calls).toBe(0);
    cancel();
    vi.advanceTimersByTime(1);
    expect(calls).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

it('is random between 0 and 1', () => {
  const random = systemRandom();
  const drawn = Array.from({ length: 100 }, () => random.next());
  expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(new Set(drawn).size).toBeGreaterThan(90);
});

it('reads a file with its permission bits, and names one that it cannot read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'isthmus-node-world-'));
  try {
    const path = join(folder, 'config');
    const text = 'ü'.repeat(100_000);
    await writeFile(path, text);
    await chmod(path, 0o640);
    expect(await readFile(path)).toEqual({ text, mode: 0o640 });

    const missing = await readFile(join(folder, 'missing')).catch((error: unknown) => error);
    expect(String(missing)).toBe(`Error: cannot read ${join(folder, 'missing')}: no such file`);
    expect(isMissingFile(missing)).toBe(true);
    const directory = await readFile(folder).catch((error: unknown) => error);
    expect(String(directory)).toBe(`Error: cannot read ${folder}: it is a directory`);
    expect(isMissingFile(directory)).toBe(false);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('names the path of standard input where a dash stands for a file', async () => {
  const error = await readFile('-').catch((reason: unknown) => reason);
  expect(String(error)).toBe('Error: cannot read -: no such file; for standard input, pass /dev/stdin');
  expect(isMissingFile(error)).toBe(true);
});

it('reads a device without end only up to its bound', async () => {
  await expect(readFile('/dev/zero')).rejects.toThrow('cannot read /dev/zero: larger than 16777216 bytes');
});
