import { describe, expect, it } from 'vitest';
import { componentOf } from '../bundle/testing/bundle-of.ts';
import { requirementFindings } from './requirement-findings.ts';

const core = (upstream: string, ...contracts: readonly string[]) =>
  componentOf({ id: 'capi-core', version: { upstream }, contracts: contracts.map((one) => `cluster-api/${one}`) });
const infra = (requirement: object) =>
  componentOf({
    id: 'capi-infra',
    version: { upstream: 'v1.4.0' },
    requires: [{ component: 'capi-core', ...requirement }],
  });

const needs = { contract: 'cluster-api/v1beta1' };

describe('what components require of each other', () => {
  it('31 · core moves to contract v1beta2 and infra stays on v1beta1: blocked, and infra has to come along', () => {
    expect(requirementFindings([core('v1.11.0', 'v1beta2'), infra(needs)], 'admin')).toEqual([
      {
        rule: 'bundle.requirement',
        severity: 'block',
        subject: { cluster: 'admin', component: 'capi-infra' },
        why: 'capi-infra v1.4.0 requires capi-core with contract cluster-api/v1beta1; capi-core v1.11.0 does not implement it (it implements cluster-api/v1beta2)',
        unblock:
          'include capi-infra in the same upgrade, at a version that goes with capi-core v1.11.0; or keep capi-core at one that goes with capi-infra v1.4.0',
        source: 'the bundle, capi-infra.requires',
      },
    ]);
  });

  it('31 · core that implements both contracts passes', () => {
    expect(requirementFindings([core('v1.10.0', 'v1beta1', 'v1beta2'), infra(needs)])).toEqual([]);
  });

  it.each([
    ['is not there', [infra({})], 'capi-core is not there'],
    ['is too old', [core('v1.9.9'), infra({ range: '>=1.10' })], 'capi-core v1.9.9 is not in that range'],
    ['implements nothing', [core('v1.9.9'), infra(needs)], 'it implements none'],
  ])('are told where the other one %s', (_what, components, why) => {
    expect(requirementFindings(components)[0]?.why).toContain(why);
  });

  it('are met by any version where no range is given', () => {
    expect(requirementFindings([core('whatever'), infra({})])).toEqual([]);
    expect(requirementFindings([core('v1.10.3'), infra({ range: '>=1.10 <1.11', reason: 'webhooks' })])).toEqual([]);
  });
});
