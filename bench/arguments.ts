import { parseArgs } from 'node:util';
import { errorMessage } from '@isthmus/machinery';
import { allRows, askedRows, churnRows, fleetRows, networkRows, sandboxRows, upgradeRows } from './row-names.ts';

export const usage = `usage: npm run bench [-- sandbox|upgrade|churn|network] [--api-server real] [--only row,row] [--members N] [--services N] [--changes N] [--starts N] [--growth] [--json FILE] [--profile DIR] [--node-flags FLAGS] [--compile-cache]

  (nothing)          the same as sandbox
  sandbox            the embedded API server: ${sandboxRows.join(', ')}
  sandbox --api-server real
                     the same, with the real API server's figures beside them
  --api-server real  the controllers on real API servers, from 'npm run envtest:install' or KUBEBUILDER_ASSETS:
                     rows 1 cold convergence, 2 endpoint change, 3 writes, 4 first import, 5 memory, growth
  --api-server real --only race --against DIR
                     this version and that of another checkout, whose packages are installed, in turn in one run
  --api-server real --only antrea --antrea PATH --manifests DIR
                     these controllers and Antrea's in turn: antrea-mc-controller, and the manifests of its release
  upgrade            plans of fleets and checks of CRDs: ${upgradeRows.join(', ')}
  churn              the controllers under load that lasts, on real API servers: ${churnRows.join(', ')}
  churn --only identities --antrea PATH --manifests DIR
                     label identities, with these controllers and Antrea's in turn
  network, --network
                     packets between clusters in network namespaces, against the same tunnels by hand, the upstream's way and the bare network:
                     ${networkRows.join(', ')}; needs Linux, root, and the packages iperf3 and sockperf
  --only 1,2         only these rows
  --members N        how many members the sandbox's fleet has, and how many join in row joins (default 200)
  --services N       how many Services rows 1, 3 and 5 export (default 1000)
  --changes N        how many endpoint changes row 2 makes (default 600), and row members (default 40)
  --starts N         how many starts rows 4 and ready measure (default 5)
  --minutes N        how long row churn lasts (default 10)
  --exports N        how many Services of one member row many has (default 5000; each is two ResourceExports), how many ResourceExports row
                     restart has, and half as many as row identities has sets of labels
  --growth           also cold convergence with 100, 1,000 and 5,000 Services: some minutes more
  --json FILE        where the result goes (default bench/results/<time>.json)
  --profile DIR      CPU profiles of the controllers of rows 1 and 2, and of the sandbox; their figures are then slower
  --compile-cache    of row antrea: our controllers start with what V8 compiled for controllers that worked before, as from an image that has it
  --node-flags FLAGS more flags for the Node of the controllers, beside those of their Pods

Takes 3 minutes on two cores; with --api-server real 6 minutes, rows that last or grow up to 30.
`;

export interface Arguments {
  /**
   * The part to measure: the controllers on real API servers, the sandbox, or the rules of
   * upgrades.
   */
  readonly part: 'fleet' | 'sandbox' | 'upgrade' | 'churn' | 'network';
  readonly wanted: ReadonlySet<string>;
  readonly besideReal: boolean;
  readonly members: number;
  readonly services: number;
  readonly changes: number;
  readonly starts: number;
  readonly minutes: number;
  readonly exports: number;
  /** The checkout of another version, for row race. */
  readonly against: string | undefined;
  /** The program and the manifests of Antrea, for rows antrea and identities. */
  readonly antrea: { readonly binary: string; readonly manifests: string } | undefined;
  readonly json: string | undefined;
  readonly profileInto: string | undefined;
  readonly nodeFlags: readonly string[];
  /** Whether our controllers of row antrea find what V8 compiled before. */
  readonly compileCache: boolean;
}

const parts: readonly string[] = ['sandbox', 'upgrade', 'churn', 'network'];

const rowsOf: Readonly<Record<Arguments['part'], readonly string[]>> = {
  fleet: fleetRows,
  sandbox: sandboxRows,
  upgrade: upgradeRows,
  churn: churnRows,
  network: networkRows,
};

/**
 * The request of the command line, or the problem with it; the problem is empty for a request for
 * help.
 */
