import { describe, expect, it } from 'vitest';
import { formatCheck, isKnownStringFormat, uncheckedFormats } from './formats.ts';

describe('formats of texts', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      'date-time',
      ['2026-11-21T10:00:00Z', '2026-11-21t10:00:00.123456z', '2024-02-29T23:59:59+05:30'],
      [
        '2026-11-21',
        '2026-02-29T00:00:00Z',
        '2026-11-21T24:00:00Z',
        '2026-11-21T10:00:60Z',
        '2026-11-21 10:00:00Z',
        '2026-11-21T10:00:00',
        '',
      ],
    ],
    ['date', ['2024-02-29', '2026-12-31'], ['2026-02-29', '2026-13-01', '2026-00-10', '26-01-01']],
    ['byte', ['aGVsbG8=', 'YQ==', 'YWI='], ['', 'a', 'a===', '****', 'YQ=']],
    ['ipv4', ['10.0.0.1'], ['10.0.0', '::1', '10.0.0.256']],
    ['ipv6', ['::1', 'fd00::1'], ['10.0.0.1', 'x']],
    ['cidr', ['10.0.0.0/8', 'fd00::/8'], ['10.0.0.0', '10.0.0.0/33']],
    ['uuid', ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000'], ['123e4567']],
    ['uuid4', ['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-12d3-a456-426614174000']],
    ['password', ['anything at all'], []],
  ])('%s', (format, right, wrong) => {
    const fits = formatCheck(format);
    for (const text of right) expect(fits?.(text), text).toBe(true);
    for (const text of wrong) expect(fits?.(text), text).toBe(false);
  });

  it('what the API server checks and we do not is known, and accepted', () => {
    for (const format of uncheckedFormats)
      expect([isKnownStringFormat(format), formatCheck(format)]).toEqual([true, undefined]);
  });

  it('other formats say nothing', () => {
    expect([isKnownStringFormat('colour'), formatCheck('colour')]).toEqual([false, undefined]);
  });
});
