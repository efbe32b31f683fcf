import type { CustomResourceDefinition } from '@isthmus/schema';
import { equal } from '@isthmus/machinery';
import type { KubernetesObject } from '@isthmus/machinery';
import { rulesEngine } from '@isthmus/schema/cel';
import {
  apiBreaches,
  checkDefinition,
  crdRules,
  findingOfCrd,
  objectsCheck,
  orderedFindings,
  waiveFindings,
  waivers as waiversKind,
} from '@isthmus/upgrade';
import type { CrdReport, Finding, ObjectsReport, StorageMigration, Waiver } from '@isthmus/upgrade';
import { isDocument } from '../../output/findings-flag.ts';
import type { FindingsFormat } from '../../output/findings-flag.ts';
import { documentText } from '../../../render/document-text.ts';
import type { ExitCode } from '../../../command/exit-code.ts';
import type { Io } from '../../../world/io.ts';
import { UsageError } from '../../../command/usage-error.ts';
import { formerDefinitions, formerLiveDefinitions, isFormerDefinition } from '../../input/beside-objects.ts';
import { exitOf, findingsText, styledFindings } from '../../output/findings.ts';
import type { ShownFinding } from '../../output/shown-finding.ts';
import { readInput } from '../../input/read-input.ts';
import { readPolicies } from '../../input/read-policies.ts';
import { readHistories } from '../../input/read-histories.ts';
import { waivedText } from '../../output/show-findings.ts';
import { nothingIn, readDefinitions, readObjects } from '../../input/read-objects.ts';
import type { PlacedObject } from '../../input/placed-object.ts';
import { storedObjects } from '../../input/stored-objects.ts';

export interface CrdFlags {
  readonly server: string | undefined;
  readonly objects: string | undefined;
  readonly with: string | undefined;
  readonly waivers: string | undefined;
  readonly policy: string | undefined;
  readonly history: string | undefined;
  readonly 'client-side-apply': boolean | undefined;
  readonly lints: boolean | undefined;
  readonly output: FindingsFormat | undefined;
}

/** Prints the breaking changes of new CRDs, CRD by CRD, and the objects to migrate. */
export async function checkCrd(
  io: Io,
  flags: CrdFlags,
  [oldPath, newPath]: readonly [string, string],
): Promise<ExitCode> {
  const aside: ShownFinding[] = [];
  const live = await readObjects(io, [oldPath], aside);
  const placed = await readObjects(io, [newPath], aside);
  const { definitions: next, unknownFields } = byName(placed);
  const isFormer = namesOfFormer(placed);
  if (next.size === 0 && isFormer.size === 0) throw nothingIn(newPath, 'CustomResourceDefinition', aside);
  const old = withPartner(byName(live).definitions, next);
  const wasFormer = namesOfFormer(live);
  const missing = [...old.keys()].filter((name) => !next.has(name) && !isFormer.has(name));
  const added = [...next.keys()].filter((name) => !old.has(name) && !wasFormer.has(name));
  // Live objects that are not replaced exist beside the new ones.
  const staying = live.filter(
    ({ object: { kind, metadata } }) => kind !== 'CustomResourceDefinition' || missing.includes(metadata.name),
  );
  const beside = await readObjects(io, flags.with?.split(',') ?? [], aside);
  const companions = [...placed, ...beside, ...staying].map(({ object }) => object);
  const given = flags.waivers === undefined ? [] : (await readInput(io, waiversKind, flags.waivers)).value.spec.waivers;
  const server = { minor: flags.server };
  const pairs = [...next.values()].map((one) => [old.get(one.metadata.name), one] as const);
  const stored =
    flags.objects === undefined ? undefined : await judged(io, flags.objects.split(','), { pairs, server, aside });
  const today = new Date(io.clock.now()).toISOString();
  const promised = {
    policies: await readPolicies(io, flags.policy),
    histories: await readHistories(io, flags.history),
    now: today,
  };
  const reports = pairs.map(([before, one]) =>
    checkDefinition(before, one, {
      server,
      waivers: given,
      today,
      promises: apiBreaches(before, one, promised).map(({ crd }) => crd),
      compileRules: rulesEngine,
      companions,
      objects: stored?.get(one.metadata.name),
      clientSideApply: flags['client-side-apply'],
      lints: flags.lints,
    }),
  );
  const ruleIds = new Set<string>(crdRules.map(({ id }) => id));
  const idle = given.flatMap((waiver): readonly IdleWaiver[] => {
    if (waiver.crd !== undefined)
      return next.has(waiver.crd) ? [] : [{ waiver, why: 'the CRD is missing in the new files' }];
    return ruleIds.has(waiver.rule) ? [{ waiver, why: 'it names no CRD, but this rule is about CRDs' }] : [];
  });
  const files = [...aside, ...formerDefinitions(placed, flags.server), ...formerLiveDefinitions(live)];
  const beyond = waiveFindings<ShownFinding>(
    [...files, ...unknownFields, ...missing.map(gone), ...added.map(come)],
    given,
    today,
  );
  const findings = orderedFindings<ShownFinding>([
    ...reports.flatMap((report) => report.findings.map((one) => findingOfCrd(one))),
    ...beyond.findings,
  ]);
  if (isDocument(flags.output)) {
    const shown = {
      old: oldPath,
      new: newPath,
      server: flags.server ?? null,
      reports: reports.map(shownReport),
      missing,
      added,
      files,
      unknownFields,
      waived: beyond.waived,
      idleWaivers: idle,
    };
    io.stdout.write(documentText(shown, flags.output));
  } else {
    const findingPieces = styledFindings(findingsText(findings, { isGrouped: flags.output !== 'wide' }));
    io.stdout.write(...findingPieces, ...beyond.waived.map(waivedText), notes(reports, idle));
  }
  return exitOf(findings);
}

