import type { BaseHook, SetName } from '../network/chains.ts';
import type { Network, NftSet } from '../network/network.ts';
import type { LeftTable } from '../network/render.ts';
import { isAffinitySet } from '../desired/affinity.ts';
import { ownTable } from '../network/owned.ts';
import { toolOutput } from './tool-output.ts';
import type { RunProgram } from './write-network.ts';

/** The nft table that an earlier run left. */
interface ReadTable {
  /** Its parts, except {@link ReadTable.kept}. */
  readonly left: LeftTable;
  /**
   * The sets whose elements the kernel made. They are kept, so that clients keep their endpoints.
   */
  readonly kept: Network['sets'];
}

/**
 * Reads the names of the parts of our nft table, but no elements; undefined: there is no table.
 *
 * Errors: throws if nft cannot be run, or prints unexpected output.
 */
export async function readNftTable(run: RunProgram): Promise<ReadTable | undefined> {
  const entries = await listTable<Entry>(run, ['-t']);
  if (entries === undefined) return undefined;
  const kept = new Map<SetName, NftSet>();
  const sets: LeftTable['sets'][number][] = [];
  for (const { set, map } of entries) {
    if (set !== undefined && isAffinitySet(set.name))
      kept.set(set.name, { type: `type ${String(set.type)}`, isInterval: false, isDynamic: true, elements: new Map() });
    else if (set !== undefined) sets.push({ name: set.name, kind: 'set' });
    else if (map !== undefined) sets.push({ name: map.name, kind: 'map' });
  }
  return {
    left: { chains: entries.flatMap(({ chain }) => (chain === undefined ? [] : [leftChain(chain)])), sets },
    kept,
  };
}

/**
 * The content of our nft table, as `nft -j` with these flags prints it; undefined: there is no
 * table. Errors: as {@link readNftTable}.
 */
export async function listTable<T>(run: RunProgram, flags: readonly string[] = []): Promise<readonly T[] | undefined> {
  const list = async <U>(...args: readonly string[]) => {
    const stdout = await toolOutput(run, 'read the nft tables of this Node', 'nft', ['-j', ...flags, 'list', ...args]);
    return (JSON.parse(stdout) as { readonly nftables: readonly U[] }).nftables;
  };
  const { family, name } = ownTable;
  const tables = await list<{ readonly table?: { readonly family: string; readonly name: string } }>('tables');
  return tables.some(({ table }) => table?.family === family && table.name === name)
    ? list<T>('table', family, name)
    : undefined;
}

function leftChain({ name, type, hook, prio }: NonNullable<Entry['chain']>): LeftTable['chains'][number] {
  if (type === undefined || hook === undefined || prio === undefined) return { name };
  return { name, hook: { type, hook, priority: prio } };
}

/** The output of `nft -j` for one item: one of these fields. */
interface Entry {
  readonly chain?: Partial<Omit<BaseHook, 'priority'>> & { readonly name: string; readonly prio?: number };
  readonly set?: { readonly name: string; readonly type: unknown };
  readonly map?: { readonly name: string };
}
