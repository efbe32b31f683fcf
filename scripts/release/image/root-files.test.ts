import { describe, expect, it } from 'vitest';
import { programLayer, systemLayer } from './controller-image.ts';
import { readLinked } from './elf.ts';
import { madeUpProgram } from './testing/made-up-program.ts';
import { laterNftFiles, toolFiles } from './root-files.ts';
import type { OpenedPackage, RootParts } from './root-files.ts';
import type { TarEntry } from './tar.ts';

const file = (path: string, data: string | Buffer): TarEntry => ({
  kind: 'file',
  path,
  mode: 0o644,
  data: Buffer.from(data),
});
const opened = (name: string, files: readonly TarEntry[]): OpenedPackage => ({
  name,
  control: `Package: ${name}\n`,
  files: [file(`usr/share/doc/${name}/copyright`, `of ${name}`), file(`usr/bin/${name}`, '#!/bin/sh\n'), ...files],
});
const parts: RootParts = {
  node: madeUpProgram(0x40_0000, ['libstdc++.so.6'], '/lib64/ld.so'),
  nodeLicence: Buffer.from('licence'),
  tools: [
    opened('tools', [
      file('sbin/tool', madeUpProgram(0x40_0000, ['libtool.so.1', 'libc.so.6'], '/lib64/ld.so')),
      file('lib/libtool.so.1', madeUpProgram(0, ['libc.so.6'])),
      file('sbin/other-tool', madeUpProgram(0x40_0000, [])),
    ]),
  ],
  laterNft: [
    opened('nftables', [
      { kind: 'link', path: 'usr/lib/libnftables.so.1', target: '/usr/lib/libnftables.so.1.1.0' },
      file('usr/lib/libnftables.so.1.1.0', madeUpProgram(0, ['libc.so.6'])),
      file('usr/lib/libc.so.6', madeUpProgram(0, [])),
      file('usr/lib/libother.so.1', madeUpProgram(0, [])),
      file('usr/lib64/ld-linux.so.2', madeUpProgram(0, [])),
      file('usr/sbin/nft', madeUpProgram(0x40_0000, ['libnftables.so.1'], '/lib64/ld-linux.so.2')),
    ]),
  ],
  packages: [
    opened('libc6', [
      file('lib/libc.so.6', madeUpProgram(0, [], '/lib64/ld.so')),
      file('lib/libunused.so.1', madeUpProgram(0, [])),
      { kind: 'link', path: 'lib64/ld.so', target: '/lib/ld-2.36.so' },
      file('lib/ld-2.36.so', madeUpProgram(0, [])),
    ]),
    opened('ca-certificates', [
      file('usr/share/ca-certificates/mozilla/b.crt', 'B\n'),
      file('usr/share/ca-certificates/mozilla/a.crt', 'A\n\n'),
    ]),
    {
      name: 'libstdc++6',
      control: 'Package: libstdc++6\n',
      files: [
        { kind: 'link', path: 'usr/share/doc/libstdc++6', target: 'libc6' },
        { kind: 'link', path: 'usr/lib/libstdc++.so.6', target: 'libstdc++.so.6.0.30' },
        file('usr/lib/libstdc++.so.6.0.30', madeUpProgram(0, ['libc.so.6'])),
      ],
    },
  ],
};
const { entries } = systemLayer('amd64', parts);
const at = (path: string) => entries.find((one) => one.path === path);
const textOf = (path: string) => {
  const found = at(path);
  return found?.kind === 'file' ? Buffer.from(found.data).toString() : undefined;
};

