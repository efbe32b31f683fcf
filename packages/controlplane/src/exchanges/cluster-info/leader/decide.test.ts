import type { ResourceExport, ResourceImport } from '@isthmus/api';
import { defaultLeaderConfig, nothingNew, unknownReaders } from '@isthmus/wire';
import type { ExportGroup } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { noAnswers } from '../../../common-area/write-imports.ts';
import { clusterInfoMerge, decideClusterInfo } from './decide.ts';

const now = '2026-11-22T10:00:00Z';
const clusterInfo = {
  clusterID: 'east',
  serviceCIDR: '10.96.0.0/12',
  podCIDRs: ['10.10.0.0/16'],
  gatewayInfos: [{ gatewayIP: '192.0.2.10' }],
};
const exported: ResourceExport = {
  metadata: {
    name: 'east-clusterinfo',
    namespace: 'antrea-multicluster',
    finalizers: ['resourceexport.antrea.io/finalizer'],
  },
  spec: { kind: 'ClusterInfo', clusterID: 'east', name: 'east', namespace: 'kube-system', clusterInfo },
};
/** As Antrea's leader writes it. */
const published: ResourceImport = {
  metadata: { name: 'east-clusterinfo', namespace: 'antrea-multicluster' },
  spec: { kind: 'ClusterInfo', name: 'east-clusterinfo', namespace: 'antrea-multicluster', clusterinfo: clusterInfo },
};
const ours: ResourceImport = {
  ...published,
  metadata: { ...published.metadata, labels: { 'app.kubernetes.io/managed-by': 'isthmus' } },
};

const decide = (exports: readonly ResourceExport[], imports: readonly ResourceImport[] = []) =>
  decideClusterInfo({ exports, imports, now, readers: unknownReaders, incompleteForMs: new Map(), ...noAnswers });
const answerTo = (object: ResourceExport, imports: readonly ResourceImport[] = []) =>
  decide([object], imports).statuses[0]?.conditions[0];

describe('the network of a cluster', () => {
  it('is published as it was exported, under the same name, in the form of an Antrea leader', () => {
    const { wanted, unwanted } = decide([exported]);
    expect(wanted.map(({ metadata, spec }) => ({ name: metadata.name, spec }))).toEqual([
      { name: 'east-clusterinfo', spec: published.spec },
    ]);
    expect(unwanted).toEqual([]);
    expect(answerTo(exported)).toMatchObject({ type: 'Succeeded', status: 'True' });
  });

  it('is published with the addresses that answer probes in its Pod CIDRs, and none outside of them', () => {
    const annotated = (text: string): ResourceExport => ({
      ...exported,
      metadata: { ...exported.metadata, annotations: { 'isthmus.dev/direct-probes': text } },
    });
    const publishedOf = (text: string) =>
      decide([annotated(text)]).wanted[0]?.metadata.annotations?.['isthmus.dev/direct-probes'];
    expect(publishedOf('10.10.1.0,10.96.0.1,192.0.2.10,10.10.2.0')).toBe('10.10.1.0,10.10.2.0');
    expect(publishedOf('192.0.2.10')).toBeUndefined();
    expect(publishedOf('{')).toBeUndefined();
  });

  it('takes over the import that an Antrea leader made for it', () => {
    expect(decide([exported], [published]).wanted).toHaveLength(1);
  });

  it.each([
    ['that an Antrea leader made', published],
    ['of ours', ours],
  ])('stays published as in an import %s, where nothing new is published', (_what, present) => {
    const grantOf = () => nothingNew;
    const { wanted, unwanted } = decideClusterInfo({
      exports: [exported],
      imports: [present],
      now,
      grantOf,
      readers: unknownReaders,
      incompleteForMs: new Map(),
      ...noAnswers,
    });
    expect(wanted.map(({ spec }) => spec?.clusterinfo)).toEqual([clusterInfo]);
    expect(unwanted).toEqual([]);
  });

  it.each([
    ['our import', ours],
    ['an Antrea import', published],
  ])('is withdrawn with %s before the deleted export is released', (_, present) => {
    const deleted = { ...exported, metadata: { ...exported.metadata, deletionTimestamp: now } };
    expect(decide([deleted], [present])).toMatchObject({ wanted: [], unwanted: [present], released: [deleted] });
  });

  it('whose export is gone leaves only our import to be removed', () => {
    expect(decide([], [ours]).unwanted).toEqual([ours]);
    expect(decide([], [published]).unwanted).toEqual([]);
  });
});

