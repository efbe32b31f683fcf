/**
 * Where an agent answers, on the loopback address of its Node, where it serves metrics, and where the kernel of the Node receives tunnel packets, and encrypted ones, unless its flags say
 * otherwise.
 */
export const agentPorts = { health: 8482, metrics: 8483, tunnel: 8479, wireGuard: 51_821 } as const;
