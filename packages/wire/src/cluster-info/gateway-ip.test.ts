import { expect, it } from 'vitest';
import { gatewayIPProblem } from './gateway-ip.ts';

it.each([
  ['192.0.2.1', undefined],
  ['10.0.0.1', undefined],
  ['fd00::1', undefined],
  ['', 'is not an IP address'],
  ['node-1.example', 'is not an IP address'],
  ['192.0.2.1/32', 'is not an IP address'],
  ['192.0.2.256', 'is not an IP address'],
  ['0.0.0.0', 'is an unspecified address'],
  ['127.0.0.1', 'is a loopback address'],
  ['169.254.169.254', 'is a link-local address'],
  ['224.0.0.1', 'is a multicast address'],
  ['255.255.255.255', 'is a broadcast address'],
  ['::1', 'is a loopback address'],
  ['fe80::1', 'is a link-local address'],
])('as the address of a gateway, %j: %s', (text, problem) => {
  expect(gatewayIPProblem(text)).toBe(problem);
});
