import { FixedName } from '@isthmus/api';
import { systemClock } from '@isthmus/kube';
import { sleep } from '@isthmus/machinery';
import { clusterSetName } from '@isthmus/fleet-sim';
import type { RealFleet } from '@isthmus/testkit';
import type { OtherMake } from './other-make.ts';
import { antreaDefinitions } from './antrea-definitions.ts';
import { lookAsLeader } from './recorded-leader.ts';
import type { RecordedMember } from './recorded-member.ts';
import { beat, lookAsMember } from './recorded-member.ts';

const lookMs = 150;
const beatMs = 10_000;

/**
 * The writes of Antrea's controllers as they were observed, in our words: for machines without
 * their binary.
 */
export function recordedAntrea(fleet: RealFleet): OtherMake {
  const clock = systemClock();
  const { leader } = fleet;
  return {
    name: 'Antrea',
    needsHandover: true,
    goesOn: false,
    what: 'recorded behaviour of antrea-mc-controller 2.7',
    definitions: (role) => Promise.resolve(antreaDefinitions(role)),
    access: () => Promise.resolve(''),
    async start({ name, admin }, role) {
      const end = new AbortController();
      const member: RecordedMember = {
        own: admin,
        leader: leader.admin,
        clusterID: name,
        clusterSetID: clusterSetName,
        leaderClusterID: leader.name,
        leaderNamespace: FixedName.leaderNamespace,
        exported: new Set(),
        imported: new Set(),
      };
      let beatenMs = Number.NEGATIVE_INFINITY;
      const look = async () => {
        if (role === 'leader') return lookAsLeader(admin, FixedName.leaderNamespace, clock.now());
        if (clock.monotonic() - beatenMs >= beatMs) {
          beatenMs = clock.monotonic();
          await beat(member, clock.now());
        }
        return lookAsMember(member);
      };
      await look();
      const run = (async () => {
        while (!end.signal.aborted) {
          await look();
          await sleep(clock, lookMs, end.signal).catch(() => undefined);
        }
      })();
      const stop = async () => {
        end.abort();
        await run;
      };
      return { stop, kill: stop };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
