import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takesTurn } from '../tools/turn.ts';

describe('the turn of one process at a time', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'isthmus-turn-'));
    file = join(folder, 'turn');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is kept while the process runs, however long that takes', () => {
    expect(takesTurn(file)).toBe(true);
    utimesSync(file, 0, 0);
    expect([takesTurn(file), takesTurn(file), existsSync(file)]).toEqual([false, false, true]);
    rmSync(file);
    expect(takesTurn(file)).toBe(true);
  });

  it('is free again when the process that had it was killed', () => {
    const { pid } = spawnSync(process.execPath, ['--eval', '']);
    writeFileSync(file, String(pid));
    expect([takesTurn(file), takesTurn(file)]).toEqual([false, true]);
  });

  it('does not wait where the file cannot be made', () => {
    expect(() => takesTurn(join(folder, 'none', 'turn'))).toThrow(/ENOENT/);
  });
});
