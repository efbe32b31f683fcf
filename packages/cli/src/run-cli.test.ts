import { parseYaml } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { runCli } from './run-cli.ts';
import { madeUpIo } from './testing/made-up-io.ts';

describe('isthmus', () => {
  it('prints its version as text', async () => {
    const io = madeUpIo();
    expect(await runCli(io, ['version'])).toBe(0);
    expect(io.out).toMatch(/^isthmus \d+\.\d+\.\d+ \(wire 1\)\n$/);
    expect(io.err).toBe('');
  });

  it.each([['--json'], ['-o json'], ['-o yaml'], ['-o yaml --json']])(
    'prints its version for programs with %s',
    async (line) => {
      const io = madeUpIo();
      expect(await runCli(io, ['version', ...line.split(' ')])).toBe(0);
      const [document] = parseYaml(io.out, { source: 'stdout' });
      expect(document?.value).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/), wire: 1 });
      expect(io.out.startsWith('{')).toBe(!line.includes('yaml'));
    },
  );

  it('prints its help without arguments and says that all is well', async () => {
    const io = madeUpIo();
    expect(await runCli(io, [])).toBe(0);
    expect(io.out).toContain('Usage: isthmus');
  });

  it.each([
    ['a wrong word', ['contoller']],
    ['no role', ['controller']],
    ['no kubeconfig', ['controller', 'leader']],
    ['a configuration that is not there', ['controller', 'member', '--config', 'missing.yaml']],
    ['a Namespace that cannot be one', ['controller', 'member', '--namespace', 'A_b']],
  ])('ends with 2 for %s, and says why on standard error alone', async (_what, args) => {
    const io = madeUpIo();
    expect(await runCli(io, args)).toBe(2);
    expect(io.out).toBe('');
    expect(io.err).toMatch(/^error: /);
    expect(io.stopListeners).toBe(0);
  });
});
