import { describe, expect, it } from 'vitest';
import { runCli } from '../../run-cli.ts';
import { madeUpIo } from '../../testing/made-up-io.ts';
import { aBundle } from './testing/a-bundle.ts';

async function lint(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const io = madeUpIo({ files });
  return { exit: await runCli(io, ['upgrade', 'bundle', 'lint', ...args]), out: io.out, err: io.err };
}

const good = aBundle();
const bad = good.replace(/^ +digest:.*\n/m, '').replace('id: flux', 'id: flux\n      requires: [{component: x}]');

describe('isthmus upgrade bundle lint', () => {
  it('ends with 0 where there are no findings', async () => {
    expect(await lint({ 'b.yaml': good }, 'b.yaml')).toEqual({ exit: 0, out: 'No findings.\n', err: '' });
  });

  it('reports each finding with its place and what to do, and ends with 3 where one blocks', async () => {
    const { exit, out } = await lint({ 'b.yaml': bad }, 'b.yaml');
    expect(exit).toBe(3);
    expect(out).toMatchInlineSnapshot(`
      "block  bundle.no-digest            b.yaml:13  component flux, spec.components[0].artifacts[0]
             source-controller of flux has no digest: the content at its location may change after the bundle was tested and signed
             to do: add the SHA-256 of its bytes, or of the manifest of an image; \`isthmus upgrade bundle resolve\` fetches it
      block  bundle.requirement-unknown  b.yaml:10  component flux, spec.components[0].requires[0]
             flux requires x, which the bundle does not have
             to do: add x, or remove the requirement
      2 blocking findings.
      "
    `);
  });

  it('ends with 2 where something only warns', async () => {
    const older = good.replace('build: a34c207', 'build: c0da11a');
    const { exit, out } = await lint({ 'b.yaml': good, 'a.yaml': older }, 'b.yaml', '--older', 'a.yaml');
    expect(exit).toBe(2);
    expect(out).toContain('warn  bundle.build-without-content  b.yaml:10');
  });

  it('knows the policies that ship with isthmus, and those that are given', async () => {
    const text = good.replace('  components:', '  policies: [{name: antrea}, {name: ours}]\n  components:');
    const ours = `apiVersion: upgrade.isthmus.dev/v1alpha1\nkind: Policy\nmetadata: {name: ours}\nspec: {product: Ours}\n`;
    const files = { 'b.yaml': text, 'p.yaml': ours };
    expect((await lint(files, 'b.yaml')).out).toContain('the policy ours is not available');
    expect((await lint(files, 'b.yaml', '--policy', 'p.yaml')).exit).toBe(0);
    const twice = await lint(files, 'b.yaml', '--policy', 'p.yaml,p.yaml');
    expect(twice.exit).toBe(1);
    expect(twice.err).toContain('the policies contradict each other\np.yaml:3: metadata.name: ');
  });

  it('prints JSON of a fixed shape', async () => {
    const { out } = await lint({ 'b.yaml': good }, 'b.yaml', '-o', 'json');
    expect(JSON.parse(out)).toEqual({ bundle: 'bundle-7', number: 7, source: 'b.yaml', findings: [] });
  });

  it.each([
    ['no file', [], "error: missing required argument 'file'"],
    ['a file that is not there', ['x.yaml'], 'error: cannot read x.yaml: no such file'],
    [
      'a file of another kind',
      ['p.yaml'],
      'error: p.yaml has 2 problems\np.yaml:1: apiVersion: Unsupported value: "v1"',
    ],
    ['a second file', ['b.yaml', 'b.yaml'], "error: too many arguments for 'lint'"],
    ['a wrong word', ['b.yaml', '-o', 'xml'], "error: option '-o, --output <format>' argument 'xml' is invalid"],
  ])('ends with 1 for %s', async (_what, args, message) => {
    const { exit, out, err } = await lint({ 'b.yaml': good, 'p.yaml': 'apiVersion: v1\nkind: Pod\n' }, ...args);
    expect([exit, out]).toEqual([1, '']);
    expect(err).toContain(message);
  });
});

describe('wrong arguments of the groups around it', () => {
  it.each([[['upgrade']], [['upgrade', 'bundle']], [['upgrade', 'bundle', 'lnt']]])('end with 1: %j', async (args) => {
    expect(await runCli(madeUpIo(), args)).toBe(1);
  });
});
