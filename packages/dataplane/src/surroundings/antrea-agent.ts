/** The gateway device of Antrea's agent, as its configuration has it by default (`hostGateway`). */
const antreaDevice = 'antrea-gw0';

/** Whether Antrea's agent has set up a Node with these devices, and so enforces policies there. */
export const hasAntreaAgent = (devices: readonly string[]): boolean => devices.includes(antreaDevice);
