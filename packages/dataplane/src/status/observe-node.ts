import { errorMessage } from '@isthmus/machinery';
import { wireGuardDevice } from '../desired/devices.ts';
import { readNetwork } from '../kernel/read-network.ts';
import type { TableState } from '../kernel/read-table.ts';
import { readTable } from '../kernel/read-table.ts';
import { readRefusedConnections } from '../surroundings/refused-connections.ts';
import { toolOutput } from '../kernel/tool-output.ts';
import type { RunProgram } from '../kernel/write-network.ts';
import type { NetworkKind } from './agent-status.ts';
import { elementCount, kernelItems, ruleCount } from './agent-status.ts';

/** The parts of this Node's kernel that are ours, and why some could not be read. */
export interface Observed {
  /** Kinds that could not be read are missing. */
  readonly items: Readonly<Partial<Record<NetworkKind, Readonly<Record<string, string>>>>>;
  /** Undefined: the Node does not have the device, or it could not be read. */
  readonly wireGuard?: ObservedWireGuard | undefined;
  /** Undefined: `conntrack` could not be run. */
  readonly connections?: ObservedConnections | undefined;
  /** Packets that our rules have dropped or rejected since the table was created, by chain. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Why parts could not be read, as sentences. */
  readonly failures: readonly string[];
}

export interface ObservedWireGuard {
  readonly device: string;
  readonly publicKey: string;
  readonly peers: readonly {
    readonly publicKey: string;
    /** The time of the last handshake in seconds since 1970; undefined: there was none. */
    readonly latestHandshake?: number | undefined;
    readonly receivedBytes: number;
    readonly sentBytes: number;
  }[];
}

/** The table of connections of the Node, also with connections that are not ours. */
export interface ObservedConnections {
  readonly current: number;
  /** Connections that were refused because the table was full. */
  readonly refused: number;
}

/**
 * Reads the state of this Node. Never rejects: parts that cannot be read are among the failures. It
 * does not ask `wg` for private keys.
 */
export async function observeNode(run: RunProgram): Promise<Observed> {
  const failures: string[] = [];
  const attempt = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      failures.push(errorMessage(error));
      return undefined;
    }
  };
  const network = await attempt(() => readNetwork(run));
  const table = await attempt(async () => (await readTable(run)) ?? noTable);
  const hasWireGuard = network !== undefined && network.wireGuards.size > 0;
  const wireGuard = hasWireGuard ? await attempt(() => observeWireGuard(run)) : undefined;
  const connections = await attempt(() => observeConnections(run));
  return {
    items: {
      ...(network && kernelItems(network)),
      ...(table && { chains: counts(table.rules, ruleCount), sets: counts(table.elements, elementCount) }),
    },
    wireGuard,
    connections,
    dropped: Object.fromEntries(table?.dropped ?? []),
    failures,
  };
}

const noTable: Omit<TableState, 'fingerprint'> = { rules: new Map(), elements: new Map(), dropped: new Map() };

const counts = (from: ReadonlyMap<string, number>, text: (count: number) => string) =>
  Object.fromEntries([...from].map(([name, count]) => [name, text(count)]));

async function observeWireGuard(run: RunProgram): Promise<ObservedWireGuard> {
  const show = async (what: string) => {
    const args = ['show', wireGuardDevice, what];
    const stdout = await toolOutput(run, `read WireGuard device ${wireGuardDevice}`, 'wg', args);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => line.split('\t'));
  };
  const [[publicKey = ''] = []] = await show('public-key');
  const handshakes = new Map((await show('latest-handshakes')).map(([key = '', time]) => [key, Number(time)]));
  const peers = (await show('transfer')).map(([key = '', received, sent]) => ({
    publicKey: key,
    latestHandshake: handshakes.get(key) || undefined,
    receivedBytes: Number(received),
    sentBytes: Number(sent),
  }));
  return { device: wireGuardDevice, publicKey, peers };
}

async function observeConnections(run: RunProgram): Promise<ObservedConnections> {
  const refused = await readRefusedConnections(run);
  const current = Number(await toolOutput(run, 'read the connection tracking table', 'conntrack', ['-C']));
  return { current, refused };
}
