import { describe, expect, test } from 'vitest';
import { diffNetworks } from './diff.ts';
import { emptyNetwork, ruleKey } from './network.ts';
import type { Network, PolicyRule } from './network.ts';
import { renderChange } from './render.ts';

test('rules of routes name UDP by its number, as the image of the agent has no names of protocols', () => {
  const rule: PolicyRule = { family: 'IPv4', priority: 495, udp: { end: 'dport', port: 8484 }, table: 254 };
  const change = diffNetworks(emptyNetwork, { ...emptyNetwork, rules: new Map([[ruleKey(rule), rule]]) });
  const lines = renderChange(change).flatMap((batch) => batch.lines);
  expect(lines).toContain('rule add priority 495 ipproto 17 dport 8484 lookup 254 protocol 73');
});

describe('rules of nft', () => {
  const ruled = (...rules: readonly string[]) => ({ ...emptyNetwork, chains: new Map([['import/a', { rules }]]) });
  const written = (before: Network, after: Network) =>
    renderChange(diffNetworks(before, after)).flatMap((batch) => batch.lines);

  test('are written within their chain, for which nft does not read the table', () => {
    expect(written(ruled('drop'), ruled('counter drop', 'accept'))).toEqual([
      'add table inet isthmus',
      'flush chain inet isthmus import/a',
      'add chain inet isthmus import/a {',
      'counter drop',
      'accept',
      '}',
    ]);
  });

  test('that name a set are written in a way for which nft reads which sets there are', () => {
    expect(written(ruled('drop'), ruled('ip saddr @own4 accept'))).toContain(
      'add rule inet isthmus import/a ip saddr @own4 accept',
    );
  });

  test('leave nothing to write where there are none', () => {
    expect(written(ruled('drop'), ruled())).toEqual(['add table inet isthmus', 'flush chain inet isthmus import/a']);
  });
});
