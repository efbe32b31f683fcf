/**
 * An endpoint counts as ready unless its condition is false: absent means ready
 * (EndpointConditions; defect B8).
 */
export function isReady(endpoint: {
  readonly conditions?: { readonly ready?: boolean | undefined } | undefined;
}): boolean {
  return endpoint.conditions?.ready !== false;
}

/**
 * Whether an endpoint takes traffic: it is ready, or it still serves while it terminates, which
 * matters if no other endpoint is ready (KEP-1669).
 */
export function isServing(endpoint: {
  readonly conditions?:
    | {
        readonly ready?: boolean | undefined;
        readonly serving?: boolean | undefined;
        readonly terminating?: boolean | undefined;
      }
    | undefined;
}): boolean {
  return isReady(endpoint) || (endpoint.conditions?.terminating === true && endpoint.conditions.serving === true);
}
