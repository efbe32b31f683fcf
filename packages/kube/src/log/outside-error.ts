/**
 * What something outside of the process refused or did not answer: an API server, a connection. Its
 * message names the call; a stack would only show our own code, so the log writes none.
 */
export class OutsideError extends Error {}
