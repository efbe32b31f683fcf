import type { Clock } from '@isthmus/machinery';
import { sleep } from '@isthmus/machinery';
import { devicePrefix, ownTable, routeProtocol } from '../network/owned.ts';
import type { OwnChanges } from './own-changes.ts';

/**
 * Runs a program until it ends or `signal` aborts. Calls `onLine` for each line that it prints;
 * long lines are cut. Resolves to why it ended. Never rejects.
 */
export type WatchProgram = (
  program: string,
  args: readonly string[],
  onLine: (line: string) => void,
  signal: AbortSignal,
) => Promise<string>;

/** Follows changes of the network of a Node by any program. */
export interface KernelMonitor {
  /** Runs until `signal` aborts. A program that ends is started again. */
  run(signal: AbortSignal): Promise<void>;
}

export interface KernelMonitorOptions {
  readonly watch: WatchProgram;
  readonly clock: Clock;
  /** The agent's own changes of the nft table. */
  readonly ownChanges: OwnChanges;
  /**
   * Called if a part of ours may have changed, or if changes were not followed for a while. Our own
   * changes also count, except those of `ownChanges`.
   */
  readonly onChange: () => void;
  /**
   * Called if the kernel dropped events because there were too many. Most likely they are of other
   * programs: kube-proxy writes a lot.
   */
  readonly onLost: () => void;
  /** Called if a device, an address or a default route that is not ours has changed. */
  readonly onUnderlay: () => void;
  /** Called with why a program ended. */
  readonly onEnd: (program: string, why: string) => void;
}

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

export function createKernelMonitor({
  watch,
  clock,
  ownChanges,
  onChange,
  onLost,
  onUnderlay,
  onEnd,
}: KernelMonitorOptions): KernelMonitor {
  const onIpLine = (line: string) => {
    if (isOurs(line)) onChange();
    else if (isOfUnderlay.test(line)) onUnderlay();
  };
  /** The chains and sets that the current transaction changes. */
  let changed = new Set<string>();
  const onNftLine = (line: string) => {
    if (lostEvents.test(line)) onLost();
    else if (endOfTransaction.test(line)) {
      if (changed.size > 0 && !ownChanges.take(changed)) onChange();
      changed = new Set();
    } else if (isOfTable.test(line)) {
      const [, name] = partOfTable.exec(line) ?? [];
      // A part of a rule: the rule has a line of its own.
      if (name?.startsWith(anonymous) === true) return;
      if (name === undefined || !ownChanges.isExpected(name)) onChange();
      else changed.add(name);
    }
  };

  async function keepWatching(
    program: string,
    args: readonly string[],
    onLine: (line: string) => void,
    signal: AbortSignal,
  ) {
    for (let waitMs = firstWaitMs; !signal.aborted;) {
      const startedMs = clock.monotonic();
      const why = await watch(program, args, onLine, signal);
      if (signal.aborted) return;
      onEnd(`${program} ${args.join(' ')}`, why);
      waitMs = clock.monotonic() - startedMs > longestWaitMs ? firstWaitMs : Math.min(waitMs * 2, longestWaitMs);
      await sleep(clock, waitMs, signal).catch(() => {});
      // Changes may have been missed meanwhile.
      onChange();
      onUnderlay();
    }
  }

  return {
    async run(signal) {
      await Promise.all([
        keepWatching('ip', ['-o', 'monitor', ...watchedObjects], onIpLine, signal),
        keepWatching('nft', ['monitor'], onNftLine, signal),
      ]);
    },
  };
}

/** `neigh` includes the forwarding entries of tunnels. */
const watchedObjects = ['link', 'address', 'nexthop', 'route', 'rule', 'neigh'] as const;

/** A device of ours, or an item with our protocol. */
const isOurs = (line: string) =>
  (line.includes(devicePrefix) && !isLearnedNeighbour.test(line)) || isOfProtocol.test(line);
/**
 * A neighbour that the kernel looks for. Those of the agent are permanent. The removal of one is
 * printed without its former state.
 */
const isLearnedNeighbour = /^(?!Deleted ).* (?:DELAY|FAILED|INCOMPLETE|PROBE|REACHABLE|STALE) *$/;
const isOfProtocol = new RegExp(`\\bproto ${routeProtocol}\\b`);
/** A device, an address, or a default route. */
const isOfUnderlay = /^(?:Deleted )?(?:\d+: |default )/;
const isOfTable = new RegExp(`\\b${ownTable.family} ${ownTable.name}\\b`);
const partOfTable = new RegExp(
  `^(?:add|delete) (?:rule|chain|set|map|element) ${ownTable.family} ${ownTable.name} (\\S+)`,
);
const anonymous = '__';
/** The output of `nft monitor` after the buffer of its socket was full. */
const lostEvents = /^# ERROR: We lost some netlink events/;
const endOfTransaction = /^# new generation /;
