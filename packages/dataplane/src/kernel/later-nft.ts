import type { WatchProgram } from './kernel-monitor.ts';
import type { RunProgram } from './write-network.ts';

/**
 * The folder of the later `nft` in the image of the agent, with its libraries and with the dynamic
 * linker that runs it, `ld.so`.
 */
export const laterNftFolder = '/usr/lib/later-nft';

export interface NodePrograms {
  readonly run: RunProgram;
  readonly watch: WatchProgram;
}

export interface LaterNft extends NodePrograms {
  /** Whether the later `nft` is used. */
  isUsed(): boolean;
}

/**
 * The programs of a Node. From the first crash of `nft` on, a later version replaces the one in
 * PATH.
 *
 * Up to version 1.1.1, `nft` crashes if 1.1.2 or later has written sets or maps in any table of the
 * Node's network. The sets of a later version do the same to other programs, such as kube-proxy. It
 * is therefore used only if such sets already exist. Without a later version, the result is the
 * crash. The crash happens while reading: nothing of the input has been written.
 */
export function withLaterNft({ run, watch }: NodePrograms): LaterNft {
  let isUsed = false;
  const later = (args: readonly string[]) =>
    [`${laterNftFolder}/ld.so`, ['--library-path', laterNftFolder, `${laterNftFolder}/nft`, ...args]] as const;
  return {
    isUsed: () => isUsed,
    async run(program, args, input) {
      if (program !== 'nft') return run(program, args, input);
      if (isUsed) return run(...later(args), input);
      const result = await run(program, args, input);
      if (result.code !== -1 || !crashed.test(result.stderr)) return result;
      const second = await run(...later(args), input).catch(() => undefined);
      if (second === undefined || crashed.test(second.stderr)) return result;
      isUsed = true;
      return second;
    },
    watch: (program, args, onLine, signal) =>
      program === 'nft' && isUsed ? watch(...later(args), onLine, signal) : watch(program, args, onLine, signal),
  };
}

const crashed = /it was ended by SIGSEGV$/;