describe('the files below the program', () => {
  it('have each library that one of them is linked with, by its name and at the end of its links, and no other', () => {
    const paths = entries.map(({ path }) => path);
    for (const path of ['lib/libc.so.6', 'lib64/ld.so', 'lib/ld-2.36.so', 'usr/lib/libstdc++.so.6.0.30'])
      expect(paths).toContain(path);
    expect(paths).not.toContain('lib/libunused.so.1');
    expect(at('usr/lib/libstdc++.so.6')).toMatchObject({ kind: 'link', target: 'libstdc++.so.6.0.30' });
    const needed = entries.flatMap((one) => (one.kind === 'file' ? readLinked(Buffer.from(one.data))?.libraries : []));
    expect(needed).toEqual(expect.arrayContaining(['libstdc++.so.6', 'libc.so.6']));
  });

  it('have no program but Node, so that no shell can run', () => {
    expect(entries.map(({ path }) => path).filter((path) => /bin\//.test(path))).toEqual(['usr/bin/node']);
  });

  it('have all certificates as one file, a user without rights, and a folder that any user can write to', () => {
    expect(textOf('etc/ssl/certs/ca-certificates.crt')).toBe('A\nB\n');
    expect(textOf('etc/passwd')).toContain('isthmus:x:65532:65532:');
    expect(at('tmp')).toMatchObject({ mode: 0o1777 });
  });

  it('have the copyright of each package, also where it is that of another, and its data for scanners', () => {
    expect(textOf('usr/share/doc/libstdc++6/copyright')).toBe('of libc6');
    expect(textOf('usr/share/doc/ca-certificates/copyright')).toBe('of ca-certificates');
    expect(textOf('usr/share/doc/node/LICENSE')).toBe('licence');
    expect(textOf('var/lib/dpkg/status.d/libstdc++6')).toBe('Package: libstdc++6\n');
  });

  it('begin with the folder of each file', () => {
    const seen = new Set(['.']);
    for (const { kind, path } of entries) {
      expect(seen).toContain(path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.');
      if (kind === 'folder') seen.add(path);
    }
  });

  it.each([
    ['a library', 'libstdc++6', 'no package of the image has libstdc++.so.6, which a file of it is linked with'],
    ['certificates', 'ca-certificates', 'no package of the image has certificates'],
  ])('are not made without %s', (_, absent, message) => {
    const packages = parts.packages.filter(({ name }) => name !== absent);
    expect(() => systemLayer('amd64', { ...parts, packages })).toThrow(message);
  });

  it('are not made of a package without its copyright', () => {
    const packages = [...parts.packages, { name: 'bare', control: '', files: [] }];
    expect(() => systemLayer('amd64', { ...parts, packages })).toThrow(
      'no package of the image has the copyright of bare',
    );
  });
});

describe('the program in the image', () => {
  it('is run by the Node of the image, under the name that the manifests have', () => {
    const layer = programLayer(
      [
        { name: 'isthmus.mjs', data: Buffer.from('#!/usr/bin/env node\nimport "./part.mjs"\n') },
        { name: 'part.mjs', data: Buffer.from('1\n') },
      ],
      'isthmus.mjs',
    );
    const program = layer.entries.find(({ path }) => path === 'usr/lib/isthmus/isthmus.mjs');
    expect(program).toMatchObject({ mode: 0o755, data: Buffer.from('#!/usr/bin/node\nimport "./part.mjs"\n') });
    expect(layer.entries).toContainEqual({
      kind: 'link',
      path: 'usr/bin/isthmus',
      target: '../lib/isthmus/isthmus.mjs',
    });
  });
});

describe('the tools of the agent', () => {
  it('are in /usr/bin, with the libraries that are not below, and what Debian has about their packages', () => {
    expect(toolFiles(parts, ['tool']).map(({ path }) => path)).toEqual([
      'usr/bin/tool',
      'lib/libtool.so.1',
      'var/lib/dpkg/status.d/tools',
      'usr/share/doc/tools/copyright',
    ]);
  });

  it('are rejected where no package has one', () => {
    expect(() => toolFiles(parts, ['missing'])).toThrow('no package of the image has the program missing');
  });
});

it('a later nft of the agent has all that it needs in its folder, with a linker by one name for every architecture', () => {
  const files = laterNftFiles(parts, 'usr/lib/later-nft');
  expect(files.map(({ path }) => path).toSorted()).toEqual([
    'usr/lib/later-nft/ld-linux.so.2',
    'usr/lib/later-nft/ld.so',
    'usr/lib/later-nft/libc.so.6',
    'usr/lib/later-nft/libnftables.so.1',
    'usr/lib/later-nft/libnftables.so.1.1.0',
    'usr/lib/later-nft/nft',
    'usr/share/doc/nftables-debian13/copyright',
    'var/lib/dpkg/status.d/nftables-debian13',
  ]);
  const link = (name: string, target: string) => ({ kind: 'link', path: `usr/lib/later-nft/${name}`, target });
  expect(files).toContainEqual(link('libnftables.so.1', 'libnftables.so.1.1.0'));
  expect(files).toContainEqual(link('ld.so', 'ld-linux.so.2'));
});
