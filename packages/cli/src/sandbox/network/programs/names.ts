/**
 * The words by which `isthmus` runs one of these programs instead of a command. They are not
 * commands: only a sandbox uses them.
 */
export const sandboxPrograms = { pod: '__sandbox-pod', node: '__sandbox-node' } as const;

/** The line that a program writes first, when it can be called. */
export const readyLine = 'ready';
