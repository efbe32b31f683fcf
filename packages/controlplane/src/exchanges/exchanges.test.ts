import {
  SourceKind,
  knownClusterStatus,
  leaderClusterSetStatus,
  memberClusterSetStatus,
  statusDefinitions,
} from '@isthmus/api';
import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { exchanges } from './index.ts';

const exportOf = (kind: string): ResourceExport => ({
  metadata: { name: 'x' },
  spec: { kind, clusterID: 'east', namespace: 'shop', name: 'cart' },
});
const importOf = (kind: string): ResourceImport => ({
  metadata: { name: 'x' },
  spec: { kind, namespace: 'shop', name: 'cart' },
});
const kinds = [...Object.values(SourceKind), 'None'];

describe('the exchanges', () => {
  it('have names of their own, and controllers of their own', () => {
    const names = [...exchanges.map(({ name }) => name), ...exchanges.map(({ leader }) => leader.controller)];
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(kinds)('do not share the kind %s', (kind) => {
    const claims = exchanges.filter(
      ({ leader }) => leader.exportKeys(exportOf(kind)).length > 0 || leader.importKeys(importOf(kind)).length > 0,
    );
    expect(claims.length).toBeLessThanOrEqual(1);
  });

  it('report, together with the ClusterSets and KnownClusters, all that the troubleshooting page lists', () => {
    const others = [leaderClusterSetStatus, memberClusterSetStatus, knownClusterStatus];
    const reported = [...exchanges.flatMap(({ statuses }) => statuses), ...others];
    expect(new Set(reported)).toEqual(new Set(statusDefinitions));
  });
});
