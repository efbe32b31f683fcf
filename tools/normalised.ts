import type { Operation } from './operations.ts';
import type { Outcome } from './run-operation.ts';

/**
 * What two servers must agree on: the exit code, and the output but for names, times, versions,
 * allocated addresses and uids.
 */
export interface Comparable {
  readonly exitCode: number;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

export interface Names {
  readonly namespace: string;
  readonly url: string;
}

/** An outcome without what two runs may differ in. */
export function normalised(operation: Operation, { exitCode, stdout, stderr }: Outcome, names: Names): Comparable {
  const lines = (text: string): readonly string[] => {
    const compared = operation.ignores === undefined ? text : text.replaceAll(globally(operation.ignores), '');
    const words = rules.reduce(
      (all, [pattern, word]) => all.replaceAll(pattern, word),
      compared.replaceAll(names.url, 'SERVER').replaceAll(names.namespace, 'NAMESPACE'),
    );
    // kubectl aligns columns by the widest cell, and cells are names and ages.
    const all = words
      .split('\n')
      .map((line) => line.replaceAll(/ {2,}|\t+/g, '  ').trimEnd())
      .filter((line) => line !== '');
    const kept = operation.anyNumber === true ? [...new Set(all)] : all;
    return operation.anyOrder === true ? kept.toSorted() : kept;
  };
  return { exitCode, stdout: lines(stdout), stderr: lines(stderr) };
}

const globally = ({ source, flags }: RegExp) => new RegExp(source, flags.includes('g') ? flags : `${flags}g`);

const rules: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UID'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?(Z|[+-]\d\d:?\d\d))?( [A-Z]{3,4})?( m=\S+)?/g, 'TIME'],
  [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(\d\d? )?(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+ .*$/gm, 'TIME'],
  [/^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm, 'LOG '],
  [/"?resourceVersion"?: ?"\d+"/g, 'resourceVersion: VERSION'],
  [/\/tmp\/[\w./-]+/g, 'FILE'],
  [/\bpod-template-hash=\w+/g, 'pod-template-hash=HASH'],
  [/\b(10\.96|10\.0)\.\d+\.\d+\b/g, 'ADDRESS'],
  [/(?<=\s)(\d+[smh]){1,2}(?=\s|$)/gm, 'AGE'],
  [/-[bcdf-hj-np-tv-xz2-9]{5,10}(-[bcdf-hj-np-tv-xz2-9]{5})?(?=[\s:]|$|\\?"|')/gm, '-SUFFIX'],
];
