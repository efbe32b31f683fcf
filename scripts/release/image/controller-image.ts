import { laterNftFolder } from '@isthmus/dataplane';
import type { Architecture } from './pins.ts';
import type { RootParts } from './root-files.ts';
import { inFolders, laterNftFiles, rootFiles, toolFiles, user } from './root-files.ts';
import type { TarEntry } from './tar.ts';

/**
 * How a container of the image starts, as the OCI image specification names it.
 * deploy/image/Dockerfile repeats it.
 */
export const containerConfig = {
  User: `${user}:${user}`,
  Env: ['PATH=/usr/bin', 'NODE_ENV=production'],
  Entrypoint: ['isthmus'],
  WorkingDir: '/',
} as const;

/** The agent's container starts as root, because only root keeps a capability of a container. */
export const agentContainerConfig = { ...containerConfig, User: '0:0' } as const;

/**
 * The programs of the agent; `wireguard-go` runs in a Pod of its own, where the kernel has no
 * WireGuard (docs/adr/0021-encryption.md).
 */
const agentPrograms = ['bridge', 'conntrack', 'ip', 'nft', 'wg', 'wireguard-go'];

/** A layer with its name in the context of the Dockerfile. */
export interface NamedLayer {
  readonly name: string;
  readonly entries: readonly TarEntry[];
}

/** A file of the npm package. */
export interface ProgramFile {
  readonly name: string;
  readonly data: Buffer;
}

/** The files below the program: a layer that changes with the pins only. */
export function systemLayer(architecture: Architecture, parts: RootParts): NamedLayer {
  const writable: TarEntry = { kind: 'folder', path: 'tmp', mode: 0o1777 };
  return { name: `system-${architecture}.tar.gz`, entries: inFolders([...rootFiles(parts), writable]) };
}

/**
 * The programs of the agent: a layer between the two of the controllers, which changes with the
 * pins only.
 */
export function toolsLayer(architecture: Architecture, parts: RootParts): NamedLayer {
  const files = [...toolFiles(parts, agentPrograms), ...laterNftFiles(parts, laterNftFolder.slice(1))];
  return { name: `tools-${architecture}.tar.gz`, entries: inFolders(files) };
}

/** The program, the same for every architecture. `entry`: the file that is run. */
export function programLayer(files: readonly ProgramFile[], entry: string): NamedLayer {
  const folder = 'usr/lib/isthmus';
  const entries = files.map(({ name, data }): TarEntry => {
    if (name !== entry) return { kind: 'file', path: `${folder}/${name}`, mode: 0o644, data };
    // The npm package looks for Node in PATH with `env`, which the image lacks.
    const text = data.toString().replace(/^#!.*\n/, '');
    return { kind: 'file', path: `${folder}/${name}`, mode: 0o755, data: Buffer.from(`#!/usr/bin/node\n${text}`) };
  });
  const link: TarEntry = { kind: 'link', path: 'usr/bin/isthmus', target: `../lib/isthmus/${entry}` };
  return { name: 'program.tar.gz', entries: inFolders([...entries, link]) };
}
