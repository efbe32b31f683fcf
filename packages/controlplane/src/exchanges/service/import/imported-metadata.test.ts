import { expect, it } from 'vitest';
import { importedMetadata } from './imported-metadata.ts';

const ref = { name: 'cart', namespace: 'shop' };
const imported = importedMetadata(
  { ...ref, labels: { own: 'x', team: 'before' }, annotations: { seen: 'yes' } },
  { exportedLabels: { team: 'shop', tier: 'web' }, exportedAnnotations: { note: 'text' } },
);

it('has what is exported beside what is there', () => {
  expect(imported.labels).toEqual({ own: 'x', team: 'shop', tier: 'web' });
  expect(imported.annotations).toEqual({
    seen: 'yes',
    note: 'text',
    'isthmus.dev/imported-keys': '{"annotations":["note"],"labels":["team","tier"]}',
  });
});

it('loses what is exported no longer, and nothing else', () => {
  expect(importedMetadata(imported, { exportedLabels: { tier: 'web' } })).toEqual({
    ...ref,
    labels: { own: 'x', tier: 'web' },
    annotations: { seen: 'yes', 'isthmus.dev/imported-keys': '{"labels":["tier"]}' },
  });
  expect(importedMetadata(imported, {})).toEqual({ ...ref, labels: { own: 'x' }, annotations: { seen: 'yes' } });
});

it('is as it was while nobody knows what is exported', () => {
  expect(importedMetadata(imported, undefined)).toBe(imported);
});

it('is put back where somebody changed it', () => {
  const { labels, annotations } = imported;
  const changed = { ...ref, labels: { ...labels, team: 'thief' }, annotations: { ...annotations, note: '' } };
  const exported = { exportedLabels: { team: 'shop', tier: 'web' }, exportedAnnotations: { note: 'text' } };
  expect(importedMetadata(changed, exported)).toEqual(imported);
});

it.each(['nonsense', '[]', '{"labels":"team"}', '{"labels":["app.kubernetes.io/managed-by"]}'])(
  'keeps all labels where the list of imported keys is %s',
  (text) => {
    const labels = { team: 'shop', 'app.kubernetes.io/managed-by': 'isthmus' };
    const current = { ...ref, labels, annotations: { 'isthmus.dev/imported-keys': text } };
    expect(importedMetadata(current, {}).labels).toEqual(labels);
  },
);
