import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TarEntry } from '../release/image/tar.ts';
import { layerOf } from '../release/image/layout.ts';
import { imageArchive } from '../release/image/program-image.ts';

/** The programs that the Pods of the suite run, by the Debian package that has each. */
const programs = {
  busybox: 'busybox-static',
  dash: 'dash',
  socat: 'socat',
  'nc.openbsd': 'netcat-openbsd',
  nslookup: 'bind9-dnsutils',
} as const;

/**
 * The applets of busybox that the suite's commands call. Its shell is not among them, because it
 * replaces the suite's `nc` and `nslookup` with its own.
 */
const applets = ['awk', 'cat', 'echo', 'grep', 'sleep', 'tail', 'tr'];

/** The images that the suite names, both made of the programs above. */
const images = [
  { name: 'alpine/socat', tag: '1.7.4.4' },
  { name: 'nicolaka/netshoot', tag: 'v0.15' },
] as const;

/** The Debian packages that this machine lacks for {@link suiteImages}. */
export function missingForImages(path: string): readonly string[] {
  return Object.entries(programs).flatMap(([name, debian]) => (find(name, path) === undefined ? [debian] : []));
}

/**
 * Archives of the images that the Pods of the suite run, under the suite's names, made of programs
 * of this machine: registries may not be reachable. Errors: throws where a program of
 * {@link missingForImages} is missing.
 */
export function suiteImages(path: string): readonly { readonly file: string; readonly archive: Buffer }[] {
  const layer = layerOf(rootFiles(path));
  return images.map(({ name, tag }) => ({
    file: `${name.replace('/', '-')}.tar`,
    archive: imageArchive({ name, tag, layer, config: { Env: ['PATH=/bin'] } }),
  }));
}

/**
 * The archive of an image with the name that `kubectl run --image=busybox` asks for, made of the
 * busybox of this machine: of its commands, it has only `nslookup` and `sleep`. Undefined: this
 * machine has none.
 */
export function busyboxImage(path: string): Buffer | undefined {
  if (find('busybox', path) === undefined) return undefined;
  const layer = layerOf(filesOf(['busybox'], ['nslookup', 'sleep'], path));
  return imageArchive({ name: 'library/busybox', tag: 'latest', layer, config: { Env: ['PATH=/bin'] } });
}

/** The files in the images of the suite. */
const rootFiles = (path: string): readonly TarEntry[] => [
  ...filesOf(Object.keys(programs), applets, path),
  { kind: 'link' as const, path: 'bin/sh', target: 'dash' },
  { kind: 'link' as const, path: 'bin/nc', target: 'nc.openbsd' },
];

/**
 * Programs in `/bin`, with commands of busybox, and what they load where the loader looks for it.
 */
function filesOf(names: readonly string[], commands: readonly string[], path: string): readonly TarEntry[] {
  const found = names.map((name) => {
    const file = find(name, path);
    if (file === undefined) throw new Error(`making an image: ${name} is not in PATH`);
    return { name, file };
  });
  const libraries = new Set(found.flatMap(({ file }) => librariesOf(file)));
  const folders = new Set([...libraries].flatMap((library) => parentsOf(library)));
  return [
    ...[...new Set(['bin', 'tmp', ...folders])]
      .toSorted()
      .map((folder) => ({ kind: 'folder' as const, path: folder, mode: folder === 'tmp' ? 0o1777 : 0o755 })),
    ...found.map(({ name, file }) => fileEntry(`bin/${name}`, file)),
    ...commands.map((applet) => ({ kind: 'link' as const, path: `bin/${applet}`, target: 'busybox' })),
    ...[...libraries].map((library) => fileEntry(library.slice(1), library)),
  ];
}

const fileEntry = (path: string, from: string): TarEntry => ({
  kind: 'file',
  path,
  mode: 0o755,
  data: readFileSync(realpathSync(from)),
});

/** The libraries that `ldd` lists; none for a static program. */
function librariesOf(file: string): readonly string[] {
  try {
    const listed = execFileSync('ldd', [file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return [...listed.matchAll(/(?:^|=>)\s*(\/\S+)\s+\(/gm)].map(([, library]) => String(library));
  } catch {
    return [];
  }
}

const parentsOf = (path: string): readonly string[] => {
  const parts = path.split('/').slice(1, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
};

function find(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}
