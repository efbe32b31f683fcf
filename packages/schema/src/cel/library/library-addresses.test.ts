import { describe, expect, it } from 'vitest';
import { kubernetesEnvironment } from '../environment.ts';
import { compileExpression } from '../expression.ts';

function evaluate(text: string): unknown {
  const compiled = compileExpression(kubernetesEnvironment(), text);
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.expression.evaluate({}, { left: 1_000_000 });
}

const kinds = ['Unspecified', 'Loopback', 'LinkLocalMulticast', 'LinkLocalUnicast', 'GlobalUnicast'];

describe('an address of CEL', () => {
  it.each([
    ['0.0.0.0', 'Unspecified'],
    ['0.0.0.1', 'GlobalUnicast'],
    ['10.0.0.1', 'GlobalUnicast'],
    ['126.255.255.255', 'GlobalUnicast'],
    ['127.0.0.0', 'Loopback'],
    ['127.255.255.255', 'Loopback'],
    ['128.0.0.0', 'GlobalUnicast'],
    ['169.253.255.255', 'GlobalUnicast'],
    ['169.254.0.0', 'LinkLocalUnicast'],
    ['169.254.255.255', 'LinkLocalUnicast'],
    ['169.255.0.0', 'GlobalUnicast'],
    ['192.168.0.1', 'GlobalUnicast'],
    ['223.255.255.255', 'GlobalUnicast'],
    ['224.0.0.0', 'LinkLocalMulticast'],
    ['224.0.0.255', 'LinkLocalMulticast'],
    ['224.0.1.0', ''],
    ['239.255.255.255', ''],
    ['240.0.0.0', 'GlobalUnicast'],
    ['255.255.255.254', 'GlobalUnicast'],
    ['255.255.255.255', ''],
    ['::', 'Unspecified'],
    ['::1', 'Loopback'],
    ['::2', 'GlobalUnicast'],
    ['fd00::1', 'GlobalUnicast'],
    ['fe7f:ffff::', 'GlobalUnicast'],
    ['fe80::', 'LinkLocalUnicast'],
    ['febf:ffff::', 'LinkLocalUnicast'],
    ['fec0::', 'GlobalUnicast'],
    ['feff:ffff::', 'GlobalUnicast'],
    ['ff01::1', ''],
    ['ff02::1', 'LinkLocalMulticast'],
    ['ff03::1', ''],
  ])('%s is: %s', (address, kind) => {
    const found = kinds.filter((one) => evaluate(`ip('${address}').is${one}()`));
    expect(found.join()).toBe(kind);
    expect(evaluate(`ip('${address}').family()`)).toBe(address.includes(':') ? 6n : 4n);
  });

  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::1', '::1'],
    ['0:0::0:1', '::1'],
    ['FD00::A', 'fd00::a'],
    ['10.0.0.01', undefined],
    ['10.0.0.256', undefined],
    ['10.0.0', undefined],
    ['::ffff:10.0.0.1', undefined],
    ['fe80::1%eth0', undefined],
    ['10.0.0.0/8', undefined],
    ['', undefined],
  ])('is read from "%s" as %s', (text, canonical) => {
    expect(evaluate(`isIP('${text}')`)).toBe(canonical !== undefined);
    if (canonical === undefined) {
      expect(() => evaluate(`ip('${text}')`)).toThrow(/^IP Address .* parse error during conversion from string: /);
      return;
    }
    expect(evaluate(`string(ip('${text}'))`)).toBe(canonical);
    expect(evaluate(`ip.isCanonical('${text}')`)).toBe(text === canonical);
    expect(evaluate(`ip('${text}') == ip('${canonical}')`)).toBe(true);
  });
});

describe('a network of CEL', () => {
  it.each([
    ['0.0.0.0/0', '0.0.0.0', '0.0.0.0/0'],
    ['10.1.2.3/8', '10.1.2.3', '10.0.0.0/8'],
    ['10.1.2.3/32', '10.1.2.3', '10.1.2.3/32'],
    ['::/0', '::', '::/0'],
    ['fd00:1:2::3/47', 'fd00:1:2::3', 'fd00:1:2::/47'],
    ['fd00:1:3::/47', 'fd00:1:3::', 'fd00:1:2::/47'],
    ['::1/128', '::1', '::1/128'],
  ])('%s has its address, its length, and no other bits once it is masked', (text, address, masked) => {
    expect(evaluate(`isCIDR('${text}')`)).toBe(true);
    expect(evaluate(`string(cidr('${text}'))`)).toBe(text);
    expect(evaluate(`string(cidr('${text}').ip())`)).toBe(address);
    expect(evaluate(`string(cidr('${text}').masked())`)).toBe(masked);
    expect(evaluate(`cidr('${text}').prefixLength()`)).toBe(BigInt(text.split('/')[1] ?? ''));
  });

  it.each([
    ['10.0.0.0', "no '/'"],
    ['10.0.0/8', 'unable to parse IP'],
    ['10.0.0.0/', 'bad bits after slash'],
    ['10.0.0.0/08', 'bad bits after slash'],
    ['10.0.0.0/-1', 'bad bits after slash'],
    ['10.0.0.0/33', 'prefix length out of range'],
    ['::/129', 'prefix length out of range'],
    ['::ffff:10.0.0.0/104', 'unable to parse IP'],
  ])('is not read from %s: %s', (text, why) => {
    expect(evaluate(`isCIDR('${text}')`)).toBe(false);
    expect(() => evaluate(`cidr('${text}')`)).toThrow(why);
  });

  it.each([
    ['10.0.0.0/8', '10.0.0.0', true],
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '9.255.255.255', false],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.1.2.3/8', '10.9.9.9', true],
    ['10.0.0.1/32', '10.0.0.1', true],
    ['10.0.0.1/32', '10.0.0.0', false],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '::', false],
    ['::/0', '0.0.0.0', false],
    ['fd00::/8', 'fdff::1', true],
    ['fd00::/8', 'fe00::', false],
  ])('%s contains %s: %s', (network, address, contains) => {
    expect(evaluate(`cidr('${network}').containsIP('${address}')`)).toBe(contains);
    expect(evaluate(`cidr('${network}').containsIP(ip('${address}'))`)).toBe(contains);
  });

  it.each([
    ['10.0.0.0/8', '10.0.0.0/8', true],
    ['10.0.0.0/8', '10.255.0.0/16', true],
    ['10.0.0.0/8', '10.0.0.0/7', false],
    ['10.0.0.0/8', '11.0.0.0/16', false],
    ['0.0.0.0/0', '::/0', false],
    ['fd00::/8', 'fd00:1::/32', true],
  ])('%s contains the network %s: %s', (network, other, contains) => {
    expect(evaluate(`cidr('${network}').containsCIDR('${other}')`)).toBe(contains);
    expect(evaluate(`cidr('${network}').containsCIDR(cidr('${other}'))`)).toBe(contains);
  });
});
