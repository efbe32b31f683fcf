import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Checkout, Stage } from './candidate.ts';
import { makeCandidate, stages } from './candidate.ts';
import type { Passed } from './passed.ts';
import { printLine, printPassed, readPassed } from './passed.ts';

const checkout: Checkout = { version: '1.2.0-rc.1', commit: 'abc123', changes: '' };
const names = stages.map(({ name }) => name);

/** A world in which a stage fails, or none. `changing`: a stage during which a file is edited. */
function world({ at = checkout, failing = '', changing = '', passed = [] as readonly Passed[] } = {}) {
  const ran: string[] = [];
  const said: string[] = [];
  const kept = [...passed];
  let ms = 0;
  let now = at;
  return {
    ran,
    said,
    kept,
    look: () => now,
    now: () => ms,
    date: () => `2026-11-27T10:00:${String(ms / 1_000).padStart(2, '0')}Z`,
    say: (line: string) => void said.push(line),
    passed: () => kept,
    keep: (one: Passed) => void kept.push(one),
    run: async ({ name }: Stage) => {
      ran.push(name);
      ms += 2_000;
      if (name === changing) now = { ...at, changes: ' M package.json\n' };
      return { code: name === failing ? 1 : 0, lastLine: `${name}: 3 checks, 0 failed` };
    },
  };
}

describe('A release candidate', () => {
  it('is built when everything has succeeded on its commit, and the build is last', async () => {
    const all = world();
    expect(await makeCandidate(all)).toBe(0);
    expect(all.ran).toEqual([...names, 'artifacts']);
    expect(all.said.at(0)).toBe('candidate 1.2.0-rc.1 of commit abc123');
    expect(all.said.at(1)).toBe('ok   checks of a release: 2 s');
  });

  it.each(names)('is not built when the stage "%s" fails', async (name) => {
    const failing = world({ failing: name });
    expect(await makeCandidate(failing)).toBe(1);
    expect(failing.ran.at(-1)).toBe(name);
    expect(failing.said.at(-1)).toContain('Nothing was built');
    expect(failing.said.at(-1)).toContain(
      'npm run candidate continues, npm run candidate -- --again runs everything again',
    );
  });

  it.each(names)('continues after a failure of the stage "%s" with this stage', async (name) => {
    const failing = world({ failing: name });
    await makeCandidate(failing);
    const second = world({ passed: failing.kept });
    expect(await makeCandidate(second)).toBe(0);
    expect(second.ran).toEqual([...names.slice(names.indexOf(name)), 'artifacts']);
    expect(second.kept.map((one) => one.name)).toEqual(names);
  });

  it('has a summary of all that passed, with the times and the results, also of earlier runs', async () => {
    const own = { name: 'npm run check', at: '2026-11-27T10:00:01Z', seconds: 1, result: 'check: clean' };
    const failing = world({ failing: 'soak: chaos', passed: [own] });
    await makeCandidate(failing);
    const second = world({ passed: failing.kept });
    await makeCandidate(second);
    const rows = second.said.filter((line) => line.startsWith('|'));
    expect(rows.slice(0, 4)).toEqual([
      '| stage | time | ended | result |',
      '|---|---|---|---|',
      '| npm run check | 1 s | 2026-11-27T10:00:01Z | check: clean |',
      '| soak: features | 2 s | 2026-11-27T10:00:04Z | soak: features: 3 checks, 0 failed |',
    ]);
    expect(rows).toHaveLength(3 + names.length - 1);
  });

  it('is not made of a checkout that was changed while a stage ran, which then does not count as passed', async () => {
    const changed = world({ changing: 'soak: chaos' });
    expect(await makeCandidate(changed)).toBe(1);
    expect(changed.said.at(-1)).toContain('the checkout was changed while npm run soak -- chaos ran');
    expect(changed.kept.map(({ name }) => name)).not.toContain('soak: chaos');
  });

  it('is not made of a checkout with changes, nor of a version that is not that of a candidate', async () => {
    const changed = world({ at: { ...checkout, changes: ' M package.json\n' } });
    expect(await makeCandidate(changed)).toBe(2);
    expect(changed.said.join('\n')).toContain('M package.json');
    const released = world({ at: { ...checkout, version: '1.2.0' } });
    expect(await makeCandidate(released)).toBe(2);
    expect([...changed.ran, ...released.ran]).toEqual([]);
  });

  it('passes every test, with real Nodes, and each part of the soak', () => {
    expect(stages.map(({ command }) => command.join(' '))).toEqual([
      '.ci/run release',
      'npm run soak -- features',
      'npm run soak -- chaos',
      'npm run soak -- losses',
      'npm run soak -- truths',
      'npm run soak -- nodes',
      'npm run soak -- servers',
      'npm run soak -- oldest',
    ]);
    const checks = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8');
    expect(checks).toContain('SWEEPS=whole npm test');
    expect(checks).toContain("check 'npm run test:envtest' npm run test:envtest\n");
  });
});

