import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../run-cli.ts';
import { madeUpIo } from '../../testing/made-up-io.ts';

const folder = fileURLToPath(new URL('../../../../../docs/upgrade/examples/', import.meta.url));

/** The upgrades of the guides, each with its input files. */
const examples = [
  { name: 'antrea-2.7', title: 'Antrea 2.6 to 2.7, a ClusterSet', args: [] },
  {
    name: 'eks-anywhere',
    title: 'A management cluster of EKS Anywhere to a new bundle',
    args: ['--kubernetes', '1.32'],
  },
];

describe('the examples of the docs', () => {
  it('are all planned', async () => {
    const folders = (await readdir(folder, { withFileTypes: true }))
      .filter((one) => one.isDirectory())
      .map(({ name }) => name);
    expect(folders.toSorted()).toEqual(examples.map(({ name }) => name));
  });

  it.each(examples)(
    '$title: the page is the plan of its files (`npx vitest -u` writes it again)',
    async ({ name, title, args }) => {
      const files = { 'bundle.yaml': await text(name, 'bundle.yaml'), 'fleet.yaml': await text(name, 'fleet.yaml') };
      const line = [
        'upgrade',
        'plan',
        '--bundle',
        'bundle.yaml',
        '--snapshot',
        'fleet.yaml',
        ...args,
        '-o',
        'markdown',
      ];
      const io = madeUpIo({ files });
      expect(await runCli(io, line)).toBe(0);
      const head = [
        '<!-- Made by packages/cli/src/upgrade/plan/examples.test.ts from the files beside it: change those. -->',
        '',
        `# ${title}`,
        '',
        `\`isthmus ${line.join(' ')}\` of [bundle.yaml](bundle.yaml) and [fleet.yaml](fleet.yaml):`,
      ];
      await expect(`${head.join('\n')}\n\n${io.out}`).toMatchFileSnapshot(`${folder}${name}/plan.md`);
    },
  );
});

function text(name: string, file: string): Promise<string> {
  return readFile(`${folder}${name}/${file}`, 'utf8');
}
