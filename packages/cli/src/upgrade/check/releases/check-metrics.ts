import { errorMessage } from '@isthmus/machinery';
import { metricFindings, metricsNotExamined, parseMetrics, parseVersion } from '@isthmus/upgrade';
import type { MetricsText, SearchedFile } from '@isthmus/upgrade';
import type { FindingsFormat } from '../../output/findings-flag.ts';
import type { ExitCode } from '../../../command/exit-code.ts';
import type { Io } from '../../../world/io.ts';
import { UsageError } from '../../../command/usage-error.ts';
import { readText, wrongFile } from '../../input/read-input.ts';
import { readPolicies } from '../../input/read-policies.ts';
import { showFindings } from '../../output/show-findings.ts';
import { readWaivers } from '../../input/read-waivers.ts';

export interface MetricsFlags {
  readonly to: string | undefined;
  readonly 'used-in': string | undefined;
  readonly changelog: string | undefined;
  readonly policy: string | undefined;
  readonly waivers: string | undefined;
  readonly output: FindingsFormat | undefined;
}

/** Prints the promises about metrics that the second of two scrapes breaks. */
export async function checkMetrics(io: Io, flags: MetricsFlags, files: readonly [string, string]): Promise<ExitCode> {
  const [old, next] = [await readMetrics(io, files[0]), await readMetrics(io, files[1])];
  if (old.families.size === 0) throw new UsageError(`no metric in ${files[0]}, so there is nothing to compare`);
  const to = flags.to === undefined ? undefined : parseVersion(flags.to);
  if (to !== undefined && to.core === undefined)
    throw new UsageError(`--to ${flags.to}: it must be a version with major, minor and patch`);
  const policies = await readPolicies(io, flags.policy);
  const searched = await filesToSearch(io, flags['used-in']?.split(',') ?? []);
  const findings = metricFindings(old.families, next.families, {
    policies,
    to,
    usedIn: searched.files,
    changelog: flags.changelog === undefined ? undefined : await readText(io, flags.changelog),
  });
  return showFindings(
    io,
    { findings, notExamined: [...metricsNotExamined(old.families, policies), ...searched.notExamined] },
    {
      output: flags.output,
      about: { old: files[0], new: files[1], to: flags.to ?? null },
      waivers: await readWaivers(io, flags.waivers, { policies }),
      today: new Date(io.clock.now()).toISOString(),
    },
  );
}

async function readMetrics(io: Io, path: string): Promise<MetricsText> {
  const read = parseMetrics(await readText(io, path), path);
  if (read.problems.length > 0) throw wrongFile(path, read.problems);
  return read;
}

interface Searched {
  readonly files: readonly SearchedFile[];
  readonly notExamined: readonly string[];
}

async function filesToSearch(io: Io, paths: readonly string[]): Promise<Searched> {
  try {
    const listed = await Promise.all(paths.map((path) => io.listFiles(path)));
    const sources = listed.flatMap(({ files }) => files);
    return {
      files: await Promise.all(sources.map(async (source) => ({ source, text: (await io.readFile(source)).text }))),
      notExamined: listed.flatMap(({ links }) =>
        links.map(({ path, to }) =>
          to === 'nothing'
            ? `${path} is a broken link; it was not searched`
            : `${path} is a link to a ${to} outside its folder, which was not searched`,
        ),
      ),
    };
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
}
