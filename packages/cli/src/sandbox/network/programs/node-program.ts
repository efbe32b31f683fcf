/**
 * What runs in the network of a Node of a sandbox: sends the probes of its agent, each a line of JSON, and writes a line with the number and the result of
 * each. Ends with its standard input.
 */
import { createInterface } from 'node:readline';
import { createTcpProbe } from '@isthmus/dataplane';
import type { ProbeTarget } from '@isthmus/dataplane';
import { systemClock } from '@isthmus/kube';

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
