// By what the agent recognises in the kernel what is its own.

/** The nft table that holds everything of ours. */
export const ownTable = { family: 'inet', name: 'isthmus' } as const;

/** Marks our routes and next hops, as `protocol`. */
export const routeProtocol = 73;

/** UDP in rules of routes, as IANA numbers protocols. Its name needs `/etc/protocols`, which the image of the agent does not have. */
export const udpNumber = 17;

/** Our devices, by their names. */
export const devicePrefix = 'isthmus-';
