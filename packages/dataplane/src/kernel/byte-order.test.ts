import { expect, test } from 'vitest';
import { convertsMarks } from './byte-order.ts';

/** As `nft --debug=netlink` prints the rule. */
const loads =
  '  [ payload load 4b @ link header + 9 => reg 1 ]\n  [ bitwise reg 1 = ( reg 1 & 0x0048ffff ) ^ 0x00000000 ]\n';

test.each([
  ['1.0.6', `${loads}  [ meta set mark with reg 1 ]\n`, false],
  ['1.1.3', `${loads}  [ byteorder reg 1 = ntoh(reg 1, 4, 4) ]\n  [ meta set mark with reg 1 ]\n`, true],
])('nft is asked, without a write, whether it converts bytes for a mark: as %s', async (_, stdout, expected) => {
  const asked: string[] = [];
  const converts = await convertsMarks((program, args, input) => {
    asked.push([program, ...args].join(' '), input);
    return Promise.resolve({ code: 0, stdout, stderr: '' });
  });
  expect(converts).toBe(expected);
  expect(asked[0]).toBe('nft --check --debug=netlink -f -');
  expect(asked[1]).toContain('meta mark set @ll,72,32 & 0xffff4800');
});
