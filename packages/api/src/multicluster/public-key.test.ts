import { describe, expect, it } from 'vitest';
import { publicKeyProblem } from './public-key.ts';

const key = Buffer.alloc(32, 7).toString('base64');

describe('a WireGuard public key', () => {
  it('is 32 bytes in base64', () => {
    for (const byte of [0, 7, 255]) expect(publicKeyProblem(Buffer.alloc(32, byte).toString('base64'))).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['31 bytes', Buffer.alloc(31).toString('base64')],
    ['33 bytes', Buffer.alloc(33).toString('base64')],
    ['bits behind the last byte', `${key.slice(0, 42)}B=`],
    ['a line break behind it', `${key}\n`],
    ['hexadecimal digits', Buffer.alloc(32, 7).toString('hex')],
  ])('is not %s', (_, text) => {
    expect(publicKeyProblem(text)).toMatch(/not a WireGuard public key/);
  });
});
