import { posix } from 'node:path';
import { readLinked } from './elf.ts';
import type { TarEntry } from './tar.ts';

/** A package of Debian, opened. */
export interface OpenedPackage {
  readonly name: string;
  /** Its control data, by which scanners know it. */
  readonly control: string;
  readonly files: readonly TarEntry[];
}

export interface RootParts {
  /** The program `node`. */
  readonly node: Buffer;
  readonly nodeLicence: Buffer;
  readonly packages: readonly OpenedPackage[];
  /** The packages that the image of the agent has as well. */
  readonly tools: readonly OpenedPackage[];
  /** The packages of a later Debian, with a later `nft` and everything that it is linked with. */
  readonly laterNft: readonly OpenedPackage[];
}

/** The user of the image, as in the manifests: no account of a Node has this number. */
export const user = 65_532;

/**
 * The files below the program: Node, the libraries that it is linked with, found by name in the
 * packages, the roots of public certificates, and what scanners and lawyers look for. No shell, no
 * package manager. Errors: throws where no package has a library that is asked for.
 */
export function rootFiles({ node, nodeLicence, packages }: RootParts): readonly TarEntry[] {
  const offered = filesIn(packages);
  return [
    { kind: 'file', path: 'usr/bin/node', mode: 0o755, data: node },
    ...linkedFiles(node, offered),
    text('etc/passwd', ['root:x:0:0:root:/:/sbin/nologin', `isthmus:x:${user}:${user}:isthmus:/:/sbin/nologin`]),
    text('etc/group', ['root:x:0:', `isthmus:x:${user}:`]),
    text('etc/nsswitch.conf', ['hosts: files dns']),
    text('etc/os-release', ['ID=debian', 'VERSION_ID="12"', 'PRETTY_NAME="Isthmus on libraries of Debian 12"']),
    certificates([...offered.values()]),
    { kind: 'file', path: 'usr/share/doc/node/LICENSE', mode: 0o644, data: nodeLicence },
    ...packages.flatMap((one) => listed(one, offered)),
  ];
}

/**
 * The files that the image of the agent has in addition: programs of its packages, by their names,
 * with the libraries that are not below. Programs are in `/usr/bin`, wherever Debian has them.
 * Errors: throws if no package has a program, or a library of it.
 */
export function toolFiles(parts: RootParts, programs: readonly string[]): readonly TarEntry[] {
  const offered = filesIn([...parts.packages, ...parts.tools]);
  const below = new Set(rootFiles(parts).map(({ path }) => path));
  const found = programs.flatMap((name): readonly TarEntry[] => {
    const program = programIn(offered, name);
    return [{ ...program, path: `usr/bin/${name}` }, ...linkedFiles(Buffer.from(program.data), offered)];
  });
  const all = [...found, ...parts.tools.flatMap((one) => listed(one, offered))];
  return all.filter(({ path }) => !below.has(path));
}

/**
 * A later `nft` with its libraries and its dynamic linker (`ld.so`), in a folder of its own, apart
 * from earlier files of the same names. Also the records of its packages, under names that contain
 * the release. Errors: those of {@link toolFiles}.
 */
export function laterNftFiles({ laterNft }: Pick<RootParts, 'laterNft'>, folder: string): readonly TarEntry[] {
  const offered = filesIn(laterNft);
  const program = programIn(offered, 'nft');
  const linked = linkedFiles(Buffer.from(program.data), offered).map((entry): TarEntry => {
    const path = posix.join(folder, posix.basename(entry.path));
    return entry.kind === 'link' ? { ...entry, path, target: posix.basename(entry.target) } : { ...entry, path };
  });
  const linker = readLinked(Buffer.from(program.data))?.interpreter ?? '';
  return [
    { ...program, path: posix.join(folder, 'nft') },
    ...linked,
    { kind: 'link', path: posix.join(folder, 'ld.so'), target: posix.basename(linker) },
    ...laterNft.flatMap((one) => listed(one, offered, `${one.name}-debian13`)),
  ];
}

function programIn(offered: ReadonlyMap<string, TarEntry>, name: string): TarEntry & { readonly kind: 'file' } {
  const program = [...offered.values()].find(
    (one) => one.kind === 'file' && /(?:^|\/)s?bin\/[^/]+$/.test(one.path) && posix.basename(one.path) === name,
  );
  if (program?.kind !== 'file') throw new Error(`no package of the image has the program ${name}`);
  return program;
}

