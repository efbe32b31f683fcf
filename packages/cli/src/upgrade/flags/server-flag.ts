import type { Flag } from '../../command/flag.ts';

/** The minor of the oldest API server that a CRD goes to. */
export const serverFlag: Flag<string> = {
  placeholder: 'minor',
  summary:
    'the minor of the oldest API server, such as 1.31; from 1.30 on, API servers accept updates that leave an invalid part unchanged',
  absent: 'unknown; such updates count as rejected',
  parse: minorOf,
};

/** A minor, as `1.31`. Errors: contains the form that it must have. */
export function minorOf(text: string): string {
  const found = /^v?(\d{1,4}\.\d{1,4})(?:\.\d+)?$/.exec(text);
  if (found?.[1] === undefined) throw new Error('It must be a Kubernetes minor such as 1.31.');
  return found[1];
}
