import type { Cidr, Family } from '@isthmus/machinery';
import { cidrText } from '@isthmus/machinery';
import { devicePrefix, ownTable } from '../network/owned.ts';
import type { RunProgram } from '../kernel/write-network.ts';

/**
 * Firewalls that drop packets between tunnels and Pods, as far as `nft` shows them: each as a
 * sentence. An accept in our own table does not override them, and the agent does not change tables
 * of other programs. A firewall whose rules name a tunnel device or a Pod CIDR of the cluster
 * probably accepts these packets. Never rejects because of the output of `nft`.
 */
export async function readFirewalls(run: RunProgram, podCIDRs: readonly Cidr[]): Promise<readonly string[]> {
  const { code, stdout } = await run('nft', ['-j', 'list', 'chains'], '');
  if (code !== 0 || stdout.trim() === '') return [];
  const { nftables } = JSON.parse(stdout) as { readonly nftables: readonly { readonly chain?: ListedChain }[] };
  const found: string[] = [];
  for (const { chain } of nftables) {
    if (chain === undefined || !isClosed(chain) || !concerns(chain, podCIDRs)) continue;
    const listed = await run('nft', ['-t', 'list', 'table', chain.family, chain.table], '');
    const known = [devicePrefix, ...podCIDRs.map(cidrText)];
    if (known.some((text) => listed.stdout.includes(text))) continue;
    found.push(
      `Chain ${chain.name} of the nft table ${chain.family} ${chain.table} drops what its rules do not accept, and none of them names ${devicePrefix}node, ${devicePrefix}gw or a Pod CIDR of this cluster. Packets between clusters may be dropped; docs/guides/agent.md shows what to accept`,
    );
  }
  return found;
}

/** The parts of a chain in the output of `nft -j` that are read. */
interface ListedChain {
  readonly family: string;
  readonly table: string;
  readonly name: string;
  readonly hook?: string;
  readonly policy?: string;
}

/**
 * Whether the chain drops or rejects by default. The chain of firewalld accepts by its policy, and
 * rejects by its last rule.
 */
function isClosed({ family, table, name, hook, policy }: ListedChain): boolean {
  if (hook !== 'forward' || (family === ownTable.family && table === ownTable.name)) return false;
  return policy === 'drop' || (table === 'firewalld' && name === 'filter_FORWARD');
}

function concerns({ family }: ListedChain, podCIDRs: readonly Cidr[]): boolean {
  const wanted = familyOf.get(family);
  return family === 'inet' || podCIDRs.some((cidr) => cidr.family === wanted);
}

const familyOf: ReadonlyMap<string, Family> = new Map([
  ['ip', 'IPv4'],
  ['ip6', 'IPv6'],
]);