export function readArguments(argv: readonly string[]): Arguments | { readonly problem: string } {
  try {
    const { values, positionals: named } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        'api-server': { type: 'string' },
        only: { type: 'string' },
        members: { type: 'string', default: '200' },
        services: { type: 'string', default: '1000' },
        changes: { type: 'string' },
        starts: { type: 'string', default: '5' },
        minutes: { type: 'string', default: '10' },
        exports: { type: 'string', default: '5000' },
        growth: { type: 'boolean', default: false },
        antrea: { type: 'string' },
        manifests: { type: 'string' },
        against: { type: 'string' },
        json: { type: 'string' },
        profile: { type: 'string' },
        'node-flags': { type: 'string', default: '' },
        'compile-cache': { type: 'boolean', default: false },
        network: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { problem: '' };
    const positionals = values.network ? [...named, 'network'] : named;
    const stray = positionals.find((one, index) => !parts.includes(one) || index > 0);
    if (stray !== undefined) return { problem: `unknown part ${JSON.stringify(stray)}; known are ${parts.join(', ')}` };
    const server = values['api-server'];
    if (server !== undefined && server !== 'real')
      return { problem: `--api-server can only be real, not ${JSON.stringify(server)}` };
    const besideReal = server === 'real';
    const [asked = besideReal ? 'fleet' : 'sandbox'] = positionals;
    const part = asked as Arguments['part'];
    if ((part === 'upgrade' || part === 'network') && besideReal)
      return { problem: `${part} is measured without any API server` };
    const isChurn = part === 'churn';
    const known = rowsOf[part];
    if (values.growth && part !== 'fleet') return { problem: '--growth is of the controllers on real API servers' };
    const chosen = values.only?.split(',').map((row) => row.trim()) ?? known.filter((row) => !askedRows.includes(row));
    const unknown = chosen.find((row) => !known.includes(row));
    if (unknown !== undefined) return { problem: noRow(unknown, known) };
    const { antrea: binary, manifests } = values;
    const antrea = binary === undefined || manifests === undefined ? undefined : { binary, manifests };
    const hasPart = binary !== undefined || manifests !== undefined;
    const usesAntrea = chosen.includes('antrea') || chosen.includes('identities');
    if (chosen.includes('antrea') ? antrea === undefined : hasPart && (antrea === undefined || !usesAntrea))
      return {
        problem: 'row antrea needs both --antrea and --manifests; row identities can use both, and nothing else',
      };
    if (values['compile-cache'] && !chosen.includes('antrea')) return { problem: '--compile-cache is of row antrea' };
    if (chosen.includes('race') !== (values.against !== undefined))
      return { problem: 'row race and --against need each other: --api-server real --only race --against DIR' };
    const numbers = {
      members: values.members,
      services: values.services,
      changes: values.changes ?? (part === 'fleet' ? '600' : '40'),
      starts: values.starts,
      minutes: values.minutes,
      exports: values.exports,
    };
    for (const [name, text] of Object.entries(numbers)) {
      if (!/^[1-9]\d{0,3}$/.test(text))
        return { problem: `--${name} must be a number from 1 to 9999, not ${JSON.stringify(text)}` };
    }
    // Members have a name of three digits, and one of them exports.
    if (Number(numbers.members) < 2 || Number(numbers.members) > 999)
      return { problem: `--members must be a number from 2 to 999, not ${numbers.members}` };
    return {
      part,
      wanted: new Set([...chosen, ...(values.growth ? ['growth'] : [])]),
      besideReal: besideReal || isChurn,
      members: Number(numbers.members),
      services: Number(numbers.services),
      changes: Number(numbers.changes),
      starts: Number(numbers.starts),
      minutes: Number(numbers.minutes),
      exports: Number(numbers.exports),
      against: values.against,
      antrea,
      json: values.json,
      profileInto: values.profile,
      nodeFlags: values['node-flags'].split(' ').filter((flag) => flag !== ''),
      compileCache: values['compile-cache'],
    };
  } catch (error) {
    return { problem: errorMessage(error) };
  }
}

function noRow(row: string, known: readonly string[]): string {
  if (!allRows.includes(row)) return `unknown row ${JSON.stringify(row)}; known are ${known.join(', ')}`;
  const [part = 'sandbox'] = Object.entries(rowsOf).find(([, rows]) => rows.includes(row)) ?? [];
  const how = { fleet: '--api-server real alone', sandbox: 'sandbox, with or without --api-server real' }[part] ?? part;
  return `row ${JSON.stringify(row)} is measured with ${how}`;
}
