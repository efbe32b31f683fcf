import { expect, test } from 'vitest';
import { diffNetworks } from './diff.ts';
import { emptyNetwork, ruleKey } from './network.ts';
import type { PolicyRule } from './network.ts';
import { renderChange } from './render.ts';

test('rules of routes name UDP by its number, as the image of the agent has no names of protocols', () => {
  const rule: PolicyRule = { family: 'IPv4', priority: 495, udp: { end: 'dport', port: 8484 }, table: 254 };
  const change = diffNetworks(emptyNetwork, { ...emptyNetwork, rules: new Map([[ruleKey(rule), rule]]) });
  const lines = renderChange(change).flatMap((batch) => batch.lines);
  expect(lines).toContain('rule add priority 495 ipproto 17 dport 8484 lookup 254 protocol 73');
});
