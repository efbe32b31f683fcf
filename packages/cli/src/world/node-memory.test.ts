import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('collects what nobody holds any more', () => {
  const program = fileURLToPath(new URL('../testing/collect-garbage.ts', import.meta.url));
  const said = JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' })) as Said;
  const { count, full, left, busyShare } = said;
  expect(count).toBe(2_000_000);
  expect(left.usedBytes).toBeLessThan(full.usedBytes - 40 * 2 ** 20);
  expect(left.totalBytes).toBeLessThan(full.totalBytes);
  expect(busyShare).toBeGreaterThanOrEqual(0);
});

it('leaves a program without the optimizing compilers of V8 until they are wanted, and with Maglev then', () => {
  const program = fileURLToPath(new URL('../testing/optimize.ts', import.meta.url));
  const said = execFileSync(process.execPath, ['--trace-opt', program], { encoding: 'utf8' });
  const [before = '', after = ''] = said.split('now they are wanted\n');
  expect(before).not.toMatch(/completed .*<JSFunction hot/);
  expect(after).toMatch(/completed .*<JSFunction hot.*MAGLEV/);
  expect(after).not.toMatch(/TURBOFAN/);
});

interface Said {
  readonly count: number;
  readonly full: Heap;
  readonly left: Heap;
  readonly busyShare: number;
}

interface Heap {
  readonly totalBytes: number;
  readonly usedBytes: number;
}
