import { toolOutput } from './tool-output.ts';
import type { RunProgram } from './write-network.ts';

/** The gateway device of Antrea's agent, as its configuration has it by default (`hostGateway`). */
const antreaDevice = 'antrea-gw0';

/** Whether Antrea's agent has set up this Node, so that it enforces policies there. Errors: throws where `ip` cannot be run. */
export async function hasAntreaAgent(run: RunProgram): Promise<boolean> {
  const text = await toolOutput(run, 'read the devices of this Node', 'ip', ['-j', 'link', 'show']);
  const links = text.trim() === '' ? [] : (JSON.parse(text) as readonly { readonly ifname?: string }[]);
  return links.some(({ ifname }) => ifname === antreaDevice);
}
