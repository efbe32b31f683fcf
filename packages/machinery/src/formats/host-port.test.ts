import { expect, it } from 'vitest';
import { hostPort, urlHost } from './host-port.ts';

it.each([
  ['192.0.2.1', '192.0.2.1:443'],
  ['2001:db8::1', '[2001:db8::1]:443'],
  ['leader.example.com', 'leader.example.com:443'],
])('a port follows %s as in a URL', (host, text) => {
  expect(hostPort(host, 443)).toBe(text);
  expect(urlHost(new URL(`https://${text}/path`))).toBe(host);
});
