/** How much each cluster imports of one other cluster. */
export interface ImportQuotas {
  readonly services: number;
  readonly endpointSlices: number;
  readonly endpoints: number;
  /** Changes of one object. */
  readonly changesPerMinute: number;
}

/** The quotas that an administrator sets. */
export type GrantedQuotas = { readonly [Quota in keyof ImportQuotas]?: ImportQuotas[Quota] | undefined };

/**
 * The quotas of a cluster whose grant does not set them. They leave room for the largest clusters
 * that are known, and keep what one cluster makes in each other one below 100 MB.
 */
const defaultQuotas: ImportQuotas = {
  services: 10_000,
  endpointSlices: 20_000,
  endpoints: 200_000,
  changesPerMinute: 120,
};

/**
 * What all clusters without quotas of their own have together: a leader can publish Services of
 * clusters that do not exist.
 */
export const totalQuotas: Omit<ImportQuotas, 'changesPerMinute'> = {
  services: 5 * defaultQuotas.services,
  endpointSlices: 5 * defaultQuotas.endpointSlices,
  endpoints: 5 * defaultQuotas.endpoints,
};

/** The quotas of a grant, with the defaults of those that it does not set. */
export function quotasOf({ quotas = {} }: { readonly quotas?: GrantedQuotas | undefined }): ImportQuotas {
  return {
    services: quotas.services ?? defaultQuotas.services,
    endpointSlices: quotas.endpointSlices ?? defaultQuotas.endpointSlices,
    endpoints: quotas.endpoints ?? defaultQuotas.endpoints,
    changesPerMinute: quotas.changesPerMinute ?? defaultQuotas.changesPerMinute,
  };
}
