import { parseArgs } from 'node:util';

/** What a person asked the demo for: to play, or only to be told something. */
export type Asked =
  | { readonly kind: 'play'; readonly json: boolean; readonly keep: boolean }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string };

export const usage = `usage: npm run demo -- --api-server real [--json] [--keep]

  --api-server real  three real API servers, from 'npm run envtest:install' or KUBEBUILDER_ASSETS
  --json             print one JSON document { ok, steps: [{ name, ms, objects }] } at the end, when the clusters are gone
  --keep             do not withdraw and leave at the end, but stay up until interrupted, and say how to point kubectl at each cluster
`;

/** Reads the arguments after the program's name. `--help` counts before all that may be wrong beside it, but an option that is unknown. */
export function parseDemoArguments(args: readonly string[]): Asked {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'api-server': { type: 'string' },
        json: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    if (values['api-server'] !== 'real') {
      return { kind: 'wrong', problem: 'the demo needs --api-server real: the embedded sandbox is not built yet' };
    }
    return { kind: 'play', json: values.json, keep: values.keep };
  } catch (error) {
    return { kind: 'wrong', problem: error instanceof Error ? error.message : String(error) };
  }
}
