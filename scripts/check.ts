/**
 * `npm run check`: every check of the tree that runs no program of ours: types, lint with the layer
 * rules, house rules, citations, plain words, no circle between folders or files, no full folder,
 * the budget of tests, format, dead code, names that only tests read, generated files, and our CRDs
 * and the public surfaces of our packages against the last release. Each step is shown when it
 * begins, and its time when it ends. All steps run; the exit code is 1 if one fails.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { citationProblems } from './citations.ts';
import { crdCompatibility } from './crd-compatibility.ts';
import { describeFileCircle, fileCircles } from './file-circles.ts';
import { describeCircle, folderCircles } from './folder-circles.ts';
import { folderProblems } from './full-folders.ts';
import { houseRuleFindings, wideComments } from './house-rules.ts';
import type { Finding } from './house-rules.ts';
import { tiesBetween } from './imports.ts';
import { budgetProblems, lastProblems, strayTests } from './landing/budget.ts';
import { readBudget, readFlaky, readLast } from './landing/data.ts';
import { flakyProblems } from './landing/flaky.ts';
import { apiProblems } from './release/libraries/changes.ts';
import { libraries } from './release/libraries/library.ts';
import { scriptArguments } from './script-arguments.ts';
import { deadTests } from './test-titles.ts';
import { wordsInComments, wordsInCoverage, wordsInPage, wordsInSource, wordsInTitles } from './plain-words.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Step {
  readonly name: string;
  readonly run: () => { readonly ok: boolean; readonly output: string };
}

const command = (name: string, line: string): Step => ({
  name,
  run() {
    const [program = '', ...args] = line.split(' ');
    const result = spawnSync(program, args, { cwd: root, encoding: 'utf8', env: process.env });
    return {
      ok: result.status === 0,
      output: `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`,
    };
  },
});

const textOf = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');

/** Pages with the titles of tests. */
const generatedFromTests = ['docs/coverage/*.md', 'docs/sandbox/api-operations.md'];

/** Code whose texts no user reads. */
const testOnly = ['testing', 'golden', 'contract', 'scenarios', 'stories', 'adversary', 'hostile', 'generated']
  .map((folder) => `**/${folder}/**`)
  .concat('**/*.test.ts');

/** Files whose comments are checked for plain words and width. */
const commentsReadIn = ['{packages/*/src,bench,envtest,examples,scripts,tools}/**/*.ts'];

