/** The command line of a script of `package.json`, for users. */
export interface Usage {
  /** What it does, as a sentence without its subject. */
  readonly does: string;
  /** Behind `npm run <name> --`. Absent: it takes no arguments. */
  readonly args?: string | undefined;
  readonly flags?: readonly (readonly [flag: string, does: string])[] | undefined;
  /** How long it takes, on two cores without other work. */
  readonly takes: string;
}

const vitest = ['…', 'arguments for vitest, such as paths of tests and -t TITLE'] as const;
const installed = '"npm run envtest:install" comes first';

/** The scripts of `package.json` that are programs of this repository, by name. */
export const usages: Readonly<Record<string, Usage>> = {
  'test:envtest': {
    does: 'Runs the tests on real API servers, and builds the programs that they need first. Without Go and KUBEBUILDER_ASSETS it runs nothing.',
    args: '[VITEST ARGUMENTS…]',
    flags: [vitest],
    takes: 'about 40 minutes; a file of tests 2 s to 6 minutes; the programs once more',
  },
  landing: {
    does: 'Runs the tests of a landing, or records that the work for the next landing begins (docs/testing.md#landings).',
    args: 'begin|unit|sweeps|envtest',
    flags: [
      ['begin', 'write scripts/landing/last.json, which belongs to your first commit'],
      ['unit', 'run npm test, and repeat the files that failed'],
      ['sweeps', 'run all points of a share of the sweeps'],
      ['envtest', 'run a share of the tests on real API servers'],
    ],
    takes: 'begin: 1 s; the others: 2 to 15 minutes each',
  },
  affected: {
    does: 'Runs the tests that a change affects: those of npm test, then those on real API servers as far as the time allows.',
    args: '[--since COMMIT] [--seconds N] [--list]',
    flags: [
      [
        '--since COMMIT',
        'the change is everything after this commit (default: after the last landing); HEAD: what is not committed',
      ],
      ['--seconds N', 'how long tests on real API servers may take (default 180)'],
      ['--list', 'print the tests, and run none'],
    ],
    takes: 'seconds to 6 minutes; --list: 3 s',
  },
  losses: {
    does: 'Loses what a leader and members have, one loss after the other, on real API servers, and prints what became of 30 imports.',
    args: '[VITEST ARGUMENTS…]',
    flags: [vitest],
    takes: 'about 10 minutes',
  },
  mutants: {
    does: 'Changes shipped code in one place after the other, and prints the changes that no test notices.',
    args: '[--nearest N] [--longest MS] [PATH…]',
    flags: [
      [
        'PATH',
        'files or folders of shipped code (default: what carries packets, keeps what is lost, and judges versions)',
      ],
      ['--nearest N', 'with how many files of tests each file of code is tried (default 10)'],
      ['--longest MS', 'what such a test may take (default 3000)'],
    ],
    takes: 'minutes for a folder, hours for the default',
  },
  swaps: {
    does: `Changes a leader and two members between Isthmus and Antrea, there and back, on real API servers; ${installed}.`,
    args: '[--antrea PATH --manifests DIR | --previous DIR] [--rounds N] [--services N]',
    flags: [
      ['--antrea PATH', 'antrea-mc-controller; absent: recorded behaviour of version 2.7'],
      ['--manifests DIR', 'has antrea-multicluster-leader.yml and antrea-multicluster-member.yml of the same release'],
      ['--previous DIR', 'instead of Antrea, another version of Isthmus: a checkout in which npm ci has run'],
      ['--rounds N', 'how often all clusters change there and back (default 3)'],
      ['--services N', 'how many Services are exported (default 20)'],
    ],
    takes: '1 to 3 minutes',
  },
  conformance: {
    does: 'Runs the conformance suite of the MCS API against two members of a ClusterSet, and prints what became of each spec. Needs Go.',
    args: '--suite DIR [--api-server KIND] [--labels EXPRESSION] [--endpoint-ip-type TYPE]',
    flags: [
      ['--suite DIR', 'a checkout of sigs.k8s.io/mcs-api'],
      [
        '--api-server KIND',
        'sandbox (the default); network: a sandbox with a network; real: what npm run envtest:install has built; nodes: clusters with real Nodes, of npm run testbed:install',
      ],
      [
        '--labels EXPRESSION',
        'the specs that run; Pods of sandbox and real send no packets, so their default is without DNS and connectivity',
      ],
      ['--endpoint-ip-type TYPE', 'on nodes: PodIP (the default) or ClusterIP'],
    ],
    takes: 'on a sandbox with a network 4 minutes, on nodes 14 minutes',
  },
  matrix: {
    does: 'Sends packets between three clusters with real Nodes in every combination of client, server, target, protocol, family and configuration (docs/matrix.md); as root, after "npm run testbed:install". Builds a release first, unless ISTHMUS_DIST names one.',
    args: '[--kube-proxy nftables|iptables]… [--write FILE]',
    flags: [
      ['--kube-proxy MODE', 'only with this mode of kube-proxy (default: both)'],
      ['--write FILE', 'write the results into this page, such as docs/matrix.md'],
    ],
    takes: '8 minutes, and the release',
  },
  corpus: {
    does: `Takes a real API server through the versions of projects, and reports where it and "isthmus upgrade check" differ (docs/upgrade/corpus.md); ${installed}.`,
    args: '[--cpu-limit MS] [--crdify PATH] [--pluto PATH] [--details FILE] DIR…',
    flags: [
      ['DIR', 'a project: a folder for each version, such as v1.2.0, with its manifests, CRDs or bundles'],
      ['--cpu-limit MS', 'the most processor time that one check of a pair may take (default 1000)'],
      ['--crdify PATH', 'also ask this crdify about each pair of CRDs'],
      ['--pluto PATH', 'also ask this pluto about each version'],
      ['--details FILE', 'write every verdict as JSON'],
    ],
    takes: 'seconds for each pair of versions',
  },
  'test:tools': {
    does: 'Compares what kubectl, Helm and the official client do against the sandbox with a recording of a real API server (tools/). The first run installs them, 379 MB; only on linux-x64.',
    args: '[--api-server real] [--only TEXT] [--tools v31|v34] [--record] [--operations]',
    flags: [
      ['--api-server real', 'against a real API server'],
      ['--only TEXT', 'only operations whose name contains this text'],
      ['--tools VERSION', 'only kubectl and helm of this version, v31 or v34'],
      ['--record', 'with --api-server real: write the recording again'],
      ['--operations', 'with --api-server real: write docs/sandbox/api-operations.md'],
    ],
    takes: '1 minute; against a real API server 75 s',
  },
  soak: {
    does: 'Runs the tests that are too long for npm test: all parts, or those that are named.',
    args: '[PART…] [--seeds N] [--from SEED]',
    flags: [
      ['PART', 'features, chaos, losses, truths, nodes, servers or oldest (docs/testing.md)'],
      ['--seeds N', 'how many seeds chaos, losses and truths run (default 20)'],
      ['--from SEED', 'the first of them (default 1)'],
    ],
    takes: 'hours; chaos, losses and truths seconds for each seed',
  },
  check: {
    does: 'Checks the tree: types, lint, house rules, pages, format, dead code and generated files. Runs all steps.',
    takes: '45 s',
  },
  generate: {
    does: 'Writes every file that is derived from definitions, and removes those that no longer are.',
    args: '[--check]',
    flags: [['--check', 'change nothing, and fail if a file is stale']],
    takes: '5 s',
  },
  'generate:types': {
    does: 'Writes the facts about built-in API types (packages/sandbox/src/builtin/types) from their Go modules. Needs Go.',
    takes: '10 s once the Go modules are built, minutes the first time',
  },
  'envtest:install': {
    does: 'Builds etcd, etcdutl, kube-apiserver, kube-controller-manager, kubectl, a registry and CoreDNS from their Go modules, once per version, into $XDG_CACHE_HOME/isthmus/envtest. Needs Go, unless KUBEBUILDER_ASSETS names a folder with them.',
    takes: '10 to 15 minutes the first time, 1 s later',
  },
  'testbed:install': {
    does: 'Gets what clusters with real Nodes need (docs/testbed.md): what "npm run envtest:install" builds, the programs of Nodes and, as root on Debian, its packages.',
    takes: '2 minutes after envtest:install the first time, seconds later',
  },
  testbed: {
    does: 'Runs clusters with real Nodes on this machine, without Docker (docs/testbed.md); as root, after "npm run testbed:install".',
    args: 'up|status|kubectl|node|load|down',
    flags: [
      [
        'up [FLAGS]',
        'start them: --clusters north,east,west, --nodes 2, --kube-proxy nftables|iptables|none, --no-masquerade, --routed',
      ],
      ['status', 'print the clusters, and the addresses of their Nodes'],
      ['kubectl CLUSTER …', 'run kubectl against a cluster'],
      ['node NODE COMMAND…', 'run a command in the namespaces of a Node'],
      ['load CLUSTER ARCHIVE', 'import the images of an archive into all Nodes of a cluster'],
      ['down', 'end them'],
    ],
    takes: 'up: 1 minute; the others: 1 s',
  },
  build: {
    does: 'Builds all artifacts of this version (docs/release.md): npm packages, images, manifests, chart, bundle and checksums.',
    args: '[--out DIR] [--package-only] [--key FILE]',
    flags: [
      ['--out DIR', 'where they go (default dist); files of these names are replaced'],
      ['--package-only', 'only the npm packages and their checksums; the images need the tools of Debian'],
      ['--key FILE', 'a PEM file with a private key (P-256, PKCS#8), which signs the bundle and the checksums'],
    ],
    takes: '1 minute, and 110 MB of downloads the first time',
  },
  'set-version': {
    does: 'Writes a version into every package.json, the lock file and the pages that name it. Then run npm ci and npm run generate.',
    args: 'VERSION',
    flags: [['VERSION', 'in the form 1.2.3 or, for a release candidate, 1.2.3-rc.1']],
    takes: '1 s',
  },
  updates: {
    does: 'Prints the pinned packages that have a newer version: of npm, of Debian, and Go modules. Asks their registries.',
    takes: '1 minute',
  },
  candidate: {
    does: 'Runs the whole suite and the soak, and builds the artifacts of a release candidate (docs/release.md). If it is started again, it continues.',
    args: '[--again]',
    flags: [['--again', 'start from the beginning']],
    takes: 'hours',
  },
};

/** The text that `--help` prints. */
export function usageText(name: string, { does, args, flags = [], takes }: Usage): string {
  const width = Math.max(0, ...flags.map(([flag]) => flag.length));
  return [
    `usage: npm run ${name}${args === undefined ? '' : ` -- ${args}`}`,
    '',
    does,
    ...(flags.length === 0 ? [] : ['', ...flags.map(([flag, what]) => `  ${flag.padEnd(width)}  ${what}`)]),
    '',
    `Takes ${takes}, on two cores.`,
    '',
  ].join('\n');
}
