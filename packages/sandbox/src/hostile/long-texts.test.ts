import { describe, expect, it } from 'vitest';
import { canonicalQuantity } from '@isthmus/machinery';
import { looseAddress } from '../builtin/address-rules.ts';
import { quantityValue } from '../builtin/pods/quantities.ts';
import { requestInfoOf } from '../request/request-info.ts';

/** Each of these once took minutes, or did not end. */
describe('a text that is made to cost much', () => {
  it.each([
    ['a large exponent', '1e999999999', '1e999999999'],
    ['a small exponent', '1e-999999999', '1e-9'],
    ['many zeros at the end', `1${'0'.repeat(100_000)}m`, undefined],
    ['many digits and no unit', `${'1'.repeat(300_000)}!`, 'must match'],
    ['many zeros and no unit', `${'0'.repeat(300_000)}x`, 'must match'],
    ['an exponent of many digits', `1e${'9'.repeat(300_000)}`, 'suffix'],
  ])('as a quantity: %s', (_, text, expected = '') => {
    expect(JSON.stringify(canonicalQuantity(text))).toContain(expected);
    expect(typeof quantityValue(text)).toBe('bigint');
  });

  it.each([':'.repeat(300_000), '0:'.repeat(300_000), '1.'.repeat(300_000)])('as an address: %.4s', (text) => {
    expect(looseAddress(text)).toBeUndefined();
  });

  it('as a path: slashes before its last part', () => {
    const path = `/api/v1/x${'/'.repeat(600_000)}y`;
    expect(requestInfoOf({ method: 'GET', path })).toMatchObject({ resource: 'x', name: '' });
    expect(requestInfoOf({ method: 'GET', path: `/api/v1/x${'/'.repeat(600_000)}` })).toMatchObject({ verb: 'list' });
  });
});
