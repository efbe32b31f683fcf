/**
 * One of the modules that may touch the world: it knows the paths of programs (url).
 */
import { fileURLToPath } from 'node:url';

/** The path of a program of this folder that runs in Pods and Nodes of a lab. */
export function packetProgram(name: 'flow-server' | 'flows-client'): string {
  return fileURLToPath(new URL(`${name}.ts`, import.meta.url));
}
