import type { Choose } from '../oracle/nft-rule.ts';
import type { Packet } from '../oracle/packet.ts';
import type { RoundTrip } from '../oracle/walk.ts';
import { roundTrip } from '../oracle/walk.ts';
import type { World } from '../oracle/world.ts';

/** Every round trip that a packet can make, for all random choices. */
export function allRoundTrips(world: World, packet: Packet): readonly RoundTrip[] {
  const found: RoundTrip[] = [];
  const todo: (readonly number[])[] = [[]];
  for (let given = todo.pop(); given !== undefined; given = todo.pop()) {
    const taken: number[] = [];
    const prefix = given;
    const choose: Choose = (count) => {
      const place = taken.length;
      const index = prefix[place] ?? 0;
      if (place >= prefix.length) for (let other = count - 1; other > 0; other--) todo.push([...taken, other]);
      taken.push(index);
      return index;
    };
    found.push(roundTrip(world, packet, choose));
  }
  return found;
}
