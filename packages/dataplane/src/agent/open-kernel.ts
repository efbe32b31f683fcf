import { withHeldNft } from '../kernel/held-nft.ts';
import { createKernelMonitor } from '../kernel/kernel-monitor.ts';
import { withLaterNft } from '../kernel/later-nft.ts';
import { createLocalRanges } from '../surroundings/local-ranges.ts';
import { readLocalAddresses } from '../surroundings/local-addresses.ts';
import { createNetworkWriter } from '../kernel/network-writer.ts';
import { createOwnChanges } from '../kernel/own-changes.ts';
import { readUnderlay } from '../surroundings/underlay.ts';
import { readUntilChanged } from '../surroundings/until-changed.ts';
import type { AgentOptions } from './options.ts';
import type { OpenPolicies } from './policies.ts';
import { createSurroundings } from './surroundings.ts';
import { createAuditSchedule } from './audit-schedule.ts';

/** The network of a Node, with access to read, write and follow it. */
export function openKernel(
  {
    run: runOnNode,
    hold,
    watch: watchOnNode,
    names,
    world,
  }: Pick<AgentOptions, 'run' | 'hold' | 'watch' | 'names' | 'world'>,
  policies: OpenPolicies | undefined,
) {
  const { clock, log } = world;
  const heldNft = hold && withHeldNft({ run: runOnNode, hold, clock });
  const programs = withLaterNft({ run: heldNft?.run ?? runOnNode, watch: watchOnNode });
  const { run, watch } = programs;
  const ownChanges = createOwnChanges(clock);
  const auditSchedule = createAuditSchedule(clock);
  const underlay = readUntilChanged((address) => readUnderlay(address, run));
  const localAddresses = readUntilChanged(() => readLocalAddresses(run));
  const localRanges = readUntilChanged(createLocalRanges({ run, names, clock }));
  const monitor = createKernelMonitor({
    watch,
    clock,
    ownChanges,
    onChange: () => auditSchedule.request(),
    onLost: () => auditSchedule.request('low'),
    onUnderlay: () => {
      underlay.forget();
      localAddresses.forget();
      localRanges.forget();
    },
    onEnd: (program, why) => log.warn('a monitor of the kernel ended and starts again', { program, why }),
  });
  return {
    run,
    writer: createNetworkWriter(run, ownChanges),
    auditSchedule,
    underlay,
    localAddresses,
    localRanges,
    surroundings: createSurroundings({ programs, policies, log }),
    monitor,
    close: () => heldNft?.close(),
  };
}

export type OpenKernel = ReturnType<typeof openKernel>;
