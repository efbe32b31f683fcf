import { describe, expect, test } from 'vitest';
import { madeUpIo } from '../../testing/made-up-io.ts';
import { demandNetwork } from './requirements.ts';

const programs = 'ip bridge nft nsenter setpriv unshare mount hostname sysctl'.split(' ');

/** A machine with these programs; `tried` is how an attempt to make a network ends. */
function machine(there: readonly string[], tried = { code: 0, stdout: '', stderr: '' }) {
  return madeUpIo({
    isRoot: true,
    runTool: async (program) =>
      program === 'sh' ? { code: 0, stdout: there.map((name) => `/sbin/${name}\n`).join(''), stderr: '' } : tried,
  });
}

describe('a sandbox with a network', () => {
  test('is made where everything is there', async () => {
    await expect(demandNetwork(machine(programs))).resolves.toBeUndefined();
  });

  test('needs Linux and root', async () => {
    await expect(demandNetwork({ ...machine(programs), platform: 'darwin' })).rejects.toThrow(
      '--network needs Linux, and this is darwin.',
    );
    await expect(demandNetwork({ ...machine(programs), isRoot: false })).rejects.toThrow('--network needs root');
  });

  test('names the programs that are missing, and their packages', async () => {
    const some = programs.filter((name) => name !== 'nft' && name !== 'ip');
    await expect(demandNetwork(machine(some))).rejects.toThrow(
      'not installed: ip, nft. Install them, on Debian with: apt-get install iproute2 nftables',
    );
  });

  test('reports why networks cannot be made', async () => {
    const refused = { code: 1, stdout: '', stderr: 'unshare: unshare failed: Operation not permitted\n' };
    await expect(demandNetwork(machine(programs, refused))).rejects.toThrow(
      'cannot make networks here: unshare: unshare failed: Operation not permitted.',
    );
  });
});
