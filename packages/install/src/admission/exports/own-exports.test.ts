import { SourceKind } from '@isthmus/api';
import type { ResourceExport } from '@isthmus/api';
import { exchanges } from '@isthmus/controlplane';
import { describe, expect, it } from 'vitest';
import { ownExportsRule } from './own-exports.ts';
import { policyExportsRule } from './policy-exports.ts';

const exportOf = (kind: string): ResourceExport => ({
  metadata: { name: 'x' },
  spec: { kind, clusterID: 'east', namespace: 'shop', name: 'cart' },
});

const isExportedByMembers = (kind: string) =>
  exchanges.some(({ member }) => (member.exportKeys?.(exportOf(kind)) ?? []).length > 0);

describe('the exports that the API server of a leader accepts from members', () => {
  it.each(Object.values(SourceKind))('are of kind %s only if members export it', (kind) => {
    const [accepted = ''] = ownExportsRule
      .requires('area')
      .map(({ message }) => message)
      .filter((message) => message.startsWith('a member can export only the kinds '));
    expect(new RegExp(`\\b${kind}\\b`).test(accepted), `the kinds in admission/own-exports.ts: ${accepted}`).toBe(
      isExportedByMembers(kind),
    );
  });

  // These are kinds of ResourceImports only.
  const ofImports: readonly string[] = [SourceKind.serviceImport, SourceKind.endpointSlices];
  const ofAdministrators = Object.values(SourceKind).filter(
    (kind) => !isExportedByMembers(kind) && !ofImports.includes(kind),
  );
  it.each(ofAdministrators)(
    'are not of kind %s for any account of a member, whether it is bound to a cluster or not',
    (kind) => {
      expect(policyExportsRule.judges('area'), 'the kinds in admission/policy-exports.ts').toContain(`'${kind}'`);
    },
  );
});
