/**
 * The duration of one watch of a cluster's controllers: no middlebox cuts connections within a
 * process.
 */
export const watchSeconds = 3_000;
