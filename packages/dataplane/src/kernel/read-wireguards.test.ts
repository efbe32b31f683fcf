import { expect, test } from 'vitest';
import { wireGuardDevice } from '../desired/devices.ts';
import { withoutRoaming } from './read-wireguards.ts';

const peer = (publicKey: string, endpoint: string, allowed = '192.0.2.1/32') =>
  [publicKey, { dev: wireGuardDevice, publicKey, endpoint, allowed }] as const;

test('a peer that WireGuard follows to another address is as it should be; one without an endpoint, or with another range, is not', () => {
  const wanted = new Map([peer('a', '192.0.2.1:51821'), peer('b', '192.0.2.2:51821'), peer('c', '192.0.2.3:51821')]);
  const found = new Map([
    peer('a', '198.51.100.7:40001'),
    peer('b', '(none)'),
    peer('c', '198.51.100.7:40002', '10.0.0.0/8'),
    peer('d', '198.51.100.7:40003'),
  ]);
  expect(withoutRoaming(found, wanted)).toEqual(
    new Map([
      peer('a', '192.0.2.1:51821'),
      peer('b', '(none)'),
      peer('c', '192.0.2.3:51821', '10.0.0.0/8'),
      peer('d', '198.51.100.7:40003'),
    ]),
  );
});
