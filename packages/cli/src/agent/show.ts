import type { AgentStatus } from '@isthmus/dataplane';
import { isAsDesired, observeNode, statusPath, viewLines, viewNode } from '@isthmus/dataplane';
import { ConnectionError, createClient, noCredentials } from '@isthmus/kube';
import { hostPort, isRecord } from '@isthmus/machinery';
import { documentText } from '../command/document-text.ts';
import { ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { isthmusVersion } from '../version/version.ts';
import type { ShowFlags } from './command.ts';
import { healthAddressOf, healthFlag } from './settings.ts';

/**
 * Prints what the agent of this Node wants, and what its kernel has. Without an agent, or without the programs that read the kernel, it prints the rest and what is missing. Fails
 * where something is missing or differs.
 */
export async function showNode(io: Io, flags: ShowFlags): Promise<ExitCode> {
  const at = healthAddressOf(flags);
  const [status, observed] = await Promise.all([
    // Without a host, an agent listens on every address.
    at === undefined
      ? { unknown: `--${healthFlag} is 0` }
      : askAgent(io, `http://${hostPort(at.host || '127.0.0.1', at.port)}`),
    observeNode(io.runTool),
  ]);
  const view = viewNode({ status, observed });
  const { output = 'text' } = flags;
  io.stdout.write(output === 'text' ? `${viewLines(view, io.clock.now()).join('\n')}\n` : documentText(view, output));
  return isAsDesired(view) ? ExitCode.ok : ExitCode.failed;
}

async function askAgent({ network, clock }: Io, server: string): Promise<AgentStatus | { readonly unknown: string }> {
  const transport = network.dial({ server, credentials: noCredentials(), userAgent: `isthmus-show/${isthmusVersion}` });
  const client = createClient({ transport, clock, server: `the agent at ${server}` });
  try {
    const { text } = await client.request({ method: 'GET', path: statusPath });
    const answer: unknown = JSON.parse(text);
    return isAgentStatus(answer) ? answer : { unknown: `what answers at ${server} is not an agent of Isthmus` };
  } catch (error) {
    if (error instanceof ConnectionError && error.kind === 'refused')
      return { unknown: `nothing listens at ${server}` };
    return { unknown: error instanceof Error ? error.message : String(error) };
  } finally {
    client.close();
  }
}

/** Any program may have the port of the agent. */
function isAgentStatus(answer: unknown): answer is AgentStatus {
  return isRecord(answer) && typeof answer['node'] === 'string' && Array.isArray(answer['notReady']);
}
