import { describe, expect, it } from 'vitest';
import { parseBindAddress } from './bind-address.ts';

describe('parseBindAddress', () => {
  it.each([
    ['0', undefined],
    ['', undefined],
    [':8080', { host: undefined, port: 8080 }],
    ['8080', { host: '127.0.0.1', port: 8080 }],
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['localhost:65535', { host: 'localhost', port: 65_535 }],
    ['[::1]:8080', { host: '::1', port: 8080 }],
    ['[::]:8080', { host: '::', port: 8080 }],
  ])('reads %s', (text, expected) => {
    expect(parseBindAddress(text)).toEqual(expected);
  });

  it.each(['x', ':', '::1:80', '127.0.0.1', ':65536', '65536', ':-1', 'a b:80', 'http://a:80', ':80x'])(
    'refuses %s',
    (text) => {
      expect(() => parseBindAddress(text)).toThrow(`the bind address ${JSON.stringify(text)} is not valid`);
    },
  );
});
