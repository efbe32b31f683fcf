/**
 * How long the controllers of a cluster follow one watch: no middlebox cuts what stays in one
 * process.
 */
export const watchSeconds = 3_000;
