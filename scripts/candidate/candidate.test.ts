import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Checkout, Stage } from './candidate.ts';
import { makeCandidate, stages } from './candidate.ts';

const checkout: Checkout = { version: '1.2.0-rc.1', commit: 'abc123', changes: '' };

/** A world in which a stage fails, or none. */
function world(failing?: string) {
  const ran: string[] = [];
  const said: string[] = [];
  let ms = 0;
  return {
    ran,
    said,
    now: () => ms,
    say: (line: string) => void said.push(line),
    run: async ({ name }: Stage) => {
      ran.push(name);
      ms += 2_000;
      return name === failing ? 1 : 0;
    },
  };
}

describe('A release candidate', () => {
  it('is built when everything has succeeded on its commit, and the build is last', async () => {
    const all = world();
    expect(await makeCandidate(checkout, all)).toBe(0);
    expect(all.ran).toEqual([...stages.map(({ name }) => name), 'artifacts']);
    expect(all.said.at(0)).toBe('candidate 1.2.0-rc.1 of commit abc123');
    expect(all.said.at(1)).toBe('ok   checks of each commit: 2 s');
  });

  it.each(stages.map(({ name }) => name))('is not built when the stage "%s" fails', async (name) => {
    const failing = world(name);
    expect(await makeCandidate(checkout, failing)).toBe(1);
    expect(failing.ran.at(-1)).toBe(name);
    expect(failing.said.at(-1)).toContain('Nothing was built');
  });

  it('is not made of a checkout with changes, nor of a version that is not that of a candidate', async () => {
    const changed = world();
    expect(await makeCandidate({ ...checkout, changes: ' M package.json\n' }, changed)).toBe(2);
    expect(changed.said.join('\n')).toContain('M package.json');
    const released = world();
    expect(await makeCandidate({ ...checkout, version: '1.2.0' }, released)).toBe(2);
    expect([...changed.ran, ...released.ran]).toEqual([]);
  });

  it('passes the checks of each commit, with real Nodes, and the soak', () => {
    expect(stages.map(({ command }) => command.join(' '))).toEqual(['.ci/run', 'npm run soak']);
    const checks = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8');
    expect(checks).toContain('SWEEPS=whole npm test');
    expect(checks).toContain("stage 'npm run test:envtest' npm run test:envtest\n");
  });
});
