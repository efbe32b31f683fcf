/**
 * One of the modules that may touch the world: it looks up the paths of programs (by
 * apiserver/find-binaries.ts).
 */
import { locateBinaries } from '../apiserver/find-binaries.ts';
import type { Environment } from '../apiserver/find-binaries.ts';

/** The programs of a Node beside containerd, and those in Pods of tests: built from Go modules. */
export const nodeProgramNames = ['kubelet', 'kube-proxy', 'kube-scheduler', 'pause', 'agnhost', 'packets'] as const;
export type NodeProgramName = (typeof nodeProgramNames)[number];

/** The images that every Node has from the start, as archives beside the programs. */
export const nodeImageNames = ['pause', 'agnhost', 'packets'] as const;

/** A program or an archive of an image, and its path, which may not exist before it is built. */
export interface NodeProgram {
  readonly name: NodeProgramName | `${(typeof nodeImageNames)[number]}.tar`;
  readonly path: string;
}

/** Everything that `npm run testbed:install` builds, beside the programs of API servers. */
export function locateNodePrograms(environment: Environment): readonly NodeProgram[] {
  const { cache } = locateBinaries(environment);
  return [
    ...nodeProgramNames.map((name) => ({ name, path: `${cache}/${name}` })),
    ...nodeImageNames.map((image) => ({ name: `${image}.tar` as const, path: `${cache}/${image}.tar` })),
  ];
}

/** The path of one program. */
export function nodeProgram(name: NodeProgram['name'], environment: Environment): string {
  const found = locateNodePrograms(environment).find((program) => program.name === name);
  if (found === undefined) throw new Error(`looking for ${name}: it is not a program of nodes`);
  return found.path;
}
