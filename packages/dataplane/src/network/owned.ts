// The marks by which the agent recognises its own items in the kernel.

/** The nft table that has everything of ours. */
export const ownTable = { family: 'inet', name: 'isthmus' } as const;

/** The `protocol` of our routes and next hops. */
export const routeProtocol = 73;

/**
 * The protocol number of UDP (IANA), for routing rules. Its name needs `/etc/protocols`, which the
 * image of the agent does not have.
 */
export const udpNumber = 17;

/** The prefix of the names of our devices. */
export const devicePrefix = 'isthmus-';
