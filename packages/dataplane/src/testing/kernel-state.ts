import type { RunProgram } from '../kernel/write-network.ts';

/**
 * All state of a Node that the agent could have changed, in a fixed order, so that two Nodes can be
 * compared.
 */
export async function kernelState(run: RunProgram): Promise<Readonly<Record<string, readonly string[]>>> {
  const lines = linesOf(run);
  return {
    links: (await lines('ip', '-d', '-o', 'link', 'show', 'type', 'vxlan')).map((line) =>
      line.replace(/qdisc.*?link/, 'link'),
    ),
    // Neighbours, and routes of all tables, are listed for both families.
    neighbours: await lines('ip', 'neigh', 'show', 'nud', 'permanent'),
    forwarding: (await lines('bridge', 'fdb', 'show')).filter((line) => line.includes('dst ')),
    nextHops: await lines('ip', 'nexthop', 'show'),
    routes: (await lines('ip', 'route', 'show', 'table', 'all')).filter((line) => line.includes('proto 73')),
    rules: await lines('ip', 'rule', 'show'),
    rules6: await lines('ip', '-6', 'rule', 'show'),
    nft: await ruleset(run),
  };
}

/**
 * The whole network of a Node, whatever program wrote it. It should be the same again after
 * everything of ours is removed.
 */
export async function wholeState(run: RunProgram): Promise<Readonly<Record<string, readonly string[]>>> {
  const lines = linesOf(run);
  return {
    links: await lines('ip', '-d', '-o', 'link', 'show'),
    addresses: await lines('ip', '-o', 'address', 'show'),
    neighbours: await lines('ip', 'neigh', 'show', 'nud', 'permanent'),
    forwarding: await lines('bridge', 'fdb', 'show'),
    nextHops: await lines('ip', 'nexthop', 'show'),
    routes: await lines('ip', '-d', 'route', 'show', 'table', 'all'),
    rules: await lines('ip', '-d', 'rule', 'show'),
    rules6: await lines('ip', '-6', '-d', 'rule', 'show'),
    settings: (await lines('sysctl', '-a', '-r', String.raw`^net\.(ipv4|ipv6|core|netfilter)\.`)).filter(
      (line) => !isCounted.test(line),
    ),
    nft: await ruleset(run),
  };
}

/** Values that the kernel writes. */
const isCounted = /_count = |\bstable_secret\b/;

const linesOf =
  (run: RunProgram) =>
  async (program: string, ...args: readonly string[]): Promise<readonly string[]> => {
    const { code, stdout, stderr } = await run(program, args, '');
    if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
    return stdout
      .split('\n')
      .map((line) => line.replace(/^\d+: /, '').trim())
      .filter((line) => line !== '')
      .toSorted();
  };

async function ruleset(run: RunProgram): Promise<readonly string[]> {
  const { stdout } = await run('nft', ['-j', 'list', 'ruleset'], '');
  const { nftables } = JSON.parse(stdout) as { readonly nftables: readonly Readonly<Record<string, unknown>>[] };
  return nftables
    .filter((entry) => !('metainfo' in entry))
    .map(nftText)
    .toSorted();
}

/** An object of nft without the values that depend on the order in which objects were created. */
function nftText(entry: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(entry, (key, value: unknown) => {
    if (key === 'handle' || key === 'counter') return undefined;
    if (key === 'elem' && Array.isArray(value)) return value.map((one) => JSON.stringify(one)).toSorted();
    return value;
  });
}
