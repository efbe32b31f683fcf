import { createInterface } from 'node:readline';
import { createNodeProbe, sendOrderedProbes } from '@isthmus/dataplane';
import { systemClock } from '@isthmus/kube';
import type { NamesRelay } from './names-relay.ts';
import { createNamesRelay } from './names-relay.ts';
import { readyLine } from './names.ts';

/**
 * The program in the network of a Node of a sandbox: sends the probes of its agent, and receives
 * the DNS queries of its Pods at the address that is its argument. Ends with its standard input.
 */
export async function runNodeProgram([host = '127.0.0.1']: readonly string[]): Promise<never> {
  const write = (line: string) => void process.stdout.write(line);
  const relay = createNamesRelay(write);
  await relay.listen(host, 53);
  write(`${readyLine}\n`);
  // Not before it is read: it would lose the lines until then.
  const lines = createInterface({ input: process.stdin });
  await sendOrderedProbes(aboutProbes(lines, relay), createNodeProbe(systemClock()), write);
  process.exit(0);
}

async function* aboutProbes(lines: AsyncIterable<string>, relay: NamesRelay): AsyncGenerator<string> {
  for await (const line of lines) if (!relay.take(line)) yield line;
}
