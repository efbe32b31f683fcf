import type { AgentStatus } from '@isthmus/dataplane';
import { statusPath } from '@isthmus/dataplane';
import { ConnectionError, createClient, noCredentials } from '@isthmus/kube';
import type { BindAddress } from '@isthmus/kube';
import { errorMessage, hostPort, isRecord } from '@isthmus/machinery';
import type { Io } from '../world/io.ts';
import { isthmusVersion } from '../version/version.ts';

/**
 * What the agent of this machine answers about its Node, or why none does. `at`: where it serves
 * its health. Never rejects.
 */
export async function askAgent(
  { network, clock }: Io,
  at: BindAddress,
): Promise<AgentStatus | { readonly unknown: string }> {
  // Without a host, an agent listens on every address.
  const server = `http://${hostPort(at.host || '127.0.0.1', at.port)}`;
  const transport = network.dial({ server, credentials: noCredentials(), userAgent: `isthmus-show/${isthmusVersion}` });
  const client = createClient({ transport, clock, server: `the agent at ${server}` });
  try {
    const { text } = await client.request({ method: 'GET', path: statusPath });
    const answer: unknown = JSON.parse(text);
    return isAgentStatus(answer) ? answer : { unknown: `what answers at ${server} is not an agent of Isthmus` };
  } catch (error) {
    if (error instanceof ConnectionError && error.kind === 'refused')
      return { unknown: `nothing listens at ${server}` };
    return { unknown: errorMessage(error) };
  } finally {
    client.close();
  }
}

/** Any program may have the port of the agent. */
function isAgentStatus(answer: unknown): answer is AgentStatus {
  return isRecord(answer) && typeof answer['node'] === 'string' && Array.isArray(answer['notReady']);
}
