import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { usages, usageText } from './usages.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
/** Programs of others, with a help of their own, and of ours whose usage is beside their code. */
const outside = ['test', 'sweeps', 'format'];
const beside = ['demo', 'bench'];
const all = [...beside, ...Object.keys(usages)];
/** The others hand unknown flags to vitest. */
const readsItself = (name: string) => name !== 'test:envtest' && name !== 'losses';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a script of package.json; it finds no program that it could start. */
function run(name: string, ...args: readonly string[]): Promise<Ended> {
  const [, program = ''] = (scripts[name] ?? '').split(' ');
  const env = { PATH: '/nowhere', NODE_COMPILE_CACHE: `${root}/node_modules/.cache/node` };
  const child = spawn(process.execPath, [program, ...args], { cwd: root, env });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => void (said.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (said.err += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })));
}

describe('the scripts of package.json', () => {
  it('are programs of others, or have a usage', () => {
    expect([...outside, ...all].toSorted()).toEqual(Object.keys(scripts).toSorted());
  });

  it.each(Object.keys(usages))('%s begins with what prints its usage for --help', (name) => {
    const [, program = ''] = (scripts[name] ?? '').split(' ');
    const begins = new RegExp(`\\b(?:scriptArguments|unlessHelp)\\(\\s*'${name}'`);
    expect(readFileSync(`${root}/${program}`, 'utf8')).toMatch(begins);
  });

  it.each(sweepOf(all, { oneIn: 12 }))('%s prints its usage for --help, and does nothing else', async (name) => {
    const { code, out, err } = await run(name, '--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(new RegExp(`^usage: npm run ${name}\\b.*\n\n`));
    expect(out).toMatch(/\n\nTakes .+\n$/);
    const usage = usages[name];
    if (usage !== undefined) expect(out).toBe(usageText(name, usage));
  });

  it.each(sweepOf(all.filter(readsItself), { oneIn: 12 }))(
    '%s ends with 2 for a flag that it does not know, with the way to its usage',
    async (name) => {
      const { code, out, err } = await run(name, '--no-such-flag');
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(new RegExp(`^${name}: .*(--help|\n\nusage: )`));
      expect(err).not.toContain('    at ');
    },
  );
});