describe('The record of what passed', () => {
  const subject = { commit: 'abc123', node: 'v24.21.0' };
  const passed: readonly Passed[] = [
    { name: 'soak: chaos', at: '2026-11-27T10:00:00Z', seconds: 12, result: 'ok   chaos: 20 checks, 0 failed' },
    { name: 'soak: losses', at: '2026-11-27T10:01:00Z', seconds: 60, result: '' },
  ];

  it('is read as it was written, with lines that were added', () => {
    const text = printPassed(subject, passed.slice(0, 1)) + passed.slice(1).map(printLine).join('');
    expect(readPassed(subject, text)).toEqual(passed);
  });

  it('counts for no other commit and no other Node, nor where there is none', () => {
    const text = printPassed(subject, passed);
    expect(readPassed({ ...subject, commit: 'abc124' }, text)).toEqual([]);
    expect(readPassed({ ...subject, node: 'v25.0.0' }, text)).toEqual([]);
    expect(readPassed(subject, '')).toEqual([]);
  });

  it('has no stage whose line was cut off', () => {
    const text = printPassed(subject, passed);
    for (let length = 0; length < text.length; length++)
      expect(passed).toEqual(expect.arrayContaining([...readPassed(subject, text.slice(0, length))]));
  });
});

describe('The checks of a release', () => {
  let folder: string;
  const subject = { commit: 'abc123', node: 'v24.21.0' };
  const record = () => join(folder, 'passed');
  /** Runs .ci/run where npm only notes its arguments, and fails if they contain `failing`. */
  const check = (failing: string, env: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    writeFileSync(join(folder, 'asked'), '');
    const bin = join(folder, 'bin');
    const script = `#!/bin/sh\necho "$*$ISTHMUS_DIST$ISTHMUS_SLOWNESS$ISTHMUS_TIMES" >> ${folder}/asked\necho "   Tests  7 passed (7)"; echo; echo Duration\ncase "$*" in *"${failing || 'nothing'}"*) exit 1; esac\n`;
    writeFileSync(join(bin, 'npm'), script);
    chmodSync(join(bin, 'npm'), 0o755);
    let code = 0;
    try {
      const path = `${bin}:${process.env['PATH'] ?? ''}`;
      execFileSync(join(folder, '.ci/run'), [...args], { env: { PATH: path, ...env }, stdio: 'ignore' });
    } catch {
      code = 1;
    }
    const asked = readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n');
    return { code, asked: asked.filter((line) => line !== 'run testbed:install') };
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'isthmus-ci-'));
    mkdirSync(join(folder, 'bin'));
    cpSync(fileURLToPath(new URL('../../.ci', import.meta.url)), join(folder, '.ci'), { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('note what passed for a candidate, and continue with the stage that failed', () => {
    writeFileSync(record(), printPassed(subject, []));
    const env = { ISTHMUS_PASSED: record() };
    expect(check('envtest', env, 'release')).toEqual({
      code: 1,
      asked: ['ci', 'run check', 'test', 'run test:envtest'],
    });
    const passed = readPassed(subject, readFileSync(record(), 'utf8'));
    expect(passed).toEqual([
      { name: 'npm run check', at: expect.any(String), seconds: expect.any(Number), result: 'Tests  7 passed (7)' },
      expect.objectContaining({ name: 'npm test, all points of its sweeps' }),
    ]);
    expect(check('', env, 'release')).toEqual({ code: 0, asked: ['ci', 'run test:envtest'] });
  });

  it('run all stages and note nothing elsewhere', () => {
    expect(check('', {}, 'release')).toEqual({ code: 0, asked: ['ci', 'run check', 'test', 'run test:envtest'] });
    expect(check('run check', {}, 'release')).toEqual({ code: 1, asked: ['ci', 'run check'] });
  });

  it('do not depend on variables that are set for other runs, and are not guessed', () => {
    const env = { ISTHMUS_DIST: '/old', ISTHMUS_SLOWNESS: '9', ISTHMUS_TIMES: '/times' };
    expect(check('', env, 'release')).toEqual(check('', {}, 'release'));
    expect(check('', {}, 'relase')).toEqual({ code: 1, asked: [''] });
  });

  it('are more than those of a landing, which run a share', () => {
    const landing = ['run landing -- unit', 'run landing -- sweeps', 'run landing -- envtest'];
    expect(check('', {})).toEqual({ code: 0, asked: ['ci', 'run check', ...landing] });
    expect(check('sweeps', {})).toEqual({ code: 1, asked: ['ci', 'run check', ...landing.slice(0, 2)] });
  });
});
