import type { Clock } from '@isthmus/machinery';
import type { Probe } from './probe.ts';
import { createSizeProbe } from './sizes/size-probe.ts';
import { createTcpProbe } from './tcp-probe.ts';

/** The probes that an agent sends: of its Node's network, with the programs of its kernel alone. */
export function createNodeProbe(clock: Clock): Probe {
  const [plain, sized] = [createTcpProbe(clock), createSizeProbe(clock)];
  return (target, timeoutMs) => (target.bytes === undefined ? plain : sized)(target, timeoutMs);
}
