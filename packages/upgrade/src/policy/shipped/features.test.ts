import { describe, expect, it } from 'vitest';
import { parseVersion } from '../../version/parse-version.ts';
import { featuresAt } from '../testing/features-at.ts';
import { releaseNotes } from '../releases/release-notes.ts';
import { shippedPolicies } from './shipped-policies.ts';

const policies = shippedPolicies();
const at = (version: string) =>
  Object.fromEntries(
    featuresAt(parseVersion(version), 'antrea-agent', policies).map(({ feature, stage }) => [feature.name, stage]),
  );

describe('features of a release', () => {
  it('come, and become more stable, with minors', () => {
    expect(at('v0.10.2')).toEqual({ AntreaProxy: 'alpha', FlowExporter: 'alpha' });
    expect(at('v0.11.0')).toMatchObject({ AntreaProxy: 'beta' });
    expect(at('v0.12.9')).not.toHaveProperty('NodePortLocal');
    expect(at('v0.13.0')).toMatchObject({ NodePortLocal: 'alpha' });
    expect(at('v1.14.0')).toMatchObject({ NodePortLocal: 'ga', TopologyAwareHints: 'beta' });
  });

  it('go: deprecated first, then not there any more', () => {
    expect(at('v2.4.0')).toMatchObject({ L7FlowExporter: 'alpha' });
    expect(at('v2.5.1')).toMatchObject({ L7FlowExporter: 'deprecated', TopologyAwareHints: 'ga' });
    expect(at('v2.6.0')).not.toHaveProperty('L7FlowExporter');
  });

  it('of Kubernetes describe what its servers do with custom resources', () => {
    const stageAt = (version: string) =>
      featuresAt(parseVersion(version), 'kube-apiserver', policies).find(
        ({ feature }) => feature.gate === 'CRDValidationRatcheting',
      )?.stage;
    expect(['1.27.9', '1.29.0', '1.30.0', '1.33.1'].map(stageAt)).toEqual([undefined, 'alpha', 'beta', 'ga']);
  });
});

describe('notes of a release', () => {
  const ids = (from: string, to: string) =>
    releaseNotes(parseVersion(from), parseVersion(to), 'mc-leader', policies).map(({ rule }) => rule);

  it.each([
    ['v2.6.1', 'v2.7.0', ['mc.member-credentials', 'mc.until-all-members']],
    ['v2.7.0', 'v2.7.1', ['mc.until-all-members']],
    ['v1.5.0', 'v1.6.0', ['mc.selector-1.5', 'mc.until-all-members']],
    ['v1.5.2', 'v1.7.0', ['mc.selector-1.5', 'mc.until-all-members']],
    ['v1.12.0', 'v1.14.0', ['mc.cluster-claim', 'mc.until-all-members']],
  ])('from %s to %s', (from, to, rules) => {
    expect(ids(from, to)).toEqual(rules);
  });

  it('show how long releases of Antrea are maintained, how far four minors reach, and which managed Kubernetes they run on', () => {
    const notes = releaseNotes(parseVersion('v2.6.0'), parseVersion('v2.7.0'), 'antrea-controller', policies);
    const text = notes.map(({ why }) => why).join(' ');
    for (const fact of [
      'the two newest are maintained',
      'about three months',
      'Four minors of skew are about six months',
      'EKS',
      'GKE',
    ])
      expect(text).toContain(fact);
  });
});
