import { describe, expect, it } from 'vitest';
import { laterNftFolder, withLaterNft } from './later-nft.ts';
import type { RunProgram } from './write-network.ts';

const crash = { code: -1, stdout: '', stderr: 'it was ended by SIGSEGV' };
const linker = `${laterNftFolder}/ld.so`;

/** A Node whose `nft` has this result, and whose later version prints its arguments. */
function nodeWhere(nft: Awaited<ReturnType<RunProgram>>, later: 'there' | 'crashes' | 'missing' = 'there') {
  const asked: string[] = [];
  const programs = withLaterNft({
    run(program, args, input) {
      asked.push([program, ...args].join(' '));
      if (program === 'nft') return Promise.resolve(nft);
      if (program !== linker) return Promise.resolve({ code: 0, stdout: program, stderr: '' });
      if (later === 'missing') return Promise.reject(new Error('it is not installed'));
      return Promise.resolve(later === 'crashes' ? crash : { code: 0, stdout: input, stderr: '' });
    },
    watch(program) {
      asked.push(`watch ${program}`);
      return Promise.resolve('it ended');
    },
  });
  return { ...programs, asked };
}
const signal = new AbortController().signal;

describe('an nft that crashes', () => {
  it('is replaced by the later one, for what it was asked and from then on', async () => {
    const node = nodeWhere(crash);
    await node.watch('nft', ['monitor'], () => {}, signal);
    expect(await node.run('nft', ['-f', '-'], 'add table inet a')).toMatchObject({
      code: 0,
      stdout: 'add table inet a',
    });
    expect(node.isUsed()).toBe(true);
    await node.run('nft', ['list', 'tables'], '');
    await node.watch('nft', ['monitor'], () => {}, signal);
    const later = `${linker} --library-path ${laterNftFolder} ${laterNftFolder}/nft`;
    expect(node.asked).toEqual(['watch nft', 'nft -f -', `${later} -f -`, `${later} list tables`, `watch ${linker}`]);
  });

  it.each(['missing', 'crashes'] as const)('has crashed where the later one %s', async (later) => {
    const node = nodeWhere(crash, later);
    expect(await node.run('nft', ['list', 'tables'], '')).toEqual(crash);
    expect(node.isUsed()).toBe(false);
  });
});

it.each([
  ['fails', { code: 1, stdout: '', stderr: 'Error: No such file or directory' }],
  ['was ended by somebody', { code: -1, stdout: '', stderr: 'it was ended by SIGTERM' }],
  ['works', { code: 0, stdout: '', stderr: '' }],
])('an nft that %s is not replaced', async (_, result) => {
  const node = nodeWhere(result);
  expect(await node.run('nft', ['list', 'tables'], '')).toEqual(result);
  expect(node.asked).toEqual(['nft list tables']);
  expect(node.isUsed()).toBe(false);
});

it('other programs that crash are not replaced', async () => {
  const { run } = withLaterNft({ run: () => Promise.resolve(crash), watch: () => Promise.resolve('') });
  expect(await run('ip', ['link'], '')).toEqual(crash);
});
