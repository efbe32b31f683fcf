import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { address } from '../testing/addresses.ts';
import type { DnsService, Zone } from './answer.ts';
import { answerQuestion } from './answer.ts';

const http = { name: 'http', protocol: 'TCP', port: 80 };
const cart: DnsService = {
  namespace: 'shop',
  name: 'cart',
  ips: [address('10.99.0.1'), address('fd00:99::1')],
  isHeadless: false,
  ports: [http, { name: 'http-udp', protocol: 'UDP', port: 80 }, { name: '', protocol: 'TCP', port: 9000 }],
  endpoints: [],
};
const database: DnsService = {
  namespace: 'shop',
  name: 'db',
  ips: [],
  isHeadless: true,
  ports: [],
  endpoints: [
    { clusterID: 'west', address: address('10.20.1.5'), hostname: 'db-0', ports: [http] },
    { clusterID: 'eu.west', address: address('10.30.1.5'), hostname: undefined, ports: [http] },
    { clusterID: 'west', address: address('fd00:20::5'), hostname: 'db-0', ports: [http] },
  ],
};
const empty: DnsService = { ...database, name: 'empty', endpoints: [] };

const zone: Zone = {
  name: 'clusterset.local',
  find: (namespace, name) => [cart, database, empty].find((one) => one.namespace === namespace && one.name === name),
  hasNamespace: (namespace) => namespace === 'shop',
};

const ask = (name: string, type: string) => {
  const { rcode, answers } = answerQuestion({ name, type }, zone);
  const shown = answers.map((one) =>
    one.type === 'SRV' ? `${one.data.priority} ${one.data.weight} ${one.data.port} ${one.data.target}` : one.data,
  );
  return rcode === 'NOERROR' ? shown : rcode;
};

describe('the names of an import', () => {
  test.each([
    ['cart.shop.svc.clusterset.local', 'A', ['10.99.0.1']],
    ['cart.shop.svc.clusterset.local', 'AAAA', ['fd00:99::1']],
    ['CART.Shop.svc.ClusterSet.local.', 'A', ['10.99.0.1']],
    [
      'cart.shop.svc.clusterset.local',
      'SRV',
      ['0 50 80 cart.shop.svc.clusterset.local', '0 50 9000 cart.shop.svc.clusterset.local'],
    ],
    ['_http._tcp.cart.shop.svc.clusterset.local', 'SRV', ['0 100 80 cart.shop.svc.clusterset.local']],
    ['_http._udp.cart.shop.svc.clusterset.local', 'SRV', 'NXDOMAIN'],
    ['_._tcp.cart.shop.svc.clusterset.local', 'SRV', 'NXDOMAIN'],
    ['_http._tcp.cart.shop.svc.clusterset.local', 'A', []],
    ['_tcp.cart.shop.svc.clusterset.local', 'SRV', []],
    ['_tcp.cart.shop.svc.clusterset.local', 'A', []],
    ['_sctp.cart.shop.svc.clusterset.local', 'SRV', 'NXDOMAIN'],
    ['_http._tcp._tcp.cart.shop.svc.clusterset.local', 'SRV', 'NXDOMAIN'],
    ['cart.shop.svc.clusterset.local', 'MX', []],
    ['dns-version.clusterset.local', 'TXT', ['1.0.0']],
    ['dns-version.clusterset.local', 'A', []],
  ] as const)('%s %s: %j', (name, type, expected) => {
    expect(ask(name, type)).toEqual(expected);
  });

  test('are repeated in answers as they were asked for', () => {
    expect(answerQuestion({ name: 'CART.shop.svc.clusterset.local', type: 'A' }, zone).answers[0]?.name).toBe(
      'CART.shop.svc.clusterset.local',
    );
  });
});

describe('the names of a headless import', () => {
  test.each([
    ['db.shop.svc.clusterset.local', 'A', ['10.20.1.5', '10.30.1.5']],
    ['db.shop.svc.clusterset.local', 'AAAA', ['fd00:20::5']],
    ['db-0.west.db.shop.svc.clusterset.local', 'A', ['10.20.1.5']],
    ['db-0.west.db.shop.svc.clusterset.local', 'AAAA', ['fd00:20::5']],
    ['10-30-1-5.eu.west.db.shop.svc.clusterset.local', 'A', ['10.30.1.5']],
    [
      'db.shop.svc.clusterset.local',
      'SRV',
      ['0 50 80 db-0.west.db.shop.svc.clusterset.local', '0 50 80 10-30-1-5.eu.west.db.shop.svc.clusterset.local'],
    ],
    [
      '_http._tcp.db.shop.svc.clusterset.local',
      'SRV',
      ['0 50 80 db-0.west.db.shop.svc.clusterset.local', '0 50 80 10-30-1-5.eu.west.db.shop.svc.clusterset.local'],
    ],
    ['db-0.east.db.shop.svc.clusterset.local', 'A', 'NXDOMAIN'],
    ['empty.shop.svc.clusterset.local', 'A', 'NXDOMAIN'],
  ] as const)('%s %s: %j', (name, type, expected) => {
    expect(ask(name, type)).toEqual(expected);
  });
});

describe('the ID of a cluster alone', () => {
  test.each(['west', 'eu.west', 'WEST'])(
    'has no records, but exists where a headless import has endpoints of it, so that a resolver which asks label by label finds their names: %s',
    (id) => {
      for (const type of ['A', 'AAAA', 'SRV', 'NS'])
        expect(ask(`${id}.db.shop.svc.clusterset.local`, type)).toEqual([]);
    },
  );
});

describe('names that are not answered', () => {
  test.each([
    ['west.cart.shop.svc.clusterset.local', 'NXDOMAIN'],
    ['west.empty.shop.svc.clusterset.local', 'NXDOMAIN'],
    ['east.db.shop.svc.clusterset.local', 'NXDOMAIN'],
    ['est.db.shop.svc.clusterset.local', 'NXDOMAIN'],
    ['db-0.west.cart.shop.svc.clusterset.local', 'NXDOMAIN'],
    ['other.shop.svc.clusterset.local', 'NXDOMAIN'],
    ['cart.else.svc.clusterset.local', 'NXDOMAIN'],
    ['cart.shop.pod.clusterset.local', 'NXDOMAIN'],
    ['shop.svc.clusterset.local', []],
    ['svc.clusterset.local', []],
    ['clusterset.local', []],
    ['cart.shop.svc.cluster.local', 'REFUSED'],
    ['xclusterset.local', 'REFUSED'],
    ['', 'REFUSED'],
  ] as const)('%s: %j', (name, expected) => {
    expect(ask(name, 'A')).toEqual(expected);
  });

  test('are answered all the same, whatever they are', () => {
    const label = fc.oneof(
      fc.string({ maxLength: 5 }),
      fc.constantFrom('svc', 'shop', 'cart', 'db', '_http', '_tcp', 'west', 'db-0', '__proto__', 'constructor'),
    );
    fc.assert(
      fc.property(
        fc.array(label, { maxLength: 7 }),
        fc.constantFrom('A', 'AAAA', 'SRV', 'TXT', 'ANY'),
        (labels, type) => {
          const { rcode, answers } = answerQuestion({ name: [...labels, 'clusterset', 'local'].join('.'), type }, zone);
          expect(['NOERROR', 'NXDOMAIN']).toContain(rcode);
          for (const one of answers) expect(one.type).toBe(type);
        },
      ),
    );
  });
});
