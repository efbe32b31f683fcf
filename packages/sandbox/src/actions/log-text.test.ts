import { describe, expect, test } from 'vitest';
import { chosenLines, lineText, logOptionsOf } from './log-text.ts';

const nowMs = Date.parse('2026-03-04T05:06:07Z');
const lines = [1, 2, 3].map((second) => ({ atMs: nowMs - (4 - second) * 1_000, text: `${second}\n` }));
const chosen = (query: Readonly<Record<string, string>>) => {
  const options = logOptionsOf(query, nowMs);
  return chosenLines(lines, options).map((line) => lineText(line, options));
};

describe('the log of a container', () => {
  test('has all lines that are kept', () => {
    expect(chosen({})).toEqual(['1\n', '2\n', '3\n']);
  });

  test('begins where the request wants it', () => {
    expect(chosen({ tailLines: '2' })).toEqual(['2\n', '3\n']);
    expect(chosen({ tailLines: '0' })).toEqual([]);
    expect(chosen({ sinceSeconds: '2' })).toEqual(['2\n', '3\n']);
    expect(chosen({ sinceTime: '2026-03-04T05:06:06Z' })).toEqual(['3\n']);
    expect(chosen({ sinceSeconds: '3', tailLines: '1' })).toEqual(['3\n']);
  });

  test('has times where they are asked for', () => {
    expect(chosen({ tailLines: '1', timestamps: 'true' })).toEqual(['2026-03-04T05:06:06Z 3\n']);
    expect(lineText({ atMs: nowMs + 120, text: 'x' }, logOptionsOf({ timestamps: '1' }, nowMs))).toBe(
      '2026-03-04T05:06:07.12Z x',
    );
  });

  test.each([
    [{ tailLines: '-1' }, 'tailLines must be a number of at least 0, not "-1"'],
    [{ limitBytes: '0' }, 'limitBytes must be a number of at least 1, not "0"'],
    [{ sinceSeconds: 'x' }, 'sinceSeconds must be a number'],
    [{ sinceTime: 'yesterday' }, 'sinceTime is not a time'],
    [{ sinceTime: '2026-03-04T05:06:06Z', sinceSeconds: '1' }, 'at most one of'],
  ])('is refused with %j', (query, why) => {
    expect(() => logOptionsOf(query, nowMs)).toThrow(why);
  });
});