describe('a network whose ranges another cluster announces too', () => {
  const of = (clusterID: string, info: object): ResourceExport => ({
    metadata: { name: `${clusterID}-clusterinfo`, creationTimestamp: '2026-11-22T09:00:00Z' },
    spec: { kind: 'ClusterInfo', clusterID, name: clusterID, clusterInfo: { clusterID, ...info } },
  });
  const judge = (object: ResourceExport, rivals: readonly ResourceExport[], config?: ExportGroup['config']) => {
    const decision = decideClusterInfo({
      exports: [object],
      imports: [],
      rivals: rivals.map((rival) => ({ object: rival, published: undefined })),
      config,
      now,
      readers: unknownReaders,
      incompleteForMs: new Map(),
      ...noAnswers,
    });
    const [wanted] = decision.wanted;
    return {
      published: wanted?.spec?.clusterinfo,
      annotation: wanted?.metadata.annotations?.['isthmus.dev/network-conflict'],
      conditions: decision.statuses[0]?.conditions.map(({ type, status, reason }) => [type, status, reason].join(' ')),
    };
  };
  const east = of('east', { serviceCIDR: '10.96.0.0/16', podCIDRs: ['10.10.0.0/16'] });

  it('is published without its Pod CIDRs, and both exports and imports carry the conflict', () => {
    const west = of('west', { serviceCIDR: '10.97.0.0/16', podCIDRs: ['10.10.0.0/16', '10.11.0.0/16'] });
    const conflict = expect.stringMatching(
      /^{"reason":"RangeOverlaps","message":"Cluster west announces Pod CIDR /,
    ) as string;
    const conditions = ['Succeeded True ', 'NetworkConflict True RangeOverlaps'];
    expect(judge(west, [east])).toEqual({
      published: { clusterID: 'west', serviceCIDR: '10.97.0.0/16', podCIDRs: ['10.11.0.0/16'] },
      annotation: conflict,
      conditions,
    });
    expect(judge(east, [west])).toEqual({ published: east.spec?.clusterInfo, annotation: conflict, conditions });
  });

  it('is not published without its Service CIDR', () => {
    const west = of('west', { serviceCIDR: '10.96.0.0/16' });
    expect(judge(west, [east])).toEqual({
      published: undefined,
      annotation: undefined,
      conditions: ['Failure False ConvergeFailure', 'NetworkConflict True RangeOverlaps'],
    });
  });

  it('is published whole where the export of the other is not valid', () => {
    const west = of('west', { serviceCIDR: '10.96.0.0/16' });
    expect(judge(west, [{ ...east, spec: { ...east.spec, clusterID: 'north' } }]).conditions).toEqual([
      'Succeeded True ',
    ]);
  });

  it('may have only ranges that the leader allows', () => {
    const config = { ...defaultLeaderConfig, allowedCIDRs: ['10.96.0.0/16'] };
    expect(judge(east, [], config)).toMatchObject({
      published: { clusterID: 'east', serviceCIDR: '10.96.0.0/16' },
      conditions: ['Succeeded True ', 'NetworkConflict True RangeNotAllowed'],
    });
  });
});

describe('an export of cluster information that is not published', () => {
  const changed = (spec: object, name = 'east-clusterinfo'): ResourceExport => ({
    ...exported,
    metadata: { ...exported.metadata, name },
    spec: { ...exported.spec, ...spec },
  });

  it.each([
    ['whose name is that of another cluster', changed({}, 'west-clusterinfo'), 'the name must be east-clusterinfo'],
    ['without a payload', changed({ clusterInfo: undefined }), 'spec.clusterInfo is missing'],
    [
      'that speaks of another cluster',
      changed({ clusterInfo: { ...clusterInfo, clusterID: 'west' } }),
      'spec.clusterInfo.clusterID "west" is not east',
    ],
    ['without a cluster ID', changed({ clusterID: '' }), 'spec.clusterID "" must not be empty'],
  ])('is one %s, and it is reported', (_, object, message) => {
    expect(decide([object]).wanted).toEqual([]);
    expect(answerTo(object)).toMatchObject({
      type: 'Failure',
      status: 'False',
      reason: 'ConvergeFailure',
      message: expect.stringContaining(message),
    });
  });

  it('is one whose name an import of another kind has, which is left alone', () => {
    const foreign: ResourceImport = { ...published, spec: { kind: 'Endpoints', namespace: 'shop', name: 'cart' } };
    const decision = decide([exported], [foreign]);
    expect(decision).toMatchObject({ wanted: [], unwanted: [] });
    expect(answerTo(exported, [foreign])?.message).toContain('was not created by this leader');
  });
});

it.each<readonly [string, Partial<ResourceExport>, boolean]>([
  ['that is valid', {}, true],
  ['under another name', { metadata: { ...exported.metadata, name: 'east-clusterinfo-2' } }, false],
  ['of another cluster', { spec: { ...exported.spec, clusterID: 'west' } }, false],
  ['without a network', { spec: { ...exported.spec, clusterInfo: undefined } }, false],
])('an export %s takes part in the comparison of ranges only where it is valid', (_, changed, may) => {
  expect(clusterInfoMerge.contention?.stakeOf({ ...exported, ...changed }) !== undefined).toBe(may);
});
