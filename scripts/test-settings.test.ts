import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

const alone = `it.only('x', () => {}); it('y', () => {});`;
const recorded = `it('x', () => expect('new').toMatchFileSnapshot('record.txt'));`;

/** Runs files of tests by the settings of a suite, in a folder of their own. */
function run(config: string, files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-settings-'));
  try {
    mkdirSync(join(folder, 'scripts'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, 'scripts', name), `import { expect, it } from 'vitest';\n${text}\n`);
    }
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [vitest, 'run', '--root', folder, '--config', join(root, config), ...args],
      { encoding: 'utf8', env: { ...process.env, CI: '', ISTHMUS_TIMES: join(folder, 'times.json'), NO_COLOR: '1' } },
    );
    return { status, output: stdout + stderr, records: globSync('scripts/*.txt', { cwd: folder }) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the settings of tests', () => {
  it.each([
    ['vitest.config.ts', 'test.ts'],
    ['vitest.envtest.config.ts', 'envtest.test.ts'],
  ])('in %s fail a case that runs alone, and one whose record is not there', (config, ending) => {
    const { status, output, records } = run(config, { [`a.${ending}`]: alone, [`b.${ending}`]: recorded });
    expect(status).toBe(1);
    expect(output).toContain('Unexpected .only modifier');
    expect(output).toMatch(/Test Files +2 failed/);
    expect(records).toEqual([]);
  });

  it('let -u write a record', () => {
    expect(run('vitest.config.ts', { 'b.test.ts': recorded }, '-u')).toMatchObject({
      status: 0,
      records: ['scripts/record.txt'],
    });
  });
});
