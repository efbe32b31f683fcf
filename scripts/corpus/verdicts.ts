/**
 * Verdicts of the checks and of the API server on a pair of versions, and where they differ. Pure.
 */
import { isRecord } from '@isthmus/machinery';
import { hasResult } from './checks.ts';
import type { CheckRun } from './checks.ts';

/** A CRD of a version, applied over the live one. */
export interface DefinitionVerdict {
  readonly crd: string;
  /** The most severe finding of the check, and the rules of the findings with severity X and B. */
  readonly ours: OurVerdict;
  readonly isAccepted: boolean;
  /** The API server's answer. */
  readonly message: string;
  /** The checks of crdify that find errors; absent where it was not asked. */
  readonly crdify?: readonly string[] | undefined;
}

/** A verdict of `check crd` on one CRD. */
export interface OurVerdict {
  /** Rules and messages of findings that an API server rejects (X). */
  readonly refusals: readonly string[];
  /** The same of findings that break objects or clients (B). */
  readonly breaks: readonly string[];
  /** The same of parts that are not judged (F39). */
  readonly unjudged: readonly string[];
}

/** A write of an object under the new CRD. */
export interface ObjectVerdict {
  readonly crd: string;
  readonly object: string;
  readonly request: 'first create' | 'create' | 'update';
  /** Our errors; none where we accept it. */
  readonly ours: readonly string[];
  readonly isAccepted: boolean;
  readonly message: string;
}

export interface PairResult {
  /** Undefined for the first version, which is installed. */
  readonly from: string | undefined;
  readonly to: string;
  readonly definitions: readonly DefinitionVerdict[];
  readonly objects: readonly ObjectVerdict[];
  readonly checks: readonly { readonly args: readonly string[]; readonly run: CheckRun }[];
  /** How many objects of the version pluto reports; absent where it was not asked. */
  readonly pluto?: number | undefined;
}

/** Something that must not be, in a line. */
export interface Problem {
  readonly kind: 'disagreement' | 'failure' | 'over the limit';
  readonly where: string;
  readonly what: string;
}

/**
 * The verdicts in the JSON of `check crd`, by the name of the CRD; undefined where it is not that.
 */
export function ourVerdicts(stdout: string): ReadonlyMap<string, OurVerdict> | undefined {
  let report: unknown;
  try {
    report = JSON.parse(stdout);
  } catch {
    return undefined;
  }
  if (!isRecord(report) || !Array.isArray(report['reports'])) return undefined;
  const reports = report['reports'] as readonly {
    readonly crd: string;
    readonly findings: readonly { readonly rule: string; readonly severity: string; readonly message: string }[];
  }[];
  return new Map(
    reports.map(({ crd, findings }) => {
      const of = (isMeant: (finding: (typeof findings)[number]) => boolean) =>
        findings.filter(isMeant).map(({ rule, message }) => `${rule}: ${message}`);
      const verdict = {
        refusals: of(({ severity }) => severity === 'X'),
        breaks: of(({ severity }) => severity === 'B'),
        unjudged: of(({ rule }) => rule === 'F39'),
      };
      return [crd, verdict] as const;
    }),
  );
}

/**
 * Where we and the API server differ: a refusal on one side only. A CRD of which a part is not
 * judged may be refused.
 */
export function disagreements(history: string, { from, to, definitions, objects }: PairResult): readonly Problem[] {
  const where = `${history} ${from ?? '(nothing)'} → ${to}`;
  const disagreement = (what: string): Problem => ({ kind: 'disagreement', where, what });
  return [
    ...definitions.flatMap(({ crd, ours, isAccepted, message }) => {
      const isRefused = ours.refusals.length > 0;
      if (isRefused === !isAccepted) return [];
      if (isRefused) return [disagreement(`${crd}: the API server accepts it; ours: ${first(ours.refusals)}`)];
      return ours.unjudged.length > 0 ? [] : [disagreement(`${crd}: we accept it; the API server: ${message}`)];
    }),
    ...objects.flatMap(({ crd, object, request, ours, isAccepted, message }) => {
      if ((ours.length === 0) === isAccepted) return [];
      const what = `${request} of ${object} of ${crd}`;
      return [
        disagreement(
          isAccepted
            ? `${what}: the API server accepts it; ours: ${first(ours)}`
            : `${what}: we accept it; the API server: ${message}`,
        ),
      ];
    }),
  ];
}

/**
 * Checks that came to no result. Objects and manifests are rightly not checked against a CRD that
 * the API server rejects, which `check crd` reports.
 */
export function failures(history: string, { from, to, checks, definitions }: PairResult): readonly Problem[] {
  const isRefused = definitions.some(({ ours, isAccepted }) => ours.refusals.length > 0 && !isAccepted);
  return checks
    .filter(({ run }) => !hasResult(run) && !(isRefused && run.exit === 1 && run.stderr.includes('upgrade check crd`')))
    .map(({ args, run: { exit, stderr } }) => ({
      kind: 'failure',
      where: `${history} ${from ?? '(nothing)'} → ${to}`,
      what: `check ${args[0] ?? ''} ended ${exit === undefined ? 'its process' : `with ${exit}`}: ${stderr.trim().split('\n').slice(-8).join('\n  ')}`,
    }));
}

/** Checks that took more processor time than they may. */
export function overLimit(history: string, { from, to, checks }: PairResult, limitMs: number): readonly Problem[] {
  return checks
    .filter(({ run }) => run.cpuMs > limitMs)
    .map(({ args, run: { cpuMs } }) => ({
      kind: 'over the limit',
      where: `${history} ${from ?? '(nothing)'} → ${to}`,
      what: `check ${args[0] ?? ''} took ${Math.round(cpuMs)} ms of processor time`,
    }));
}

function first(all: readonly string[]): string {
  const more = all.length > 1 ? ` (and ${all.length - 1} more)` : '';
  return `${all[0] ?? ''}${more}`;
}
