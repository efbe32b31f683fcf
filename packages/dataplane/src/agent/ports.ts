import { directPort } from '../desired/devices.ts';

/**
 * The default ports of an agent. `health` is served on the loopback address of its Node. The kernel
 * of the Node receives tunnel packets at `tunnel`, and encrypted packets at `wireGuard`. At
 * `direct`, agents of other clusters ask whether Pods can be reached without a tunnel.
 */
export const agentPorts = { health: 8482, metrics: 8483, tunnel: 8479, direct: directPort, wireGuard: 51_821 } as const;
