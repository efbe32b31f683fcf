import { toolOutput } from '../kernel/tool-output.ts';
import type { RunProgram } from '../kernel/write-network.ts';

/**
 * How many connections this Node has refused since it was started because its table of connections
 * was full. Errors: throws if `conntrack` cannot be run, or fails.
 */
export async function readRefusedConnections(run: RunProgram): Promise<number> {
  const text = await toolOutput(run, 'read the connection tracking table', 'conntrack', ['-S']);
  return [...text.matchAll(/(?:^|\s)drop=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
}
