import type { ClusterInfoImport, ResourceImport } from '@isthmus/api';
import type { Live } from '@isthmus/machinery';
import { liveOf } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { ClusterInfoImportInput } from './decide.ts';
import { decideClusterInfoImport, importKeys } from './decide.ts';

const clusterinfo = { clusterID: 'east', serviceCIDR: '10.96.0.0/12', gatewayInfos: [{ gatewayIP: '192.0.2.10' }] };
const remote: ResourceImport = {
  metadata: { name: 'east-clusterinfo', namespace: 'antrea-multicluster' },
  spec: { kind: 'ClusterInfo', name: 'east-clusterinfo', namespace: 'antrea-multicluster', clusterinfo },
};
const imported: Live<ClusterInfoImport> = {
  metadata: {
    name: 'east-clusterinfo',
    namespace: 'kube-system',
    labels: { 'app.kubernetes.io/managed-by': 'isthmus' },
    annotations: {},
  },
  spec: clusterinfo,
};
const antreas: Live<ClusterInfoImport> = {
  ...imported,
  metadata: { name: 'east-clusterinfo', namespace: 'kube-system' },
};

const decide = (input: Partial<ClusterInfoImportInput>) =>
  decideClusterInfoImport({ remote, current: undefined, clusterID: 'west', namespace: 'kube-system', ...input });

describe('the network of another cluster', () => {
  it('is imported with the payload as the leader publishes it', () => {
    expect(decide({})).toEqual({ kind: 'import', object: imported, conflict: 'absent', shrinks: undefined });
  });

  it('is imported with the addresses that answer probes, as long as the leader publishes some', () => {
    const annotations = { 'isthmus.dev/direct-probes': '10.10.1.0,10.10.2.0' };
    const importedFrom = (published: ResourceImport, current: Live<ClusterInfoImport> | undefined) => {
      const decision = decide({ remote: published, current });
      return decision.kind === 'import' ? liveOf(decision.object) : undefined;
    };
    const known = importedFrom({ ...remote, metadata: { ...remote.metadata, annotations } }, imported);
    expect(known?.metadata.annotations).toEqual(annotations);
    expect(importedFrom(remote, known)).toEqual(imported);
  });

  it('is taken over where an Antrea member imported it', () => {
    expect(decide({ current: antreas })).toEqual({
      kind: 'import',
      object: imported,
      conflict: 'absent',
      shrinks: undefined,
    });
  });

  it.each([
    ['no cluster publishes it any more', { remote: undefined }],
    ['the import has no payload', { remote: { ...remote, spec: { ...remote.spec, clusterinfo: undefined } } }],
    ['it is that of the own cluster', { clusterID: 'east' }],
  ])('is withdrawn where %s', (_, input) => {
    expect(decide({ ...input, current: imported })).toEqual({ kind: 'withdraw', object: imported });
    expect(decide(input)).toEqual({ kind: 'nothing' });
  });

  it('leaves an object alone that has the name and describes another cluster', () => {
    const foreign = { ...antreas, spec: { clusterID: 'south' } };
    expect(decide({ current: foreign })).toEqual({ kind: 'foreign', object: foreign });
    expect(decide({ current: foreign, remote: undefined })).toEqual({ kind: 'nothing' });
  });
});

describe('what the leader found about its ranges', () => {
  const found = (text: string) => {
    const metadata = { ...remote.metadata, annotations: { 'isthmus.dev/network-conflict': text } };
    const decision = decide({ remote: { ...remote, metadata } });
    return decision.kind === 'import' ? decision.conflict : undefined;
  };

  it('is the condition of the import', () => {
    const conflict = { reason: 'RangeOverlaps', message: 'Cluster west announces it too.' };
    expect(found(JSON.stringify(conflict))).toEqual({ status: 'True', ...conflict });
  });

  it.each(['', '{', '[]', 'null', '{"reason":"no reason","message":"m"}', '{"reason":"R"}', `"${'x'.repeat(9_000)}"`])(
    'is nothing where the annotation is not well-formed, as %s',
    (text) => {
      expect(found(text)).toBe('absent');
    },
  );
});

describe('the key of an import', () => {
  it.each([
    ['its name', remote, ['east-clusterinfo']],
    ['absent for another kind', { ...remote, spec: { ...remote.spec, kind: 'Endpoints' } }, []],
    ['absent where the name is that of another cluster', { ...remote, metadata: { name: 'west-clusterinfo' } }, []],
  ])('is %s', (_, object, keys) => {
    expect(importKeys(object)).toEqual(keys);
  });
});
