import type { ReadySkewRule } from '../rule-set.ts';

/** A rule about kube-proxy and kubelet of one Node, up to one minor apart, but for `more`. */
export function skewRule(more: Partial<ReadySkewRule>): ReadySkewRule {
  return {
    id: 'test.rule',
    severity: 'block',
    source: 'a test',
    subject: 'kube-proxy',
    reference: 'kubelet',
    scope: 'node',
    newer: { minors: 1, patches: 'any' },
    older: { minors: 1, patches: 'any' },
    holds: 'always',
    when: {},
    minors: undefined,
    whenSubject: undefined,
    whenReference: undefined,
    ...more,
  };
}
