import { describe, expect, test } from 'vitest';
import { diffNetworks } from './diff.ts';
import { emptyNetwork, routeKey, ruleKey } from './network.ts';
import type { Chain, Link, Network, PolicyRule } from './network.ts';
import { accept, counter, drop, isIn } from './nft-rule.ts';
import { renderChange } from './render.ts';

test('rules of routes name UDP by its number, as the image of the agent has no names of protocols', () => {
  const rule: PolicyRule = { family: 'IPv4', priority: 495, udp: { end: 'dport', port: 8484 }, table: 254 };
  const change = diffNetworks(emptyNetwork, { ...emptyNetwork, rules: new Map([[ruleKey(rule), rule]]) });
  const lines = renderChange(change).flatMap((batch) => batch.lines);
  expect(lines).toContain('rule add priority 495 ipproto 17 dport 8484 lookup 254 protocol 73');
});

test('a rule of routes for another port takes the place of the one before, which the kernel keeps otherwise', () => {
  const of = (port: number): Network => {
    const rule: PolicyRule = { family: 'IPv4', priority: 497, from: 'lo', udp: { end: 'dport', port }, table: 7102 };
    return { ...emptyNetwork, rules: new Map([[ruleKey(rule), rule]]) };
  };
  const lines = renderChange(diffNetworks(of(8479), of(8500))).flatMap((batch) => batch.lines);
  expect(lines).toEqual([
    'rule add priority 497 iif lo ipproto 17 dport 8500 lookup 7102 protocol 73',
    'rule del priority 497 iif lo ipproto 17 dport 8479 lookup 7102 protocol 73',
  ]);
});

test('a device that gets another MTU stays, as do the routes through it', () => {
  const link: Link = {
    name: 'isthmus-node',
    vni: 1,
    port: 8479,
    local: '172.18.0.2',
    mac: '02:00:00:00:00:01',
    mtu: 1450,
  };
  const hop = { id: 7, dev: link.name, via: '169.254.0.1' };
  const route = { table: 90, to: '10.0.0.0/8', nextHop: hop.id };
  const of = (now: Link): Network => ({
    ...emptyNetwork,
    links: new Map([[now.name, now]]),
    nextHops: new Map([[hop.id, hop]]),
    routes: new Map([[routeKey(route), route]]),
  });
  const lines = (now: Link) => renderChange(diffNetworks(of(link), of(now))).flatMap((batch) => batch.lines);
  expect(lines({ ...link, mtu: 1400 })).toEqual(['link set isthmus-node mtu 1400 up']);
  expect(lines({ ...link, mtu: 1400, port: 8480 })[0]).toBe('link del isthmus-node');
});

test('a route that is withdrawn leaves after translation has ended, and one that comes is there before it begins', () => {
  const route = { table: 90, to: '10.0.0.0/8', nextHop: 7 };
  const full: Network = {
    ...emptyNetwork,
    routes: new Map([[routeKey(route), route]]),
    chains: new Map([['import/a', [[counter, accept]]]]),
  };
  const order = (before: Network, after: Network) =>
    renderChange(diffNetworks(before, after)).flatMap(({ program, lines }) =>
      lines.some((line) => program === 'nft' || line.startsWith('route ')) ? [program] : [],
    );
  expect(order(emptyNetwork, full)).toEqual(['ip', 'nft']);
  expect(order(full, emptyNetwork)).toEqual(['nft', 'ip']);
});

describe('rules of nft', () => {
  const ruled = (...rules: Chain): Network => ({ ...emptyNetwork, chains: new Map([['import/a', rules]]) });
  const written = (before: Network, after: Network) =>
    renderChange(diffNetworks(before, after)).flatMap((batch) => batch.lines);

  test('are written within their chain, for which nft does not read the table', () => {
    expect(written(ruled([drop]), ruled([counter, drop], [accept]))).toEqual([
      'add table inet isthmus',
      'flush chain inet isthmus import/a',
      'add chain inet isthmus import/a {',
      'counter drop',
      'accept',
      '}',
    ]);
  });

  test('that name a set are written in a way for which nft reads which sets there are', () => {
    expect(written(ruled([drop]), ruled([isIn('own4', 'ip saddr'), accept]))).toContain(
      'add rule inet isthmus import/a ip saddr @own4 accept',
    );
  });

  test('leave nothing to write where there are none', () => {
    expect(written(ruled([drop]), ruled())).toEqual(['add table inet isthmus', 'flush chain inet isthmus import/a']);
  });
});
