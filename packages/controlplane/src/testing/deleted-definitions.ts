import { CustomResourceDefinition } from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';

/** Deletes a definition on the leader. Returns a function that applies it again. */
export function deleteDefinition({ leader }: VirtualFleet, resource: string): () => void {
  const { admin } = leader.server;
  const ref = { namespace: '', name: `${resource}.multicluster.crd.antrea.io` };
  const spec = admin.get(CustomResourceDefinition, ref)?.spec;
  if (spec === undefined) throw new Error(`the leader has no definition ${ref.name}`);
  admin.delete(CustomResourceDefinition, ref);
  return () => {
    admin.put(CustomResourceDefinition, { metadata: { name: ref.name }, spec });
  };
}
