interface OfFamily {
  readonly addressType: string;
}

/**
 * Slices of ClusterIPs with the Pods `behind` them: the first slice of each family has all Pods of
 * that family, without the field for the family (docs/spec/wire.md §8.1).
 */
export function withPodsBehind<S extends OfFamily, P extends OfFamily>(
  slices: readonly S[],
  behind: readonly P[],
): readonly (S & { readonly pods?: readonly Omit<P, 'addressType'>[] })[] {
  const byFamily = Map.groupBy(behind, ({ addressType }) => addressType);
  return slices.map((slice) => {
    const pods = byFamily.get(slice.addressType);
    byFamily.delete(slice.addressType);
    return pods === undefined ? slice : { ...slice, pods: pods.map(withoutFamily) };
  });
}

function withoutFamily<P extends OfFamily>(pod: P): Omit<P, 'addressType'> {
  const { addressType: _, ...others } = pod;
  return others;
}
