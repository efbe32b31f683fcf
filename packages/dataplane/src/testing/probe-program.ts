/**
 * A program in a Node of a lab: sends the probes that it reads, each a line of JSON, and writes a line with the number and the result of each. Ends with its
 * standard input.
 */
import { createInterface } from 'node:readline';
import { systemClock } from '@isthmus/kube';
import type { ProbeTarget } from '../probes/probe.ts';
import { createTcpProbe } from '../probes/tcp-probe.ts';

export interface ProbeOrder {
  readonly number: number;
  readonly target: ProbeTarget;
  readonly timeoutMs: number;
}

const probe = createTcpProbe(systemClock());
for await (const line of createInterface({ input: process.stdin })) {
  const { number, target, timeoutMs } = JSON.parse(line) as ProbeOrder;
  void probe(target, timeoutMs).then((result) => process.stdout.write(`${JSON.stringify({ number, result })}\n`));
}
process.exit(0);
