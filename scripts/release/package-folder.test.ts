import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packInto } from './package-folder.ts';

describe('the archive of an npm package', () => {
  it('has the same bytes whatever the builder allows others to read', async () => {
    const home = mkdtempSync(join(tmpdir(), 'isthmus-pack-'));
    try {
      const archive = async (name: string, mode: number) => {
        const folder = join(home, name);
        mkdirSync(join(folder, 'parts'), { recursive: true });
        const files = {
          'package.json': '{"name":"a","version":"1.0.0","bin":"a.mjs"}',
          'parts/b.mjs': '',
          'a.mjs': '',
        };
        for (const [path, text] of Object.entries(files)) {
          writeFileSync(join(folder, path), text);
          chmodSync(join(folder, path), path === 'a.mjs' ? mode | 0o100 : mode);
        }
        chmodSync(join(folder, 'parts'), mode | 0o100);
        const out = join(home, `${name}-out`);
        mkdirSync(out);
        return readFileSync(join(out, await packInto(out, folder)));
      };
      const usual = await archive('usual', 0o644);
      expect(usual.equals(await archive('private', 0o600))).toBe(true);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
