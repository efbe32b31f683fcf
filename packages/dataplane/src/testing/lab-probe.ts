import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { LabNode } from '@isthmus/testkit';
import type { Probe } from '../probes/probe.ts';
import { probesElsewhere } from '../probes/probes-elsewhere.ts';

/**
 * Sends probes from the network of a Node of a lab, by a program that runs there until it is
 * disposed of.
 */
export function startLabProbe({ place }: LabNode): { readonly probe: Probe } & Disposable {
  const { program, args } = place.command(process.execPath, [
    fileURLToPath(new URL('probe-program.ts', import.meta.url)),
  ]);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => {});
  const { probe, answer, end } = probesElsewhere((line) => child.stdin.write(line));
  createInterface({ input: child.stdout }).on('line', answer);
  child.on('exit', end);
  return { probe, [Symbol.dispose]: () => void child.kill() };
}
