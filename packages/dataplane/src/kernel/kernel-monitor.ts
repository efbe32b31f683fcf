import type { Clock } from '@isthmus/machinery';
import { sleep } from '@isthmus/machinery';
import { devicePrefix, ownTable, routeProtocol } from '../network/owned.ts';
import type { OwnEchoes } from './own-echoes.ts';

/**
 * Runs a program until it ends or `signal` aborts, and calls `onLine` for each line that it prints, long ones without their end. Resolves to why it
 * ended. Never rejects.
 */
export type WatchProgram = (
  program: string,
  args: readonly string[],
  onLine: (line: string) => void,
  signal: AbortSignal,
) => Promise<string>;

/** Follows changes of the network of a Node by whomever. */
export interface KernelMonitor {
  /** Until `signal` aborts. A program that ends is started again. */
  run(signal: AbortSignal): Promise<void>;
}

export interface KernelMonitorOptions {
  readonly watch: WatchProgram;
  readonly clock: Clock;
  /** Changes of the nft table that are our own. */
  readonly echoes: OwnEchoes;
  /** Something of ours may be another than it was; or nobody looked for a while. Own changes are among them, but for those of `echoes`. */
  readonly onChange: () => void;
  /** Somebody wrote so much that the kernel dropped what it had to report: most likely of others, as kube-proxy writes a lot. */
  readonly onLost: () => void;
  /** A device, an address or a default route that is not ours is another than it was. */
  readonly onUnderlay: () => void;
  /** Why a program ended. */
  readonly onEnd: (program: string, why: string) => void;
}

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

export function createKernelMonitor({
  watch,
  clock,
  echoes,
  onChange,
  onLost,
  onUnderlay,
  onEnd,
}: KernelMonitorOptions): KernelMonitor {
  const onIpLine = (line: string) => {
    if (isOurs(line)) onChange();
    else if (isOfUnderlay.test(line)) onUnderlay();
  };
  /** The chains and sets that the transaction changes whose lines come now. */
  let changed = new Set<string>();
  const onNftLine = (line: string) => {
    if (lostEvents.test(line)) onLost();
    else if (endOfTransaction.test(line)) {
      if (changed.size > 0 && !echoes.take(changed)) onChange();
      changed = new Set();
    } else if (isOfTable.test(line)) {
      const [, name] = partOfTable.exec(line) ?? [];
      // Part of a rule, which has a line of its own.
      if (name?.startsWith(anonymous) === true) return;
      if (name === undefined || !echoes.isExpected(name)) onChange();
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
      // What happened meanwhile, nobody has seen.
      onChange();
      onUnderlay();
    }
  }

  return {
    async run(signal) {
      await Promise.all([
        keepWatching('ip', ['-o', 'monitor', 'link', 'address', 'nexthop', 'route', 'rule'], onIpLine, signal),
        keepWatching('nft', ['monitor'], onNftLine, signal),
      ]);
    },
  };
}

/** A device of ours, or what bears our protocol. */
const isOurs = (line: string) => line.includes(devicePrefix) || isOfProtocol.test(line);
const isOfProtocol = new RegExp(`\\bproto ${routeProtocol}\\b`);
/** A device, an address, or a default route. */
const isOfUnderlay = /^(?:Deleted )?(?:\d+: |default )/;
const isOfTable = new RegExp(`\\b${ownTable.family} ${ownTable.name}\\b`);
const partOfTable = new RegExp(
  `^(?:add|delete) (?:rule|chain|set|map|element) ${ownTable.family} ${ownTable.name} (\\S+)`,
);
const anonymous = '__';
/** What `nft monitor` prints when the buffer of its socket was full. */
const lostEvents = /^# ERROR: We lost some netlink events/;
const endOfTransaction = /^# new generation /;
