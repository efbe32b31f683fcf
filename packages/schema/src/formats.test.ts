import { describe, expect, it } from 'vitest';
import { formatCheck, isKnownStringFormat, uncheckedFormats } from './formats.ts';
import { formatCases } from './testing/text-cases.ts';

describe('formats of texts', () => {
  it.each(formatCases)('%s', (format, right, wrong) => {
    const fits = formatCheck(format);
    for (const text of right) expect(fits?.(text), text).toBe(true);
    for (const text of wrong) expect(fits?.(text), text).toBe(false);
  });

  it('bytes are checked at any length, as of a Secret that a client sends whole', () => {
    const fits = formatCheck('byte');
    const large = 'QUJD'.repeat(6_000_000);
    expect([fits?.(large), fits?.(`${large}QQ==`), fits?.(`${large}Q===`), fits?.(`${large}*AAA`)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('what the API server checks and we do not is known, and accepted', () => {
    for (const format of uncheckedFormats)
      expect([isKnownStringFormat(format), formatCheck(format)]).toEqual([true, undefined]);
  });

  it('other formats are accepted', () => {
    expect([isKnownStringFormat('colour'), formatCheck('colour')]).toEqual([false, undefined]);
  });
});
