/**
 * An error from outside of the process: an API server or a connection that rejected a call or did
 * not answer. Its message names the call; a stack would only show our own code, so the log writes
 * none.
 */
export class OutsideError extends Error {}
