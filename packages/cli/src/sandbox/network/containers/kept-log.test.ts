import { describe, expect, test } from 'vitest';
import { keptLog } from './kept-log.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('the log of a container', () => {
  test('has its lines with the time at which each was whole', () => {
    const log = keptLog();
    log.add(bytes('one\ntw'), 1);
    log.add(bytes('o\n\u{e9}'), 2);
    log.end(3);
    expect(log.lines()).toEqual([
      { atMs: 1, text: 'one\n' },
      { atMs: 2, text: 'two\n' },
      { atMs: 3, text: '\u{e9}' },
    ]);
  });

  test('is followed to the end of the run', () => {
    const log = keptLog();
    const seen: string[] = [];
    log.follow(
      ({ text }) => seen.push(text),
      () => seen.push('end'),
    );
    log.add(bytes('a\nb\n'), 1);
    log.end(2);
    expect(seen).toEqual(['a\n', 'b\n', 'end']);
    log.follow(
      () => {},
      () => seen.push('over'),
    );
    expect(seen.at(-1)).toBe('over');
  });

  test('forgets the oldest lines beyond a mebibyte, and cuts endless ones', () => {
    const log = keptLog();
    for (let line = 0; line < 300; line++) log.add(bytes('x'.repeat(16 * 1024)), line);
    const lines = log.lines();
    expect(lines.length).toBe(64);
    expect(lines.every(({ text }) => text.length === 16 * 1024)).toBe(true);
    expect(lines.at(-1)?.atMs).toBe(299);
  });

  test('keeps up with a container that writes empty lines without end, and forgets all but the last hundred thousand', () => {
    const log = keptLog();
    const chunk = bytes('\n'.repeat(64 * 1024));
    for (let time = 0; time < 20; time++) log.add(chunk, time);
    expect(log.lines().length).toBe(100_000);
    expect(log.lines()[0]?.atMs).toBe(18);
  });
});
