/** Of the modules that may touch the world: it knows where programs are (url). */
import { fileURLToPath } from 'node:url';

/** The path of a program of this folder that runs in Pods and Nodes of a lab. */
export function packetProgram(name: 'echo-server' | 'flow-server' | 'flows-client' | 'probe-client'): string {
  return fileURLToPath(new URL(`${name}.ts`, import.meta.url));
}
