/**
 * `npm run corpus -- DIR…`: takes a real API server through the versions of projects, runs every
 * check of `isthmus upgrade check` over each pair, and reports where the checks and the server
 * differ (docs/upgrade/corpus.md).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '@isthmus/machinery';
import { adminTransport, startApiServer } from '@isthmus/testkit';
import { apiServer, askThrough } from './corpus/api-server.ts';
import { serverMinor } from './corpus/checks.ts';
import type { History } from './corpus/history.ts';
import { otherTools } from './corpus/other-tools.ts';
import { readHistory } from './corpus/read-history.ts';
import { corpusEnd, problemsOf, tableHead, tableRow } from './corpus/report.ts';
import type { HistoryResult } from './corpus/report.ts';
import { runHistory } from './corpus/run-history.ts';
import { checksInProcess, runProgram } from './corpus/run-program.ts';
import { scriptArguments, wrongArguments } from './script-arguments.ts';

// The output of the checks is left out: it is long, and can be produced again.
const brief = (key: string, value: unknown) => (key === 'stdout' ? undefined : value);

const say = (line: string) => void process.stderr.write(`corpus: ${line}\n`);

async function main(): Promise<number> {
  const { values, positionals } = scriptArguments(
    'corpus',
    {
      'cpu-limit': { type: 'string', default: '1000' },
      crdify: { type: 'string' },
      pluto: { type: 'string' },
      details: { type: 'string' },
    },
    { allowPositionals: true },
  );
  const limitMs = Number(values['cpu-limit']);
  if (positionals.length === 0) wrongArguments('corpus', 'the folders of projects are missing');
  if (!(limitMs > 0)) wrongArguments('corpus', '--cpu-limit must be a positive number');
  const histories: History[] = [];
  for (const folder of positionals) {
    try {
      const { history, unfollowed } = await readHistory(folder);
      for (const line of unfollowed) say(line);
      histories.push(history);
    } catch (error) {
      say(errorMessage(error));
      return 2;
    }
  }
  const scratch = mkdtempSync(join(tmpdir(), 'isthmus-corpus-'));
  try {
    await using real = await startApiServer({ name: 'corpus' });
    const transport = adminTransport(real, 'isthmus-corpus');
    const server = apiServer(askThrough(transport), () => new Promise((resolve) => setTimeout(resolve, 20)));
    const results: HistoryResult[] = [];
    process.stdout.write(`${tableHead()}\n`);
    for (const history of histories) {
      say(`${history.name}: ${history.versions.length} versions`);
      const pairs = await runHistory(history, {
        readText: (path) => readFile(path, 'utf8'),
        async writeText(name, text) {
          const path = join(scratch, name);
          await writeFile(path, text);
          return path;
        },
        runChecks: checksInProcess(scratch),
        server,
        others: otherTools({ crdify: values.crdify, pluto: values.pluto }, serverMinor, runProgram),
      });
      const result = { name: history.name, pairs };
      results.push(result);
      // A long run that is stopped has printed its results so far.
      process.stdout.write(`${tableRow(result)}\n`);
      for (const problem of problemsOf(result, limitMs)) say(problem);
      if (values.details !== undefined) writeFileSync(values.details, `${JSON.stringify(results, brief, 1)}\n`);
    }
    transport.close();
    const { text, isOk } = corpusEnd(results, limitMs);
    process.stdout.write(`\n${text}\n`);
    return isOk ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (import.meta.main) process.exitCode = await main();