const filesIn = (packages: readonly OpenedPackage[]): ReadonlyMap<string, TarEntry> =>
  new Map(packages.flatMap(({ files }) => files.map((one) => [one.path, one] as const)));

function text(path: string, lines: readonly string[]): TarEntry {
  return { kind: 'file', path, mode: 0o644, data: Buffer.from(`${lines.join('\n')}\n`) };
}

/** The files that scanners and lawyers look for. */
function listed(
  { name, control }: OpenedPackage,
  offered: ReadonlyMap<string, TarEntry>,
  as = name,
): readonly TarEntry[] {
  const copyright = { ...copyrightOf(name, offered), path: `usr/share/doc/${as}/copyright` };
  return [text(`var/lib/dpkg/status.d/${as}`, [control.trim()]), copyright];
}

/** Adds the folders of the paths, and sorts: a layer begins with the folder of a file. */
export function inFolders(entries: readonly TarEntry[]): readonly TarEntry[] {
  const known = new Map(entries.map((one) => [one.path, one]));
  for (const { path } of entries)
    for (let at = posix.dirname(path); at !== '.'; at = posix.dirname(at))
      if (!known.has(at)) known.set(at, { kind: 'folder', path: at, mode: 0o755 });
  return [...known.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * The files that `program` needs to start: its libraries, their libraries, the dynamic linker, and
 * the links by which each is found.
 */
function linkedFiles(program: Buffer, offered: ReadonlyMap<string, TarEntry>): readonly TarEntry[] {
  const found = new Map<string, TarEntry>();
  const wanted = [program];
  const named = new Set<string>();
  for (let bytes = wanted.pop(); bytes !== undefined; bytes = wanted.pop()) {
    const linked = readLinked(bytes);
    const names = [...(linked?.libraries ?? []), ...(linked?.interpreter === undefined ? [] : [linked.interpreter])];
    for (const name of names.filter((one) => !named.has(one))) {
      named.add(name);
      for (const entry of withTarget(name, offered)) {
        found.set(entry.path, entry);
        if (entry.kind === 'file') wanted.push(Buffer.from(entry.data));
      }
    }
  }
  return [...found.values()];
}

/**
 * A library by its name, or a file by its absolute path, which packages of Debian 13 have below
 * `/usr`: the entry, and the file at the end of its links.
 */
function withTarget(name: string, offered: ReadonlyMap<string, TarEntry>): readonly TarEntry[] {
  const isIt = (path: string) =>
    name.startsWith('/') ? [name, `/usr${name}`].includes(`/${path}`) : posix.basename(path) === name;
  const entry = [...offered.values()].find(({ kind, path }) => kind !== 'folder' && isIt(path));
  if (entry === undefined) throw new Error(`no package of the image has ${name}, which a file of it is linked with`);
  if (entry.kind !== 'link') return [entry];
  return [entry, ...withTarget(posix.resolve('/', posix.dirname(entry.path), entry.target), offered)];
}

/** All certificates as one file, as `update-ca-certificates` writes it. */
function certificates(offered: readonly TarEntry[]): TarEntry {
  const files = offered.filter(
    (one): one is TarEntry & { kind: 'file' } =>
      one.kind === 'file' && /^usr\/share\/ca-certificates\/.*\.crt$/.test(one.path),
  );
  if (files.length === 0) throw new Error('no package of the image has certificates');
  const data = Buffer.concat(
    files
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map((one) => Buffer.from(`${Buffer.from(one.data).toString('latin1').trim()}\n`)),
  );
  return { kind: 'file', path: 'etc/ssl/certs/ca-certificates.crt', mode: 0o644, data };
}

/** Some packages have a link to the folder of another. */
function copyrightOf(name: string, offered: ReadonlyMap<string, TarEntry>): TarEntry {
  const folder = offered.get(`usr/share/doc/${name}`);
  const at = folder?.kind === 'link' ? posix.join('usr/share/doc', folder.target) : `usr/share/doc/${name}`;
  const file = offered.get(`${at}/copyright`);
  if (file?.kind !== 'file') throw new Error(`no package of the image has the copyright of ${name}`);
  return file;
}
