import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { TarEntry } from './tar.ts';
import { readTar, writeTar } from './tar.ts';

const entries: readonly TarEntry[] = [
  { kind: 'folder', path: 'tmp', mode: 0o1777 },
  { kind: 'file', path: 'usr/bin/a', mode: 0o755, data: Buffer.from('x'.repeat(700)) },
  { kind: 'file', path: 'etc/empty', mode: 0o644, data: Buffer.alloc(0) },
  { kind: 'link', path: 'lib64/ld.so', target: '../lib/ld.so' },
];

describe('a tar archive', () => {
  it('is read back as it was written', () => {
    expect(readTar(writeTar(entries))).toEqual(entries);
  });

  it('is read by the tar of the system, with modes and links, of root and without an age', () => {
    const listed = execFileSync('tar', ['--numeric-owner', '--utc', '-tvf', '-'], { input: writeTar(entries) })
      .toString()
      .replaceAll(/ +/g, ' ');
    expect(listed.trim().split('\n')).toEqual([
      'drwxrwxrwt 0/0 0 1970-01-01 00:00 tmp/',
      '-rwxr-xr-x 0/0 700 1970-01-01 00:00 usr/bin/a',
      '-rw-r--r-- 0/0 0 1970-01-01 00:00 etc/empty',
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00 lib64/ld.so -> ../lib/ld.so',
    ]);
  });

  it("is read with GNU's long names, as packages of Debian have them", () => {
    const long = `usr/share/${'a'.repeat(120)}/copyright`;
    const packed = execFileSync('tar', ['--format=gnu', '--transform', `s,.*,./${long},`, '-cf', '-', 'package.json'], {
      cwd: new URL('../../..', import.meta.url),
    });
    expect(readTar(packed).map(({ kind, path }) => [kind, path])).toEqual([['file', long]]);
  });

  it('is not written with a path that the format cuts', () => {
    expect(() => writeTar([{ kind: 'folder', path: 'a'.repeat(100), mode: 0o755 }])).toThrow('more than 100 bytes');
  });
});
