import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { LabNode } from '@isthmus/testkit';
import { directPort } from '../desired/devices.ts';
import type { DirectPeer, DirectSocket } from '../probes/direct-probe.ts';

/**
 * A socket on the port for questions of a Node of a lab. A program that runs there until it is
 * disposed of provides it.
 */
export function openLabDirect({ place }: LabNode): { readonly socket: DirectSocket } & Disposable {
  const path = fileURLToPath(new URL('direct-program.ts', import.meta.url));
  const { program, args } = place.command(process.execPath, [path, String(directPort)]);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => {});
  const listeners = new Set<(text: string, from: DirectPeer) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [text, from] = JSON.parse(line) as readonly [string, DirectPeer];
    for (const listener of listeners) listener(text, from);
  });
  const socket: DirectSocket = {
    async send(text, to) {
      child.stdin.write(`${JSON.stringify([text, to])}\n`);
    },
    onMessage(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return { socket, [Symbol.dispose]: () => void child.kill() };
}
