import { parseYaml } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { Piece } from './render/output.ts';
import { runCli } from './run-cli.ts';
import { madeUpIo } from './testing/made-up-io.ts';

describe('isthmus', () => {
  it('prints its version as text', async () => {
    const io = madeUpIo();
    expect(await runCli(io, ['version'])).toBe(0);
    expect(io.out).toMatch(/^isthmus \d+\.\d+\.\d+(?:-rc\.\d+)? \(wire 2\)\n$/);
    expect(io.err).toBe('');
  });

  it.each([['--json'], ['-o json'], ['-o yaml'], ['-o yaml --json']])(
    'prints its version for programs with %s',
    async (line) => {
      const io = madeUpIo();
      expect(await runCli(io, ['version', ...line.split(' ')])).toBe(0);
      const [document] = parseYaml(io.out, { source: 'stdout' });
      expect(document?.value).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+(?:-rc\.\d+)?$/), wire: 2 });
      expect(io.out.startsWith('{')).toBe(!line.includes('yaml'));
    },
  );

  it('prints its help without arguments and ends with 0', async () => {
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
  ])('ends with 2 for %s, and reports why on standard error alone', async (_what, args) => {
    const io = madeUpIo();
    expect(await runCli(io, args)).toBe(2);
    expect(io.out).toBe('');
    expect(io.err).toMatch(/^error: /);
    expect(io.stopListeners).toBe(0);
  });

  it.each([
    [['controller', 'leader'], true],
    [['--no-color', 'controller', 'leader'], false],
    [['controller', '--no-color', 'leader'], false],
    [['controller', 'leader', '--no-color'], false],
  ])('prints its error without a style where --no-color is among the words: %j, %s', async (args, isStyled) => {
    const io = madeUpIo();
    const styles: string[] = [];
    const write = (...pieces: readonly Piece[]) =>
      void styles.push(...pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.style])));
    expect(await runCli({ ...io, stderr: { write, isTTY: true } }, args)).toBe(2);
    expect(styles).toEqual(isStyled ? ['bad'] : []);
  });

  it('prints no control character of what it read, nor a line that a name forges', async () => {
    const hostile = 'w\u001b[2J\u009b5n\u202e\r\nNo findings.\n::error::forged';
    const manifest = { apiVersion: `example.com/v1${hostile}`, kind: `Widget${hostile}`, metadata: { name: hostile } };
    const io = madeUpIo({ files: { 'w.json': JSON.stringify(manifest), 'x.json': '{"kind": "\u001b[31m"}' } });
    expect(await runCli(io, ['upgrade', 'check', 'manifests', '-f', 'w.json'])).toBe(2);
    await runCli(io, ['upgrade', 'check', 'manifests', '-f', 'x.json']);
    // oxlint-disable-next-line no-control-regex -- that there is none
    expect(io.out + io.err).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    expect(io.out).toContain('w\\u001b[2J');
    expect(io.out).not.toMatch(/^(?:No findings|::error)/m);
  });
});
