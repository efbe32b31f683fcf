import type { LabelIdentity, ResourceImport } from '@isthmus/api';
import type { Live } from '@isthmus/machinery';
import { labelIdentityHash } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { decideLabelImport } from './decide.ts';

const label = 'ns:kubernetes.io/metadata.name=shop&pod:app=cart';
const name = labelIdentityHash(label);
const remote = (id: unknown = 7, text: unknown = label): ResourceImport => ({
  metadata: { name },
  spec: { kind: 'LabelIdentity', labelIdentity: { id: id as number, label: text as string } },
});
const antreas: Live<LabelIdentity> = { metadata: { name }, spec: { label, id: 7 } };
const foreign: Live<LabelIdentity> = {
  metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'somebody' } },
  spec: { label, id: 7 },
};

describe('a number that the leader gave', () => {
  it('is imported with its labels, and taken over from Antrea', () => {
    const made = decideLabelImport({ remote: remote(), current: undefined });
    expect(made).toMatchObject({ kind: 'import', object: { metadata: { name }, spec: { label, id: 7 } } });
    expect(decideLabelImport({ remote: remote(), current: antreas })).toMatchObject({
      kind: 'import',
      object: { metadata: { labels: { 'app.kubernetes.io/managed-by': 'isthmus' } } },
    });
  });

  it('is created again where it differs, and goes with its import', () => {
    expect(decideLabelImport({ remote: remote(8), current: antreas })).toMatchObject({
      kind: 'replace',
      object: antreas,
      by: { spec: { id: 8 } },
    });
    expect(decideLabelImport({ remote: undefined, current: antreas })).toEqual({ kind: 'withdraw', object: antreas });
    expect(decideLabelImport({ remote: undefined, current: undefined })).toEqual({ kind: 'nothing' });
  });

  it('of which an older import of other labels has the same one is not imported, and does not stay', () => {
    const at = (creationTimestamp: string, from: ResourceImport): ResourceImport => ({
      ...from,
      metadata: { ...from.metadata, creationTimestamp },
    });
    const [older, younger] = ['2026-11-21T10:00:00Z', '2026-11-21T11:00:00Z'];
    const other: ResourceImport = {
      metadata: { name: 'ffff000011112222', creationTimestamp: older },
      spec: { kind: 'LabelIdentity' },
    };
    const second = { remote: at(younger, remote()), sharedWith: other };
    expect(decideLabelImport({ ...second, current: undefined })).toEqual({
      kind: 'problem',
      reason: 'LabelNumberShared',
      message: `ResourceImports ffff000011112222 and ${name} of the leader give number 7 to two sets of labels. It is imported for ffff000011112222, the older one, so no rule with scope ClusterSet selects Pods with labels "ns:kubernetes.io/metadata.name=shop&pod:app=cart" here.`,
      obsolete: undefined,
    });
    expect(decideLabelImport({ ...second, current: antreas })).toMatchObject({ obsolete: antreas });
    expect(decideLabelImport({ ...second, current: foreign })).toMatchObject({ reason: 'LabelIdentityNotImported' });
    const first = { remote: at(older, remote()), sharedWith: at(younger, other) };
    expect(decideLabelImport({ ...first, current: undefined })).toMatchObject({ kind: 'import' });
  });

  it('does not touch what is not ours', () => {
    expect(decideLabelImport({ remote: remote(), current: foreign })).toMatchObject({ kind: 'problem' });
    expect(decideLabelImport({ remote: undefined, current: foreign })).toEqual({ kind: 'nothing' });
  });

  it.each([
    ['labels of another hash', remote(7, 'ns:&pod:')],
    ['no labels', remote(7, null)],
    ['no number', remote(null)],
    ['a number out of range', remote(16_777_215)],
    ['no payload', { metadata: { name }, spec: { kind: 'LabelIdentity' } }],
  ])('with %s changes nothing', (_, malformed) => {
    expect(decideLabelImport({ remote: malformed, current: antreas })).toMatchObject({ kind: 'problem' });
  });
});