const steps: readonly Step[] = [
  command('types', 'tsc --noEmit'),
  command('lint', 'oxlint --deny-warnings'),
  {
    name: 'house rules',
    run() {
      const files = globSync(['{packages/*/src,scripts,bench,examples}/**/*.ts'], { cwd: root });
      const findings = [
        ...files.toSorted().flatMap((path) => houseRuleFindings(path, textOf(path))),
        ...globSync(commentsReadIn, { cwd: root, exclude: ['**/node_modules'] })
          .toSorted()
          .flatMap((path) => wideComments(path, textOf(path))),
      ];
      return { ok: findings.length === 0, output: findings.map((f) => `${f.path}:${f.line}: ${f.message}`).join('\n') };
    },
  },
  {
    name: 'citations',
    run() {
      const texts = (patterns: readonly string[]) =>
        globSync(patterns, { cwd: root, exclude: ['**/node_modules', 'scripts/**/*.test.ts'] })
          .toSorted()
          .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }));
      const repository = {
        specifications: new Map(texts(['docs/spec/*.md']).map(({ path, text }) => [path, text])),
        pages: new Set(globSync('**/*.md', { cwd: root, exclude: ['**/node_modules'] })),
      };
      const findings = texts([
        '{packages/*/src,scripts,bench,envtest,tools,examples}/**/*.ts',
        '{*.md,docs/**/*.md,docs/**/*.yaml,packages/*/*.md}',
      ]).flatMap((file) => citationProblems(file, repository));
      return { ok: findings.length === 0, output: findings.join('\n') };
    },
  },
  {
    name: 'plain words',
    run() {
      const read = (
        patterns: readonly string[],
        exclude: readonly string[],
        find: (path: string, text: string) => readonly Finding[],
      ) =>
        globSync(patterns, { cwd: root, exclude: ['**/node_modules', ...exclude] })
          .toSorted()
          .flatMap((path) => find(path, textOf(path)));
      const findings = [
        ...read(['packages/*/src/**/*.ts', '{scripts,bench,envtest,tools}/**/*.ts'], testOnly, wordsInSource),
        ...read(commentsReadIn, testOnly, wordsInComments),
        ...read(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'examples/*.md'], generatedFromTests, wordsInPage),
        ...read(['docs/coverage/*.yaml'], [], wordsInCoverage),
        ...read(['{packages,scripts,bench,tools,envtest}/**/*.test.ts'], [], wordsInTitles),
      ];
      return { ok: findings.length === 0, output: findings.map((f) => `${f.path}:${f.line}: ${f.message}`).join('\n') };
    },
  },
  {
    name: 'no circle between folders or files',
    run() {
      const sources = globSync('packages/*/src/**/*.ts', { cwd: root });
      const ties = tiesBetween(new Map(sources.map((path) => [path, textOf(path)])));
      const found = [...folderCircles(ties).map(describeCircle), ...fileCircles(ties).map(describeFileCircle)];
      return { ok: found.length === 0, output: found.join('\n') };
    },
  },
  {
    name: 'budget of tests',
    run() {
      const envtests = globSync(['{packages/*/src,scripts,bench}/**/*.envtest.test.ts'], {
        cwd: root,
        exclude: ['**/node_modules'],
      });
      const tests = new Set(
        globSync(['{packages/*/src,scripts,bench,examples}/**/*.test.ts'], { cwd: root, exclude: ['**/node_modules'] }),
      );
      const problems = [
        ...budgetProblems(readBudget(), envtests.toSorted()),
        ...lastProblems(readLast()),
        ...strayTests(globSync('**/*.{test,spec}.*', { cwd: root, exclude: ['**/node_modules', 'dist'] }).toSorted()),
        ...flakyProblems(readFlaky(), tests),
        ...[...tests].toSorted().flatMap((path) => deadTests(path, textOf(path))),
      ];
      return { ok: problems.length === 0, output: problems.join('\n') };
    },
  },
  {
    name: 'folders of twenty files at most',
    run() {
      const problems = folderProblems(globSync('packages/*/src/**/*.ts', { cwd: root }));
      return { ok: problems.length === 0, output: problems.join('\n') };
    },
  },
  command('format', 'oxfmt --check .'),
  command('dead code', 'knip --no-progress'),
  command(
    'names that only tests read',
    'knip --no-progress --production -c knip.shipped.jsonc --include files,exports,types',
  ),
  command('generated files', 'node scripts/generate.ts --check'),
  {
    name: 'CRDs against those released last',
    run() {
      const files = (pattern: string) =>
        new Map(globSync(pattern, { cwd: root }).map((path) => [path, readFileSync(`${root}/${path}`, 'utf8')]));
      const findings = crdCompatibility(files('scripts/released-crds/*.yaml'), files('deploy/crds/*.yaml'));
      return {
        ok: findings.every(({ severity }) => severity !== 'block'),
        output: findings
          .map(({ rule, subject, why }) => `${rule} ${subject.object}: ${subject.path ?? ''} ${why}`)
          .join('\n'),
      };
    },
  },
  {
    name: 'public surfaces against those released last',
    run() {
      const problems = libraries.flatMap(({ name }) => {
        const file = `${name.replace('@isthmus/', '')}.txt`;
        const released = `scripts/released-libraries/${file}`;
        // A library that the last release did not have.
        if (!existsSync(`${root}/${released}`)) return [];
        const after = textOf(`docs/reference/libraries/${file}`);
        return apiProblems({ library: name, before: textOf(released), after, changelog: textOf('CHANGELOG.md') });
      });
      return { ok: problems.length === 0, output: problems.join('\n') };
    },
  },
];

scriptArguments('check', {});
const failed = steps.filter(({ name, run }) => {
  const start = performance.now();
  process.stdout.write(`${name} ... `);
  const { ok, output } = run();
  console.log(`${ok ? 'ok' : 'FAILED'}  ${((performance.now() - start) / 1000).toFixed(1)} s`);
  if (!ok) console.log(output.trim());
  return !ok;
}).length;
console.log(failed === 0 ? 'check: clean' : `check: ${failed} of ${steps.length} steps failed`);
process.exitCode = failed === 0 ? 0 : 1;
