import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { features } from './features.ts';
import { withStandIn } from './stand-in.ts';

/** The exports of a module that is given as text. */
const exportsOf = (source: string) =>
  import(`data:text/javascript,${encodeURIComponent(source)}`) as Promise<Readonly<Record<string, () => unknown>>>;

describe('a feature that can be switched off', () => {
  // `npm run soak -- features` shows that a case notices each one.
  it.each(features)('$title: its function can be replaced', (feature) => {
    const source = readFileSync(new URL(`../../${feature.file}`, import.meta.url), 'utf8');
    expect(withStandIn(source, feature, 'on => on')).toContain(`function ${feature.name}$on`);
  });

  it('is one of at least 40, each with a title of its own', () => {
    expect(new Set(features.map(({ title }) => title)).size).toBe(features.length);
    expect(features.length).toBeGreaterThanOrEqual(40);
  });
});

describe('a function that replaces another', () => {
  const source = 'export function one() {\n  return 1;\n}\nexport function two() {\n  return one() + one();\n}\n';

  it('is called by every importer, and within its module', async () => {
    const { one, two } = await exportsOf(withStandIn(source, { file: 'm.ts', name: 'one' }, '(on) => () => on() + 10'));
    expect([one?.(), two?.()]).toEqual([11, 22]);
  });

  it('needs a function that the module exports', () => {
    expect(() => withStandIn(source, { file: 'm.ts', name: 'on' }, '')).toThrow(
      'm.ts declares no exported function on',
    );
  });
});
