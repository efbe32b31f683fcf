/** The gateway device of Antrea's agent, by the default of its configuration (`hostGateway`). */
const antreaDevice = 'antrea-gw0';

/**
 * Whether Antrea's agent has set up a Node with these devices, and therefore enforces policies
 * there.
 */
export const hasAntreaAgent = (devices: readonly string[]): boolean => devices.includes(antreaDevice);
