import { toolOutput } from './tool-output.ts';
import type { RunProgram } from './write-network.ts';

/**
 * How large packets may be on the device that has an address, in bytes; undefined where no device has it. Errors: throws where `ip` cannot be run, or prints
 * something else than it should.
 */
export async function readUnderlayMTU(address: string, run: RunProgram): Promise<number | undefined> {
  const stdout = await toolOutput(run, 'read the addresses of this Node', 'ip', ['-j', 'addr', 'show']);
  const links = JSON.parse(stdout) as readonly {
    readonly mtu?: number;
    readonly addr_info?: readonly { readonly local?: string }[];
  }[];
  return links.find(({ addr_info = [] }) => addr_info.some(({ local }) => local === address))?.mtu;
}
