import type { World } from '@isthmus/kube';
import { errorMessage } from '@isthmus/machinery';
import type { Cidr, Family } from '@isthmus/machinery';
import type { Bypass } from '../surroundings/bypass.ts';
import { readBypass } from '../surroundings/bypass.ts';
import { readFirewalls } from '../surroundings/firewall.ts';
import type { LaterNft } from '../kernel/later-nft.ts';
import { readDevices } from '../surroundings/read-devices.ts';
import { readRefusedConnections } from '../surroundings/refused-connections.ts';
import type { AgentNote } from '../status/agent-status.ts';
import { bypassNotes, firewallNotes, forwardingNotes, laterNftNotes, refusalNotes, uncountedNotes } from './notes.ts';
import type { OpenPolicies } from './policies.ts';

interface SurroundingsOptions {
  readonly programs: LaterNft;
  readonly policies: OpenPolicies | undefined;
  readonly log: World['log'];
}

/**
 * The parts of a Node, beside the agent, that may stop packets. Each is logged when it is found.
 */
export function createSurroundings({ programs, policies, log }: SurroundingsOptions) {
  let bypass: Bypass | undefined;
  let firewalls: readonly string[] = [];
  let notForwarding: readonly Family[] = [];
  /** Refused connections since the Node was started; undefined if they cannot be read. */
  let refused: number | undefined;
  let refusedLately = 0;
  /** Why the number of refused connections is not known. */
  let notCounted: string | undefined;
  return {
    /** Looks again. Errors: throws if `nft` or `ip` cannot be run, or fails. */
    async look(clusterCIDRs: readonly Cidr[]): Promise<void> {
      const closed = await readFirewalls(programs.run, clusterCIDRs);
      for (const one of closed) if (!firewalls.includes(one)) log.warn('a firewall may drop packets', { found: one });
      firewalls = closed;
      const devices = await readDevices(programs.run);
      const off = [...new Set(clusterCIDRs.map(({ family }) => family))].filter((family) =>
        devices.notForwarding.has(family),
      );
      for (const family of off)
        if (!notForwarding.includes(family)) log.warn('this Node forwards no packets of a family', { family });
      notForwarding = off;
      let refusedNow: number | undefined;
      try {
        refusedNow = await readRefusedConnections(programs.run);
        notCounted = undefined;
      } catch (error) {
        const why = errorMessage(error);
        if (why !== notCounted) log.warn('it is not known whether this Node drops new connections', { why });
        notCounted = why;
      }
      refusedLately = refused === undefined || refusedNow === undefined ? 0 : Math.max(refusedNow - refused, 0);
      if (refusedLately > 0)
        log.warn('the connection tracking table of this Node was full', { refused: refusedLately });
      refused = refusedNow;
      const found = await readBypass(programs.run, devices.names);
      if (found !== undefined && found.by !== bypass?.by)
        log.warn('the CNI of this Node bypasses nft', { cni: found.by, found: found.message });
      bypass = found;
      if (policies?.lookForAntrea(devices.names) === true)
        log.info('the agent that enforces policies on this Node has changed', {
          by: policies.isAntrea ? 'Antrea' : 'this agent',
        });
    },
    /** The CNI that bypasses nft. */
    bypassedBy: () => bypass?.by,
    notes: (): readonly AgentNote[] => [
      ...bypassNotes(bypass),
      ...firewallNotes(firewalls),
      ...forwardingNotes(notForwarding),
      ...refusalNotes(refusedLately),
      ...uncountedNotes(notCounted),
      ...laterNftNotes(programs.isUsed()),
    ],
  };
}
