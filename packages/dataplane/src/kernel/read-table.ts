import { fnv1aOfText } from '@isthmus/machinery';
import { isAffinitySet } from '../desired/affinity.ts';
import type { Network } from '../network/network.ts';
import { listTable } from './read-nft-table.ts';
import type { RunProgram } from './write-network.ts';

/** The content of our nft table, without the counters and elements of the kernel itself. */
export interface TableState {
  /** The number of rules, by the name of the chain. */
  readonly rules: ReadonlyMap<string, number>;
  /** The number of elements, by the name of the set or map. */
  readonly elements: ReadonlyMap<string, number>;
  /** Packets that counted rules have dropped or rejected, by the name of the chain. */
  readonly dropped: ReadonlyMap<string, number>;
  /** Two tables with the same fingerprint have the same content, as nft prints it. */
  readonly fingerprint: string;
}

interface Listed {
  readonly chain?: { readonly name: string };
  readonly rule?: { readonly chain: string; readonly expr?: readonly ListedStatement[] };
  readonly set?: ListedSet;
  readonly map?: ListedSet;
}
/** The parts of a rule that are read. */
interface ListedStatement {
  readonly counter?: { readonly packets?: number };
  readonly drop?: unknown;
  readonly reject?: unknown;
}
interface ListedSet {
  readonly name: string;
  readonly elem?: readonly unknown[];
}

/**
 * Reads all of our nft table, so it should be called rarely. Undefined: there is no table. Errors:
 * throws if `nft` cannot be run.
 */
export async function readTable(run: RunProgram): Promise<TableState | undefined> {
  const entries = await listTable<Listed>(run);
  if (entries === undefined) return undefined;
  const rules = new Map<string, number>();
  const elements = new Map<string, number>();
  const dropped = new Map<string, number>();
  const texts: string[] = [];
  for (const item of entries) {
    if (item.chain !== undefined) rules.set(item.chain.name, rules.get(item.chain.name) ?? 0);
    if (item.rule !== undefined) rules.set(item.rule.chain, (rules.get(item.rule.chain) ?? 0) + 1);
    const lost = item.rule === undefined ? 0 : droppedBy(item.rule.expr ?? []);
    if (item.rule !== undefined && lost > 0) dropped.set(item.rule.chain, (dropped.get(item.rule.chain) ?? 0) + lost);
    const set = item.set ?? item.map;
    // The kernel adds and removes the clients of endpoints.
    const isOfKernel = set !== undefined && isAffinitySet(set.name);
    if (set !== undefined) elements.set(set.name, isOfKernel ? 0 : (set.elem?.length ?? 0));
    texts.push(
      JSON.stringify(item, (key, value: unknown) =>
        key === 'handle' || key === 'counter' || (key === 'elem' && isOfKernel) ? undefined : value,
      ),
    );
  }
  const content = texts.toSorted().join('\n');
  return { rules, elements, dropped, fingerprint: `${content.length}-${fnv1aOfText(content)}` };
}

function droppedBy(statements: readonly ListedStatement[]): number {
  const isLost = statements.some((one) => 'drop' in one || 'reject' in one);
  return isLost ? statements.reduce((sum, { counter }) => sum + (counter?.packets ?? 0), 0) : 0;
}

/** The differences between the table and the written one, as sentences. */
export function tableDrift(
  { chains, sets }: Pick<Network, 'chains' | 'sets'>,
  table: TableState | undefined,
): readonly string[] {
  if (table === undefined) return chains.size + sets.size === 0 ? [] : ['the nft table is missing'];
  return [
    ...differences('rules of chain', new Map([...chains].map(([name, { length }]) => [name, length])), table.rules),
    ...differences(
      'elements of set',
      new Map([...sets].map(([name, { elements }]) => [name, elements.size])),
      table.elements,
    ),
  ];
}

function differences(
  what: string,
  written: ReadonlyMap<string, number>,
  found: ReadonlyMap<string, number>,
): readonly string[] {
  return [...new Set([...written.keys(), ...found.keys()])].flatMap((name) =>
    written.get(name) === found.get(name)
      ? []
      : [`${what} ${name}: ${found.get(name) ?? 'none'}, not ${written.get(name) ?? 'none'}`],
  );
}
