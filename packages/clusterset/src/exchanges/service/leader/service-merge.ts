import { Label } from '@isthmus/api';
import type { LeaderExchange } from '../../../exchange/leader/leader-exchange.ts';
import { decideService } from './decide.ts';
import { importBases, isPublishedService } from './imports.ts';
import { isServiceHalf, mergeKeys } from './read-export.ts';

/** What a leader does with exported Services and their endpoints. One key: one import base. */
export const serviceMerge: LeaderExchange = {
  controller: 'service-merge',
  exportKeys: mergeKeys,
  importKeys: importBases,
  importNames(base, exports) {
    const clusterIDs = new Set(exports.map(({ spec }) => spec?.clusterID ?? ''));
    return [`${base}-service`, `${base}-endpoints`, ...[...clusterIDs].map((id) => `${base}-endpoints.${id}`)];
  },
  isSource: isServiceHalf,
  isPublished: isPublishedService,
  sources: ({ spec }) => ({
    by: 'labels',
    labels: { [Label.sourceNamespace]: spec?.namespace ?? '', [Label.sourceName]: spec?.name ?? '' },
  }),
  decide: decideService,
};