function namesOfFormer(objects: readonly PlacedObject[]): ReadonlySet<string> {
  return new Set(objects.filter(isFormerDefinition).map(({ object }) => object.metadata.name));
}

/**
 * The CRDs among objects, and their fields that no CRD has. The same CRD may occur several times,
 * as in the manifests of leaders and members. Errors: {@link UsageError} with both places for two
 * that differ.
 */
function byName(objects: readonly PlacedObject[]): {
  readonly definitions: ReadonlyMap<string, CustomResourceDefinition>;
  readonly unknownFields: readonly ShownFinding[];
} {
  const placed = new Map<string, PlacedObject>();
  for (const one of objects) {
    if (one.object.kind !== 'CustomResourceDefinition' || isFormerDefinition(one)) continue;
    const { name } = one.object.metadata;
    const first = placed.get(name);
    if (first === undefined) placed.set(name, one);
    else if (!equal(first.object, one.object))
      throw new UsageError(
        `${one.place}: ${name} is not the same CRD as at ${first.place}. Remove the one that is not applied, or check the files one by one`,
      );
  }
  const { definitions, unknownFields } = readDefinitions([...placed.values()]);
  const found = definitions.map((one) => [one.metadata.name, one] as const);
  return { definitions: new Map(found.toSorted(([a], [b]) => (a < b ? -1 : 1))), unknownFields };
}

/**
 * One CRD that replaces one other is its pair, whatever their names (G01). Among several, CRDs with
 * different names are different ones.
 */
function withPartner(
  old: ReadonlyMap<string, CustomResourceDefinition>,
  next: ReadonlyMap<string, CustomResourceDefinition>,
): ReadonlyMap<string, CustomResourceDefinition> {
  const [[one], [other]] = [[...old.values()], [...next.keys()]];
  return old.size === 1 && next.size === 1 && one !== undefined && other !== undefined ? new Map([[other, one]]) : old;
}

interface Judging {
  readonly pairs: readonly (readonly [CustomResourceDefinition | undefined, CustomResourceDefinition])[];
  readonly server: { readonly minor: string | undefined };
  /** Takes the links that are not followed. */
  readonly aside: ShownFinding[];
}

/**
 * The results for stored objects, by the name of the CRD. A CRD by which no object can be checked
 * is rejected, with a finding of its own.
 */
async function judged(
  io: Io,
  paths: readonly string[],
  { pairs, server, aside }: Judging,
): Promise<ReadonlyMap<string, ObjectsReport>> {
  const checks = pairs.map(
    ([old, next]) => [next.metadata.name, objectsCheck(old, next, { server, compileRules: rulesEngine })] as const,
  );
  const broken = new Set<string>();
  for await (const object of storedObjects(io, paths, { aside }))
    for (const [name, check] of checks) tryToAdd(name, check, { object, broken });
  return new Map(checks.filter(([name]) => !broken.has(name)).map(([name, check]) => [name, check.report()]));
}

function tryToAdd(
  name: string,
  check: ReturnType<typeof objectsCheck>,
  { object, broken }: { readonly object: KubernetesObject; readonly broken: Set<string> },
): void {
  if (broken.has(name)) return;
  try {
    check.add(object);
  } catch {
    broken.add(name);
  }
}

function gone(name: string): Finding {
  return {
    rule: 'crd.missing',
    severity: 'warn',
    subject: { object: name },
    why: 'it is live but missing in the new CRDs: it stays unchanged. Deleting it would delete all its objects',
    unblock: 'keep it in the manifests until it has no objects',
    source: 'Isthmus',
  };
}

function come(name: string): Finding {
  return {
    rule: 'crd.new',
    severity: 'info',
    subject: { object: name },
    why: 'it is not among the live CRDs, so only the CRD itself is checked',
  };
}

function shownReport({ crd, migration, findings, idleWaivers }: CrdReport) {
  return { crd, migration: migration ?? null, findings, idleWaivers };
}

type IdleWaiver = CrdReport['idleWaivers'][number];

/** The migrations, and the waivers that do not count. */
function notes(reports: readonly CrdReport[], others: readonly IdleWaiver[]): string {
  const lines = reports.flatMap(({ migration, idleWaivers }) => [
    ...(migration === undefined ? [] : [migrationText(migration)]),
    ...idleWaivers.map(({ waiver, why }) => waiverText(waiver, why)),
  ]);
  const unused = others.map(({ waiver, why }) => waiverText(waiver, why));
  return [...lines, ...unused].map((line) => `${line}\n`).join('');
}

function migrationText({ crd, from, to, when, objects }: StorageMigration): string {
  const what = objects === undefined ? 'all objects' : objects === 1 ? 'the one object' : `all ${objects} objects`;
  const order = when === 'before-crd' ? 'Before the new CRD is applied' : 'After the new CRD is applied';
  return `${order}: rewrite ${what} of ${crd} so that they are stored in ${to}, then remove ${from.join(', ')} from status.storedVersions.`;
}

function waiverText({ rule, crd, path, by }: Waiver, why: string): string {
  return `The waiver for ${rule}${crd === undefined ? '' : ` of ${crd}`}${path === undefined ? '' : `, ${path}`} by ${by} has no effect: ${why}.`;
}
