import { addressText, parseAddress } from '@isthmus/machinery';
import type { Address } from '@isthmus/machinery';
import type { ImportedService } from '../desired/cluster-network.ts';
import { endKey } from '../desired/gone-endpoints.ts';
import { families } from '../desired/own-node.ts';
import { toolOutput } from './tool-output.ts';
import type { RunProgram } from './write-network.ts';

/**
 * Makes the kernel forget UDP flows of these Services that lead to other endpoints than theirs, or
 * that began before anything translated them: the Service itself answers these. Their next packet
 * then gets one of these endpoints. Flows are read first, because most Services have none on a
 * Node. Errors: throws if `conntrack` cannot be run, or fails.
 */
export async function forgetFlows(services: readonly ImportedService[], run: RunProgram): Promise<void> {
  for (const family of families) {
    const own = services.filter(({ address }) => address.family === family);
    if (own.length === 0) continue;
    const endpoints = new Map(own.map((one) => [endKey(one), new Set(one.endpoints.map(endKey))]));
    const of = ['-f', family.toLowerCase(), '-p', 'udp'];
    const listed = await toolOutput(run, 'read flows of UDP', 'conntrack', ['-L', ...of]);
    const lost = listed
      .split('\n')
      .flatMap((line) => flowOf(line) ?? [])
      .filter(({ service, endpoint }) => endpoints.get(endKey(service))?.has(endKey(endpoint)) === false)
      .map((flow) => [`${endKey(flow.service)} ${endKey(flow.endpoint)}`, flow] as const);
    for (const { service, endpoint } of new Map(lost).values()) {
      const ends = ['--orig-dst', addressText(service.address), '--orig-port-dst', String(service.port)];
      const to = ['--reply-src', addressText(endpoint.address), '--reply-port-src', String(endpoint.port)];
      // It also fails if the flow has ended meanwhile.
      await run('conntrack', ['-D', ...of, ...ends, ...to], '');
    }
  }
}

interface End {
  readonly address: Address;
  readonly port: number;
}

/**
 * A flow in the format of `conntrack`: first the packets of the client, then those of the endpoint.
 */
function flowOf(line: string): { readonly service: End; readonly endpoint: End } | undefined {
  const [sent, answered] = [...line.matchAll(/src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+)/g)];
  const service = parseAddress(sent?.[2] ?? '');
  const endpoint = parseAddress(answered?.[1] ?? '');
  if (service === undefined || endpoint === undefined) return undefined;
  return {
    service: { address: service, port: Number(sent?.[4]) },
    endpoint: { address: endpoint, port: Number(answered?.[3]) },
  };
}
