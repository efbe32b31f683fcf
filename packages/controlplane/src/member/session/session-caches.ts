import { Label, MemberClusterAnnounce, ResourceExport, ResourceImport, memberAnnounceName } from '@isthmus/api';
import type { CacheLimits, Client, RunnableCache, World } from '@isthmus/kube';
import { createCache } from '@isthmus/kube';
import { isMeantFor } from '@isthmus/wire';
import type { Exchange } from '../../define-exchange.ts';
import { indexesOf } from '../../exchange-indexes.ts';
import { ownExportLimits } from '../../own-cluster/own-export-limits.ts';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';

/** The objects that a member reads in the Common Area. */
export interface SessionCaches {
  readonly exports: RunnableCache<ResourceExport>;
  readonly imports: RunnableCache<ResourceImport>;
  /** The announcement of this member only. */
  readonly announces: RunnableCache<MemberClusterAnnounce>;
}

export function createSessionCaches(options: {
  readonly client: Client;
  readonly spec: SessionSpec;
  readonly exchanges: readonly Exchange[];
  readonly world: World;
  readonly exportLimits?: CacheLimits<ResourceExport> | undefined;
}): SessionCaches {
  const { client, spec, exchanges, world } = options;
  const { clusterID, leaderNamespace: namespace } = spec;
  return {
    exports: createCache<ResourceExport>({
      ...world,
      client,
      type: ResourceExport,
      namespace,
      labelSelector: `${Label.sourceClusterID}=${clusterID}`,
      name: 'leader-resourceexports',
      indexes: indexesOf(exchanges, ({ member }) => member.exportKeys),
      limits: ownExportLimits(clusterID, options.exportLimits),
    }),
    imports: createCache<ResourceImport>({
      ...world,
      client,
      type: ResourceImport,
      namespace,
      name: 'leader-resourceimports',
      // An import for other clusters has no key here, so no controller finds it.
      indexes: {
        ...indexesOf(
          exchanges,
          ({ member }) =>
            (object: ResourceImport) =>
              isMeantFor(object, clusterID) ? member.importKeys(object) : [],
        ),
        ...Object.fromEntries(exchanges.flatMap(({ member }) => Object.entries(member.importIndexes ?? {}))),
      },
    }),
    announces: createCache<MemberClusterAnnounce>({
      ...world,
      client,
      type: MemberClusterAnnounce,
      namespace,
      fieldSelector: `metadata.name=${memberAnnounceName(clusterID)}`,
      name: 'leader-memberclusterannounces',
    }),
  };
}
