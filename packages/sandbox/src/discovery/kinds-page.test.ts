import { readFileSync } from 'node:fs';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { admin } from '../authentication/authenticator.ts';
import { createSandbox } from '../sandbox.ts';
import { aggregatedType } from './aggregated.ts';

const page = readFileSync(new URL('../../../../docs/sandbox/kinds.md', import.meta.url), 'utf8');

interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly { readonly resource: string }[];
    }[];
  }[];
}

async function discovered(path: string): Promise<readonly string[]> {
  const sandbox = createSandbox({ name: 'page', clock: createVirtualClock({ startMs: 0 }) });
  const answer = await sandbox.answer(
    { method: 'GET', path, headers: { accept: aggregatedType } },
    { kind: 'user', user: admin },
  );
  const { items } = JSON.parse(answer.body as string) as Discovery;
  return items.flatMap(({ metadata: { name = '' }, versions }) =>
    versions.flatMap(({ resources }) =>
      resources.map(({ resource }) => (name === '' ? resource : `${resource}.${name}`)),
    ),
  );
}

describe('the page of the kinds', () => {
  it('names every kind that is served, and no other', async () => {
    const served = new Set([...(await discovered('/api')), ...(await discovered('/apis'))]);
    const named = [...page.matchAll(/`([a-z]+(?:\.[a-z0-9.]+)?)`/g)].map(([, name = '']) => name);
    expect([...new Set(named)].toSorted()).toEqual([...served].toSorted());
  });
});
