import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compilePattern, patternProblem } from './pattern.ts';
import { madeUpPatterns } from './testing/made-up-patterns.ts';

interface Answer {
  readonly problem?: string | undefined;
  readonly found?: readonly (readonly [start: number, end: number] | null)[] | undefined;
}

/** What Go's regexp makes of the patterns. */
function askGo(questions: readonly unknown[]): readonly Answer[] {
  const { stdout, stderr, status } = spawnSync('go', ['run', './patterns'], {
    cwd: fileURLToPath(new URL('../../../../envtest', import.meta.url)),
    input: questions.map((one) => JSON.stringify(one)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`go run ./patterns: ${stderr}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

it('patterns are read, rejected and matched as Go does it', () => {
  const questions = fc.sample(madeUpPatterns, { numRuns: 20_000, seed: 11 });
  const answers = askGo(questions);
  expect(answers).toHaveLength(questions.length);
  const differences = questions.flatMap(({ pattern, texts }, index) => {
    const { problem, found = [] } = answers[index] ?? {};
    const ours = patternProblem(pattern);
    // Names that are replaced before the pattern is read are missing in the quotation.
    const where = /\(\?P?<\w+>|\\[pP]\{/.test(pattern) ? / `[^]*$/ : /$^/;
    if (ours?.replace(where, '') !== problem?.replace(where, '')) return [`${pattern}: ${problem} in Go, ${ours} here`];
    if (ours !== undefined) return [];
    const compiled = compilePattern(pattern);
    return texts.flatMap((text, at) => {
      const points = (offset: number) => Array.from(text.slice(0, offset)).length;
      const span = compiled.find(text, 0);
      const here = JSON.stringify(span === undefined ? null : [points(span.start), points(span.end)]);
      const inGo = JSON.stringify(found[at]);
      if (here === inGo && compiled.test(text) === (span !== undefined)) return [];
      return [`${pattern} in ${JSON.stringify(text)}: ${inGo} in Go, ${here} here`];
    });
  });
  expect(differences).toEqual([]);
  expect(answers.filter(({ problem }) => problem === undefined).length).toBeGreaterThan(8_000);
});
