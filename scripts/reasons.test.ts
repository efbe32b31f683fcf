import { statusDefinitions } from '@isthmus/api';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { anchorOf } from './generate/reasons.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

function shippedSource(): string {
  const paths = globSync('packages/clusterset/src/**/*.ts', { cwd: root });
  const shipped = paths.filter((path) => !/\.test\.ts$|\/testing\//.test(path));
  return shipped.map((path) => readFileSync(`${root}/${path}`, 'utf8')).join('\n');
}

it('every reason that is defined is given somewhere', () => {
  const source = shippedSource();
  const reasons = new Set(statusDefinitions.flatMap((definition) => Object.keys(definition.reasons)));
  expect([...reasons].filter((reason) => !source.includes(`'${reason}'`))).toEqual([]);
});

it('every condition that is defined is written somewhere', () => {
  const source = shippedSource();
  const keys = new Set(statusDefinitions.flatMap((definition) => Object.keys(definition.conditions)));
  const isWritten = (key: string) =>
    [`'${key}':`, `${key}:`, `{ ${key}`, `, ${key}`].some((text) => source.includes(text));
  expect([...keys].filter((key) => !isWritten(key))).toEqual([]);
});

it('every link from a reference page to the troubleshooting page leads to a heading', () => {
  const page = readFileSync(`${root}/docs/troubleshooting.md`, 'utf8');
  const headings = new Set([...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading)));
  const pages = globSync('docs/reference/*.md', { cwd: root }).map((path) => readFileSync(`${root}/${path}`, 'utf8'));
  const links = pages.flatMap((text) =>
    [...text.matchAll(/troubleshooting\.md#([\w-]+)/g)].map(([, link = '']) => link),
  );
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter((link) => !headings.has(link))).toEqual([]);
});
