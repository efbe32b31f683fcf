/** What runs in the network of a Node of a sandbox: sends the probes of its agent. Ends with its standard input. */
import { createInterface } from 'node:readline';
import { createTcpProbe, sendOrderedProbes } from '@isthmus/dataplane';
import { systemClock } from '@isthmus/kube';

const lines = createInterface({ input: process.stdin });
await sendOrderedProbes(lines, createTcpProbe(systemClock()), (line) => process.stdout.write(line));
process.exit(0);
