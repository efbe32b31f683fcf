import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { areas } from './areas.ts';
import { lines } from './lines.ts';
import type { Line, Where } from './lines.ts';

/** `<area> › <title>`. */
function casesOf(where: Where): readonly string[] {
  const [name, titles] = typeof where === 'string' ? [where, /^/] : where;
  const area = areas.find((one) => one.name === name);
  return (area?.cases ?? []).filter(({ title }) => titles.test(title)).map(({ title }) => `${name} › ${title}`);
}

function casesOfLine({ phrases }: Line): readonly string[] {
  return [...new Set(Object.values(phrases).flat().flatMap(casesOf))];
}

describe.each(lines)('$line', (line) => {
  it('has at least five cases', () => {
    const elsewhere = (line.elsewhere ?? []).flatMap(({ titles }) => titles);
    const shown = Object.keys(line.phrases).length === 0 ? elsewhere : casesOfLine(line);
    expect(shown.length).toBeGreaterThanOrEqual(5);
  });

  it.each(Object.keys(line.phrases))('has cases about %s, wherever it claims that some are', (phrase) => {
    const found = (line.phrases[phrase] ?? []).map((where) => casesOf(where).length);
    expect(found).not.toContain(0);
    expect(found.length).toBeGreaterThan(0);
  });

  it.each((line.elsewhere ?? []).flatMap(({ file, titles }) => titles.map((title) => [file, title] as const)))(
    'has the test %s › %s',
    (file, title) => {
      expect(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')).toContain(`'${title}'`);
    },
  );
});

it('no case shows nothing of it', () => {
  const shown = new Set(lines.flatMap(casesOfLine));
  const all = areas.flatMap(({ name, cases }) => cases.map(({ title }) => `${name} › ${title}`));
  expect(all.filter((one) => !shown.has(one))).toEqual([]);
});

it('has at least 300 cases', () => {
  expect(areas.flatMap(({ cases }) => cases).length).toBeGreaterThanOrEqual(300);
});
