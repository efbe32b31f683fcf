import type { MemberClusterAnnounce } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { ImportProblem } from './import-problems.ts';
import { decodeImportProblems, encodeImportProblems, importProblemsText } from './import-problems.ts';

const rejected: ImportProblem = { reason: 'WriteRejected', namespace: 'shop', name: 'cart', message: 'quota' };
const missing: ImportProblem = { reason: 'NamespaceMissing', namespace: 'shop', message: 'no Namespace' };

describe('the problems that a member announces', () => {
  it('are read as they were written, those of whole Namespaces first, once each', () => {
    const text = encodeImportProblems([rejected, missing, { ...missing }]);
    expect(decodeImportProblems(text)).toEqual([{ ...missing, name: undefined }, rejected]);
    expect(encodeImportProblems([missing, rejected])).toBe(text);
    expect(encodeImportProblems([])).toBe('');
  });

  it('take at most 8 KiB, and Namespaces go before Services', () => {
    const many = Array.from({ length: 1_000 }, (_, i) => ({
      ...rejected,
      name: `cart-${i}`,
      message: 'x'.repeat(999),
    }));
    const text = encodeImportProblems([...many, missing]);
    expect(text.length).toBeLessThanOrEqual(8_192);
    const read = decodeImportProblems(text);
    expect(read[0]?.reason).toBe('NamespaceMissing');
    expect(read.length).toBeGreaterThan(20);
    expect(Math.max(...read.map(({ message }) => message.length))).toBe(240);
  });

  it('have what an API server answered in full, as long as they are few', () => {
    const message = `${'a path and a name, '.repeat(20)}denied request: no more of these`;
    const read = decodeImportProblems(encodeImportProblems([missing, { ...rejected, message }]));
    expect(read[1]?.message).toBe(message);
  });

  it('end with an ellipsis alone where they are cut', () => {
    const message = `${'x'.repeat(470)} policy, quota`;
    const [read] = decodeImportProblems(
      encodeImportProblems([{ ...rejected, message: `${'y'.repeat(470)} policy: quota` }]),
    );
    expect(read?.message).toBe(`${'y'.repeat(470)} policy…`);
    expect(decodeImportProblems(JSON.stringify([{ ...rejected, message }]))[0]?.message).toBe(
      `${'x'.repeat(470)} policy…`,
    );
  });

  it.each([
    ['is not JSON', '{'],
    ['is not a list', '{"reason":"WriteRejected"}'],
    ['has a reason that is not one', JSON.stringify([{ ...rejected, reason: 'a reason' }])],
    ['has a Namespace that cannot be one', JSON.stringify([{ ...rejected, namespace: 'Shop/..' }])],
    ['has a name that cannot be one', JSON.stringify([{ ...rejected, name: 7 }])],
    ['has no message', JSON.stringify([{ ...rejected, message: undefined }])],
    ['has entries that are not objects', '[null,7,"x",[]]'],
  ])('are none where the annotation %s', (_, text) => {
    expect(decodeImportProblems(text)).toEqual([]);
  });

  it('are one line each, whatever a member writes', () => {
    const [read] = decodeImportProblems(JSON.stringify([{ ...rejected, message: 'a\nb\u001b[31m\u2028c' }]));
    expect(read?.message).toBe('a b [31m c');
  });

  it.each([
    ['count while the member marks its heartbeats', { 'touch-ts': '2', 'isthmus.dev/marks-at': '2' }, true],
    ['do not count where another make of member beats', { 'touch-ts': '3', 'isthmus.dev/marks-at': '2' }, false],
    ['do not count without a heartbeat', {}, false],
  ])('%s', (_, annotations, counts) => {
    const announce: MemberClusterAnnounce = {
      metadata: { name: 'a', annotations: { ...annotations, 'isthmus.dev/import-problems': '[]' } },
    };
    expect(importProblemsText(announce)).toBe(counts ? '[]' : '');
  });
});
