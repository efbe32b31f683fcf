import { FixedName } from '@isthmus/api';
import { leaderNamespaced, manifests } from './manifests.ts';

/** Where the guides of Antrea Multi-cluster find their manifests in a checkout. */
const folder = 'multicluster/build/yamls';
/** The one that no file of `deploy` is: the others are links to those. */
export const guideLeader = `${folder}/antrea-multicluster-leader-namespaced.yml`;

/**
 * The manifests under the names that the guides of Antrea Multi-cluster have for them, by their
 * paths in a checkout. That of a leader's Namespace names `antrea-multicluster`, as the guides
 * since 1.8 expect; those before replace the word `changeme`, which `deploy/leader-namespaced.yaml`
 * has.
 */
export function guideManifests(version: string, imageDigest?: string): Readonly<Record<string, string>> {
  const { 'deploy/leader-global.yaml': global = '', 'deploy/member.yaml': member = '' } = manifests(
    version,
    imageDigest,
  );
  return {
    [`${folder}/antrea-multicluster-leader-global.yml`]: global,
    [guideLeader]: leaderNamespaced({ version, imageDigest, namespace: FixedName.leaderNamespace }),
    [`${folder}/antrea-multicluster-member.yml`]: member,
  };
}
