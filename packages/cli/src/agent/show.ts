import type { AgentStatus } from '@isthmus/dataplane';
import { agentPorts, isAsDesired, observeNode, statusPath, viewLines, viewNode } from '@isthmus/dataplane';
import { createClient, noCredentials } from '@isthmus/kube';
import { bindAddressOf } from '../command-process.ts';
import { documentText } from '../command/document-text.ts';
import { ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { isthmusVersion } from '../version/version.ts';
import type { ShowFlags } from './command.ts';

const defaultAddress = `127.0.0.1:${agentPorts.health}`;

/**
 * Prints what the agent of this Node wants, and what its kernel has. Without an agent, or without the programs that read the kernel, it prints the rest and what is missing. Fails
 * where something is missing or differs.
 */
export async function showNode(io: Io, flags: ShowFlags): Promise<ExitCode> {
  const flag = 'health-probe-bind-address';
  const at = bindAddressOf(flag, flags[flag] ?? defaultAddress);
  const [status, observed] = await Promise.all([
    at === undefined ? { unknown: `--${flag} is 0` } : askAgent(io, `http://${hostOf(at.host)}:${at.port}`),
    observeNode(io.runTool),
  ]);
  const view = viewNode({ status, observed });
  const { output = 'text' } = flags;
  io.stdout.write(output === 'text' ? `${viewLines(view, io.clock.now()).join('\n')}\n` : documentText(view, output));
  return isAsDesired(view) ? ExitCode.ok : ExitCode.failed;
}

/** Where nothing else is said, an agent listens on every address. */
function hostOf(host: string | undefined): string {
  if (host === undefined || host === '') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

async function askAgent({ network, clock }: Io, server: string): Promise<AgentStatus | { readonly unknown: string }> {
  const transport = network.dial({ server, credentials: noCredentials(), userAgent: `isthmus-show/${isthmusVersion}` });
  const client = createClient({ transport, clock, server: `the agent at ${server}` });
  try {
    const { text } = await client.request({ method: 'GET', path: statusPath });
    return JSON.parse(text) as AgentStatus;
  } catch (error) {
    return { unknown: error instanceof Error ? error.message : String(error) };
  } finally {
    client.close();
  }
}
