import { parseArgs } from 'node:util';
import { errorMessage } from '@isthmus/machinery';

const apiServers = ['sandbox', 'real'] as const;
/** The kind of the demo's API servers. */
export type ApiServerKind = (typeof apiServers)[number];

/** The request of the user: to play, or only to print help or an error. */
export type Asked =
  | {
      readonly kind: 'play';
      readonly apiServer: ApiServerKind;
      readonly network: boolean;
      readonly json: boolean;
      readonly keep: boolean;
    }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string };

export const usage = `usage: npm run demo -- [--api-server sandbox|real] [--network] [--json] [--keep]

  --api-server sandbox  three embedded API servers, in this process (default)
  --api-server real     three real API servers, from 'npm run envtest:install' or KUBEBUILDER_ASSETS
  --network             with packets: Nodes and Pods are network namespaces, and Pods call each other (Linux, root; sandbox only)
  --json                print one JSON document { ok, apiServer, steps: [{ name, ms, objects }] } at the end, when the clusters are gone
  --keep                skip the last steps, keep the clusters running until interrupted, and print how to point kubectl at each

Takes 4 s on two cores, with --network or on real API servers up to a minute.
`;

/**
 * Reads the arguments after the program's name. `--help` takes precedence over other errors, except
 * an unknown option.
 */
export function parseDemoArguments(args: readonly string[]): Asked {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'api-server': { type: 'string', default: 'sandbox' },
        network: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    const apiServer = apiServers.find((one) => one === values['api-server']);
    if (apiServer === undefined) {
      const given = JSON.stringify(values['api-server']);
      return { kind: 'wrong', problem: `--api-server ${given}: it must be ${apiServers.join(' or ')}` };
    }
    const { network, json, keep } = values;
    if (network && apiServer !== 'sandbox')
      return { kind: 'wrong', problem: '--network: it needs the API servers of the sandbox' };
    return { kind: 'play', apiServer, network, json, keep };
  } catch (error) {
    return { kind: 'wrong', problem: errorMessage(error) };
  }
}
