import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { LabNode } from '@isthmus/testkit';
import type { Probe, ProbeResult } from '../probes/probe.ts';
import type { ProbeOrder } from './probe-program.ts';

/** Sends probes from the network of a Node of a lab, by a program that runs there until it is disposed of. */
export function startLabProbe({ place }: LabNode): { readonly probe: Probe } & Disposable {
  const { program, args } = place.command(process.execPath, [
    fileURLToPath(new URL('probe-program.ts', import.meta.url)),
  ]);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => {});
  const waiting = new Map<number, (result: ProbeResult) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { number, result } = JSON.parse(line) as { readonly number: number; readonly result: ProbeResult };
    waiting.get(number)?.(result);
    waiting.delete(number);
  });
  child.on('exit', () => {
    for (const resolve of waiting.values()) resolve({ kind: 'impossible', why: 'the program that probes has ended' });
    waiting.clear();
  });
  let last = 0;
  return {
    probe: (target, timeoutMs) =>
      new Promise((resolve) => {
        const order: ProbeOrder = { number: ++last, target, timeoutMs };
        waiting.set(order.number, resolve);
        child.stdin.write(`${JSON.stringify(order)}\n`);
      }),
    [Symbol.dispose]: () => void child.kill(),
  };
}
