import { rulesEngine } from '@isthmus/sandbox';
import { findingOfGroup, objectsCheck, orderedFindings } from '@isthmus/upgrade';
import type { ExitCode } from '../../exit-code.ts';
import type { Io } from '../../io.ts';
import { UsageError } from '../../usage-error.ts';
import { exitOf, findingsText } from '../findings.ts';
import { demand } from './demand.ts';
import { definitionsIn, readObjects } from './read-objects.ts';
import { storedObjects } from './stored-objects.ts';

export interface ObjectsFlags {
  readonly crd: string | undefined;
  readonly old: string | undefined;
  readonly filename: string | undefined;
  readonly server: string | undefined;
  readonly output: 'text' | 'json' | undefined;
}

/** Prints what becomes of stored objects under new CRDs. */
export async function checkObjectFiles(io: Io, flags: ObjectsFlags): Promise<ExitCode> {
  const crds = demand(flags.crd, 'crd');
  const paths = demand(flags.filename, 'filename').split(',');
  const old = definitionsIn(await readObjects(io, flags.old?.split(',') ?? []));
  const next = definitionsIn(await readObjects(io, crds.split(',')));
  if (next.length === 0) throw new UsageError(`there is no CustomResourceDefinition in ${crds}`);
  const options = { server: { minor: flags.server }, compileRules: rulesEngine };
  const checks = next.map((one) => {
    const before = old.find(({ metadata }) => metadata.name === one.metadata.name);
    return [one.metadata.name, objectsCheck(before, one, options)] as const;
  });
  for await (const object of storedObjects(io, paths)) {
    for (const [name, check] of checks) {
      try {
        check.add(object);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new UsageError(`no object can be judged by ${name}, see \`isthmus upgrade check crd\`: ${why}`, {
          cause: error,
        });
      }
    }
  }
  const reports = checks.map(([, check]) => check.report()).toSorted((a, b) => (a.crd < b.crd ? -1 : 1));
  const findings = orderedFindings(
    reports.flatMap((report) => report.groups.map((group) => findingOfGroup(group, report))),
  );
  if (flags.output === 'json') {
    io.stdout.write(`${JSON.stringify({ crds, server: flags.server ?? null, reports }, null, 2)}\n`);
  } else {
    const counts = reports.map(
      ({ crd, objects, struck }) => `${crd}: ${objects} objects, ${struck} of them blocked or losing data.\n`,
    );
    io.stdout.write(findingsText(findings) + counts.join(''));
  }
  return exitOf(findings);
}
