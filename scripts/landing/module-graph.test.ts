import { describe, expect, it } from 'vitest';
import { moduleGraph } from './module-graph.ts';

const files = {
  'packages/kit/src/index.ts': `
    export { one } from './one.ts';
    export { two as second } from './two.ts';
    export * from './rest.ts';
    export type { Shape } from './shape.ts';
  `,
  'packages/kit/src/one.ts': `export const one = 1;`,
  'packages/kit/src/two.ts': `import { deep } from './deep.ts'; export const two = deep;`,
  'packages/kit/src/deep.ts': `export const deep = 2;`,
  'packages/kit/src/rest.ts': `export const rest = 3;`,
  'packages/kit/src/shape.ts': `export interface Shape {}`,
  'packages/kit/src/program.ts': `import { one } from './one.ts'; void one;`,
  'packages/kit/src/records/a.json': '',
  'deploy/leader.yaml': '',
  'deploy/crds/x.yaml': '',
};

/** The direct dependencies of a test with this text. */
function needs(text: string, more: Readonly<Record<string, string>> = {}): readonly string[] {
  return [...graphOf({ ...files, ...more, 'packages/kit/src/a.test.ts': text }).needs('packages/kit/src/a.test.ts')];
}

function graphOf(contents: Readonly<Record<string, string>>) {
  return moduleGraph({
    paths: new Set(Object.keys(contents)),
    texts: new Map(Object.entries(contents).filter(([path]) => path.endsWith('.ts'))),
    entries: new Map([['@isthmus/kit', 'packages/kit/src/index.ts']]),
  });
}

describe('what a file needs', () => {
  it.each([
    [
      'the module that defines a name, through an index',
      `import { one } from '@isthmus/kit';`,
      ['packages/kit/src/one.ts'],
    ],
    ['the module behind another name', `import { second } from '@isthmus/kit';`, ['packages/kit/src/two.ts']],
    ['the module behind a star', `import { rest } from '@isthmus/kit';`, ['packages/kit/src/rest.ts']],
    ['no types', `import type { Shape } from '@isthmus/kit';`, []],
    ['a whole module that is imported by its name', `import * as all from './two.ts';`, ['packages/kit/src/two.ts']],
    ['a module that is loaded for what it does', `import './program.ts';`, ['packages/kit/src/program.ts']],
    ['a module that is loaded later', `const late = await import('./deep.ts');`, ['packages/kit/src/deep.ts']],
    ['a program that it names', `run(new URL('program.ts', import.meta.url));`, ['packages/kit/src/program.ts']],
    ['a file of data that it names from the root', `read('deploy/leader.yaml');`, ['deploy/leader.yaml']],
    ['a folder before a placeholder', 'read(`./records/${name}.json`);', ['packages/kit/src/records/']],
    ['a folder before a pattern', `glob('deploy/crds/*.yaml');`, ['deploy/crds/']],
    ['a file that it names after a short string', `read(old ? '' : 'deploy/leader.yaml');`, ['deploy/leader.yaml']],
    ['a file below a folder that is not known', 'read(`${root}/deploy/leader.yaml`);', ['deploy/leader.yaml']],
    [
      'a program beside it whose name is computed',
      'run(new URL(`./pro${name}.ts`, import.meta.url));',
      ['packages/kit/src/program.ts'],
    ],
    [
      'every program beside it if nothing of the name is known',
      'run(new URL(`${name}.ts`, import.meta.url));',
      ['one', 'two', 'deep', 'rest', 'shape', 'program', 'index'].map((name) => `packages/kit/src/${name}.ts`),
    ],
    ['nothing that only a comment names', `// 'deploy/leader.yaml'\n/** \`./deep.ts\` */`, []],
    ['no folder above itself', `join(here, '../..');`, []],
    ['nothing of a test that it names', `const list = ['packages/kit/src/b.test.ts'];`, []],
  ])('is %s', (_, text, expected) => {
    expect(needs(text, { 'packages/kit/src/b.test.ts': '' }).toSorted()).toEqual(expected.toSorted());
  });

  it('is behind the star that exports the name, not behind one that mentions it', () => {
    const more = {
      'packages/kit/src/index.ts': `export * from './mentions.ts'; export * from './nested.ts';`,
      'packages/kit/src/mentions.ts': `export function mentions(value: { options: string }) {}`,
      'packages/kit/src/nested.ts': `export * from './options.ts';`,
      'packages/kit/src/options.ts': `export const options = 1;`,
    };
    expect(needs(`import { options } from '@isthmus/kit';`, more)).toEqual(['packages/kit/src/options.ts']);
  });

  it('includes all behind an index that is imported whole', () => {
    const graph = graphOf({ ...files, 'packages/kit/src/a.test.ts': `import * as kit from '@isthmus/kit';` });
    expect([...graph.reach('packages/kit/src/a.test.ts').keys()]).toEqual(
      expect.arrayContaining(['packages/kit/src/one.ts', 'packages/kit/src/deep.ts', 'packages/kit/src/rest.ts']),
    );
  });

  it('is also a file that was removed', () => {
    const texts = new Map([['a.test.ts', `read('deploy/gone.yaml'); glob('deploy/crds/*.yaml');`]]);
    const graph = moduleGraph({ paths: new Set(texts.keys()), texts, entries: new Map() }, [
      'deploy/gone.yaml',
      'deploy/crds/gone.yaml',
    ]);
    expect([...graph.needs('a.test.ts')]).toEqual(['deploy/gone.yaml', 'deploy/crds/']);
  });

  it('is reached with the number of imports between', () => {
    const graph = graphOf({ ...files, 'packages/kit/src/a.test.ts': `import { second } from '@isthmus/kit';` });
    expect([...graph.reach('packages/kit/src/a.test.ts')]).toEqual([
      ['packages/kit/src/a.test.ts', 0],
      ['packages/kit/src/two.ts', 1],
      ['packages/kit/src/deep.ts', 2],
    ]);
  });
});
