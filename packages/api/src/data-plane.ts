/**
 * Whether agents of Isthmus carry the packets of a cluster with that data plane, as annotation
 * `isthmus.dev/dataplane` names it (docs/spec/wire.md §9).
 */
export function isIsthmusDataPlane(name: string | undefined): boolean {
  return name === 'isthmus' || name?.startsWith('isthmus/') === true;
}
