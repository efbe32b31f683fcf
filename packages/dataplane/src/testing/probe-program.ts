/**
 * A program in a Node of a lab that sends the probes in its lines of input. Ends with its standard
 * input.
 */
import { createInterface } from 'node:readline';
import { systemClock } from '@isthmus/kube';
import { sendOrderedProbes } from '../probes/probes-elsewhere.ts';
import { createNodeProbe } from '../probes/node-probe.ts';

const lines = createInterface({ input: process.stdin });
await sendOrderedProbes(lines, createNodeProbe(systemClock()), (line) => process.stdout.write(line));
process.exit(0);
