import { directPort } from '../desired/devices.ts';

/**
 * Where an agent answers, on the loopback address of its Node, where it serves metrics, and where the kernel of the Node receives tunnel packets, and encrypted ones, and where agents of other clusters ask whether Pods are reached without a tunnel, unless its flags say
 * otherwise.
 */
export const agentPorts = { health: 8482, metrics: 8483, tunnel: 8479, direct: directPort, wireGuard: 51_821 } as const;
