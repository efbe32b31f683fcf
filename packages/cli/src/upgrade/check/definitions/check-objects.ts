import { rulesEngine } from '@isthmus/schema/cel';
import { checkDefinition, findingOfGroup, objectsCheck, orderedFindings, waiveFindings } from '@isthmus/upgrade';
import type { KubernetesObject } from '@isthmus/machinery';
import { errorMessage } from '@isthmus/machinery';
import type { CustomResourceDefinition } from '@isthmus/schema';
import type { CrdReport, Finding } from '@isthmus/upgrade';
import { isDocument } from '../../output/findings-flag.ts';
import type { FindingsFormat } from '../../output/findings-flag.ts';
import { documentText } from '../../../render/document-text.ts';
import type { ExitCode } from '../../../command/exit-code.ts';
import type { Io } from '../../../world/io.ts';
import { stepsOnTerminal } from '../../../render/steps.ts';
import { UsageError } from '../../../command/usage-error.ts';
import { formerDefinitions, formerLiveDefinitions, isFormerDefinition } from '../../input/beside-objects.ts';
import type { ShownFinding } from '../../output/shown-finding.ts';
import { exitOf, findingsText, styledFindings } from '../../output/findings.ts';
import { demand } from '../../flags/demand.ts';
import { definitionsIn, nothingIn, readObjects } from '../../input/read-objects.ts';
import { waivedText } from '../../output/show-findings.ts';
import { readWaivers } from '../../input/read-waivers.ts';
import { storedObjects } from '../../input/stored-objects.ts';

export interface ObjectsFlags {
  readonly crd: string | undefined;
  readonly old: string | undefined;
  readonly filename: string | undefined;
  readonly server: string | undefined;
  readonly waivers: string | undefined;
  readonly output: FindingsFormat | undefined;
}

/** Prints the effects of new CRDs on stored objects. */
export async function checkObjectFiles(io: Io, flags: ObjectsFlags): Promise<ExitCode> {
  const crds = demand(flags.crd, 'crd');
  const paths = demand(flags.filename, 'filename').split(',');
  const aside: ShownFinding[] = [];
  const live = await readObjects(io, flags.old?.split(',') ?? [], aside);
  const placed = await readObjects(io, crds.split(','), aside);
  const [old, next] = [definitionsIn(live), definitionsIn(placed)];
  aside.push(...formerDefinitions(placed, flags.server), ...formerLiveDefinitions(live));
  if (next.length === 0 && !placed.some(isFormerDefinition)) throw nothingIn(crds, 'CustomResourceDefinition', aside);
  const options = { server: { minor: flags.server }, compileRules: rulesEngine };
  const checks = next.map((one) => {
    const before = old.find(({ metadata }) => metadata.name === one.metadata.name);
    return [one.metadata.name, objectsCheck(before, one, options)] as const;
  });
  const given = await readWaivers(io, flags.waivers);
  const kinds = new Set(next.map(({ spec }) => `${spec.group} ${spec.names.kind}`));
  let others = 0;
  await stepsOnTerminal(io)(`check the objects in ${paths.join(', ')}`, async () => {
    for await (const object of storedObjects(io, paths, { aside })) {
      if (!kinds.has(`${(object.apiVersion ?? '').split('/')[0] ?? ''} ${object.kind ?? ''}`)) others += 1;
      for (const [name, check] of checks) add(object, name, check);
    }
  });
  const reports = checks.map(([, check]) => check.report()).toSorted((a, b) => (a.crd < b.crd ? -1 : 1));
  const today = new Date(io.clock.now()).toISOString();
  const judged = reports.map((report) => {
    const found = [...refused(report.crd, next), ...report.groups.map((group) => findingOfGroup(group, report))];
    // A waiver for this CRD is one without a CRD here: findings are about fields.
    const own = given.filter(({ crd }) => crd === undefined || crd === report.crd);
    return waiveFindings(
      found,
      own.map((waiver) => ({ ...waiver, crd: undefined })),
      today,
    );
  });
  const findings = [...aside, ...orderedFindings(judged.flatMap((one) => one.findings))];
  const waived = judged.flatMap((one) => one.waived);
  if (isDocument(flags.output)) {
    const shown = { crds, server: flags.server ?? null, reports, passedOver: others, findings, waived };
    io.stdout.write(documentText(shown, flags.output));
  } else {
    const counts = reports.map(
      ({ crd, objects, struck }) =>
        `${crd}: ${objects === 1 ? '1 object' : `${objects} objects`}, ${struck} of them blocked or losing data.\n`,
    );
    const reported = others === 0 ? '' : `${others} ${others === 1 ? 'object' : 'objects'} of other kinds skipped.\n`;
    io.stdout.write(
      ...styledFindings(findingsText(findings, { isGrouped: flags.output !== 'wide' })),
      ...waived.map(waivedText),
      ...counts,
      reported,
    );
  }
  return exitOf(findings);
}

/**
 * Adds an object to a check. Errors: {@link UsageError} where the CRD cannot be used for checks.
 */
function add(object: KubernetesObject, name: string, check: ReturnType<typeof objectsCheck>): void {
  try {
    check.add(object);
  } catch (error) {
    const why = errorMessage(error);
    throw new UsageError(`cannot check objects against ${name}: ${why}; see \`isthmus upgrade check crd\``, {
      cause: error,
    });
  }
}

/**
 * A CRD that the API server rejects cannot check objects: findings about them would have no
 * meaning.
 */
function refused(name: string, definitions: readonly CustomResourceDefinition[]): readonly Finding[] {
  const definition = definitions.find(({ metadata }) => metadata.name === name);
  if (definition === undefined) return [];
  const options = { server: {}, waivers: [], today: '', companions: [], compileRules: rulesEngine };
  const { findings } = checkDefinition(undefined, definition, options);
  const doubts = findings.filter(({ rule }) => rule === 'F39').map((finding) => notJudged(name, finding));
  const refusals = findings.filter(({ severity }) => severity === 'X');
  const [first] = refusals;
  if (first === undefined) return doubts;
  const more = refusals.length === 1 ? '' : `, and for ${refusals.length - 1} more`;
  return [
    ...doubts,
    {
      rule: 'crd.refused',
      severity: 'block',
      subject: { object: name },
      why: `the API server rejects the CRD (${first.rule}: ${first.message})${more}: the results for its objects are uncertain`,
      unblock: 'see `isthmus upgrade check crd`',
    },
  ];
}

/** A rule of the CRD that is skipped when its objects are checked. */
function notJudged(name: string, { message, field }: CrdReport['findings'][number]): Finding {
  return {
    rule: 'crd.not-judged',
    severity: 'warn',
    subject: { object: name, ...(field !== undefined && { path: field }) },
    why: `${message}: its objects are checked without it`,
    unblock: 'check the objects against an API server that has the CRD',
  };
}
