import { addressText, parseAddress } from '@isthmus/machinery';
import type { GoneEndpoint } from '../desired/gone-endpoints.ts';
import { families } from '../desired/own-node.ts';
import { toolOutput } from './tool-output.ts';
import type { RunProgram } from './write-network.ts';

/**
 * Makes the kernel forget flows of UDP to endpoints that are gone, so that their next packet gets another one. Flows are read first: most endpoints have none on a Node. Errors: throws where
 * `conntrack` cannot be run, or fails.
 */
export async function forgetFlows(gone: readonly GoneEndpoint[], run: RunProgram): Promise<void> {
  for (const family of families) {
    const own = new Map(gone.filter(({ service }) => service.family === family).map((one) => [keyOf(one), one]));
    if (own.size === 0) continue;
    const of = ['-f', family.toLowerCase(), '-p', 'udp'];
    const listed = await toolOutput(run, 'read flows of UDP', 'conntrack', ['-L', ...of, '--dst-nat']);
    const found = new Set(listed.split('\n').map(keyOfFlow));
    for (const [key, { service, port, endpoint }] of own) {
      if (!found.has(key)) continue;
      const ends = ['--orig-dst', addressText(service), '--orig-port-dst', String(port)];
      const to = ['--reply-src', addressText(endpoint.address), '--reply-port-src', String(endpoint.port)];
      // It also fails where the flow has ended meanwhile.
      await run('conntrack', ['-D', ...of, ...ends, ...to], '');
    }
  }
}

const keyOf = ({ service, port, endpoint }: GoneEndpoint) =>
  `${addressText(service)} ${port} ${addressText(endpoint.address)} ${endpoint.port}`;

/** Of a flow as `conntrack` prints it: what the client sends, and then what the endpoint answers. */
function keyOfFlow(line: string): string | undefined {
  const [sent, answered] = [...line.matchAll(/src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+)/g)];
  const service = parseAddress(sent?.[2] ?? '');
  const endpoint = parseAddress(answered?.[1] ?? '');
  if (service === undefined || endpoint === undefined) return undefined;
  return keyOf({
    service,
    port: Number(sent?.[4]),
    endpoint: { address: endpoint, port: Number(answered?.[3]) },
  });
}
