import * as api from '@isthmus/api';
import { reasonsOn, statusDefinitions } from '@isthmus/api';
import type { StatusDefinition } from '@isthmus/api';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { anchorOf } from './generate/reasons.ts';
import { coverageRows, parseCoverage } from './coverage.ts';
import { reasonGivers } from './given-reasons.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Texts by path. */
function shippedFiles(): ReadonlyMap<string, string> {
  const paths = globSync('packages/{wire,controlplane,install}/src/**/*.ts', { cwd: root });
  const shipped = paths.filter((path) => !/\.test\.ts$|\/testing\//.test(path));
  return new Map(shipped.map((path) => [path, readFileSync(`${root}/${path}`, 'utf8')]));
}

function isDefinition(value: unknown): value is StatusDefinition {
  return statusDefinitions.some((definition) => definition === value);
}

describe('every reason that a kind may report', () => {
  const names = new Map<StatusDefinition, string>(
    Object.entries(api).flatMap(([name, value]) => (isDefinition(value) ? [[value, name] as const] : [])),
  );
  const givers = reasonGivers(shippedFiles(), new Set(names.values()));

  it.each(statusDefinitions)('is given by code that reports on the $title', (definition) => {
    const reporting = givers.filter(({ definitions }) => definitions.has(names.get(definition) ?? ''));
    const given = new Set(reporting.flatMap(({ words }) => [...words]));
    const isPassedOn = ({ on }: StatusDefinition['reasons'][string]) =>
      on.some((place) => !place.startsWith('Event')) &&
      on.every((place) => place === 'Event' || definition.conditions[place.replace(/=.*/, '')]?.mirrors !== undefined);
    const missing = Object.entries(definition.reasons).filter(
      ([reason, defined]) => !given.has(reason) && !isPassedOn(defined),
    );
    const todo = `return it from code of packages/controlplane that reports on the ${definition.title}, or remove its definition`;
    expect(
      missing.map(([reason]) => reason),
      todo,
    ).toEqual([]);
  });
});

it('every condition that is defined is written somewhere', () => {
  const source = [...shippedFiles().values()].join('\n');
  const keys = new Set(statusDefinitions.flatMap((definition) => Object.keys(definition.conditions)));
  const isWritten = (key: string) =>
    [`'${key}':`, `${key}:`, `{ ${key}`, `, ${key}`].some((text) => source.includes(text));
  expect([...keys].filter((key) => !isWritten(key))).toEqual([]);
});

describe('the tests that provoke reasons', () => {
  const cited = coverageRows(
    parseCoverage(new Map([['reasons', readFileSync(`${root}/docs/coverage/reasons.yaml`, 'utf8')]])),
  );
  const textOf = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');

  it.each(statusDefinitions)('are named for every reason of the $title, and for nothing else', ({ title, reasons }) => {
    const rows = cited.filter(({ heading }) => heading === title);
    const todo = `name a test that causes the reason, under the heading ${title} in docs/coverage/reasons.yaml`;
    expect(rows.map(({ what }) => what).toSorted(), todo).toEqual(Object.keys(reasons).toSorted());
  });

  it('mention the reason that they are named for', () => {
    const silent = cited.filter(({ what, proofs }) => !proofs.some(({ path }) => textOf(path).includes(what)));
    const todo = 'the test that docs/coverage/reasons.yaml names for a reason contains the reason';
    expect(
      silent.map(({ heading, what }) => `${heading}: ${what}`),
      todo,
    ).toEqual([]);
    expect(cited.length).toBeGreaterThan(80);
  });
});

describe('the specification of the MCS API', () => {
  const page = readFileSync(`${root}/docs/spec/mcs-api.md`, 'utf8');
  const quoted = (row: string) => [...row.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

  it('names the reasons of Conflict (§2) in the order in which they are joined', () => {
    const [, row = ''] = /^\| ServiceExport \| `Conflict` \| ([^|]*)/m.exec(page) ?? [];
    expect(quoted(row)).toEqual(reasonsOn(api.serviceExportStatus, 'Conflict=True'));
  });

  it('names every field of the spec of a ServiceImport (§1)', () => {
    const rows = [...page.matchAll(/^\| ServiceImport ([^|]*)/gm)].flatMap(([, row = '']) => quoted(row));
    const named = rows.map((field) => field.replace(/^(?:spec)?\./, ''));
    const { schema } = api.ServiceImport;
    const fields = Object.keys(schema.properties?.['spec']?.properties ?? {});
    expect(fields.filter((field) => !named.includes(field))).toEqual([]);
    expect(fields.length).toBeGreaterThan(7);
  });
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
