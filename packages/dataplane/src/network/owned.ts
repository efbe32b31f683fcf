// By what the agent recognises in the kernel what is its own.

/** The nft table that holds everything of ours. */
export const ownTable = { family: 'inet', name: 'isthmus' } as const;

/** Marks our routes and next hops, as `protocol`. */
export const routeProtocol = 73;

/** Our devices, by their names. */
export const devicePrefix = 'isthmus-';
