import { Label, dottedName } from '@isthmus/api';
import type { LeaderExchange } from '@isthmus/wire';
import { decideService } from './decide.ts';
import { importBases } from './imports.ts';
import { exportIdentity, isSeenByItsCluster, mergeKeys } from './read-export.ts';
import { isWhole, sourceCluster, substitutesOf } from './substitutes.ts';

/** The leader's part for exported Services and their endpoints. One key: one import base. */
export const serviceMerge: LeaderExchange = {
  controller: 'service-merge',
  exportKeys: mergeKeys,
  importKeys: importBases,
  importNames(base, exports) {
    const clusterIDs = new Set(exports.map(({ spec }) => spec?.clusterID ?? ''));
    const joined = [`${base}-service`, `${base}-endpoints`, ...[...clusterIDs].map((id) => `${base}-endpoints.${id}`)];
    const namespaces = new Set(exports.map(({ spec }) => spec?.namespace ?? '').filter((one) => base.startsWith(one)));
    return [...joined, ...[...namespaces].flatMap((namespace) => joined.map((name) => dottedName(name, namespace)))];
  },
  traced: {
    sourceOf: sourceCluster,
    substitutes: substitutesOf,
    identityOf: exportIdentity,
    objectOf: ({ spec }) => `${spec?.namespace}/${spec?.name}`,
    isSeen: isSeenByItsCluster,
    isWhole,
  },
  sources(object) {
    const { namespace = '', name = '' } = object.spec ?? {};
    const clusterID = sourceCluster(object);
    return {
      by: 'labels',
      labels: {
        [Label.sourceNamespace]: namespace,
        [Label.sourceName]: name,
        ...(clusterID === undefined ? {} : { [Label.sourceClusterID]: clusterID }),
      },
    };
  },
  grants: {
    // The ranges of an Observed object restrict networks only.
    part: ({ origin, state, namespaces, pods, services, gateways }) =>
      origin === 'Observed' ? [state, namespaces] : [state, namespaces, pods, services, gateways],
    arePartOfEach: false,
  },
  decide: decideService,
};
