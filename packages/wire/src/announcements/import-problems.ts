import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import { dns1123LabelErrors, dns1123SubdomainErrors } from '@isthmus/machinery';
import { listOf, recordOf } from '../untrusted.ts';

/**
 * Why a member does not import something (docs/spec/wire.md §9): a Service; without a name, all
 * Services of the Namespace; without a Namespace, the policy of that name.
 */
export interface ImportProblem {
  /** UpperCamelCase: a reason of ServiceImports, possibly of a later version. */
  readonly reason: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** What is wrong in that cluster, and what to do. */
  readonly message: string;
}

/** A cluster that does not import a Service or a policy, and why. */
export interface ReportedProblem {
  readonly clusterID: string;
  readonly reason: string;
  readonly message: string;
}

/** Whether an import that failed for this reason leaves the earlier import in force. */
export function keepsImport(reason: string): boolean {
  return reason === 'TierDeleted' || reason === 'PolicyUpdateRejected' || reason === 'BeingDeleted';
}

/** An announcement is sent with each heartbeat, and every cluster of the Common Area reads it. */
const maxLength = 8_192;
/**
 * The rejection of a policy or a quota ends with its requirement. So a message is cut only if there
 * are many problems.
 */
const maxMessage = 480;
const maxMessageOfMany = 240;

/**
 * The value of the annotation: the same for the same problems in any order, empty without problems.
 * Problems of whole Namespaces come first. If there are too many, messages are cut, and then the
 * last problems are left out: their exporters are not notified.
 */
export function encodeImportProblems(problems: readonly ImportProblem[]): string {
  const whole = encoded(problems, maxMessage);
  return (whole.all ? whole : encoded(problems, maxMessageOfMany)).text;
}

function encoded(
  problems: readonly ImportProblem[],
  longest: number,
): { readonly text: string; readonly all: boolean } {
  const entries = problems
    .map(({ reason, namespace, name, message }) =>
      JSON.stringify({
        reason,
        ...(namespace === undefined ? {} : { namespace }),
        ...(name === undefined ? {} : { name }),
        message: cut(message, longest),
      }),
    )
    .toSorted(wholeNamespacesFirst);
  const kept: string[] = [];
  const distinct = new Set(entries);
  let length = 1;
  for (const entry of distinct) {
    length += entry.length + 1;
    if (length > maxLength) break;
    kept.push(entry);
  }
  return { text: kept.length === 0 ? '' : `[${kept.join(',')}]`, all: kept.length === distinct.size };
}

function wholeNamespacesFirst(a: string, b: string): number {
  const [rankA, rankB] = [a, b].map((entry) => (entry.includes('"name":') ? 1 : 0));
  return (rankA ?? 0) - (rankB ?? 0) || (a < b ? -1 : 1);
}

/**
 * The annotation, if it is valid: only while the member that wrote it sends heartbeats
 * (docs/spec/wire.md §9).
 */
export function importProblemsText({ metadata }: MemberClusterAnnounce): string {
  const {
    [Annotation.touchTs]: touchTs = '',
    [Annotation.marksAt]: marksAt,
    [Annotation.importProblems]: text = '',
  } = metadata.annotations ?? {};
  return touchTs !== '' && marksAt === touchTs && text.length <= 2 * maxLength ? text : '';
}

/**
 * The problems that a member reports. The member may be hostile: entries that are not well-formed
 * are left out.
 */
export function decodeImportProblems(text: string): readonly ImportProblem[] {
  return (listOf(parsed(text)) ?? []).flatMap((entry): readonly ImportProblem[] => {
    const { reason, namespace, name, message } = recordOf(entry) ?? {};
    if (typeof reason !== 'string' || !/^[A-Z][A-Za-z]{0,63}$/.test(reason)) return [];
    if (typeof message !== 'string') return [];
    if (namespace === undefined) return isDnsName(name) ? [{ reason, name, message: cut(message, maxMessage) }] : [];
    if (!isDnsLabel(namespace) || (name !== undefined && !isDnsLabel(name))) return [];
    return [{ reason, namespace, name, message: cut(message, maxMessage) }];
  });
}

function isDnsName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 253 && dns1123SubdomainErrors(value).length === 0;
}

function isDnsLabel(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 63 && dns1123LabelErrors(value).length === 0;
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function cut(message: string, longest: number): string {
  const line = message.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').toWellFormed();
  if (line.length <= longest) return line;
  return `${line
    .slice(0, longest - 1)
    .toWellFormed()
    .replace(/[\s,;:.]+$/, '')}…`;
}
