/**
 * Which test runs each block of the pages whose commands users type. `printed-blocks.test.ts`
 * compares this list with the pages, and a test fails that does not run a block of its own
 * (`testing/story.ts`). A name in capitals in a block is a placeholder: a test puts a value in its
 * place, and changes nothing else.
 */
import type { Block } from './blocks.ts';

/** A block that no test runs, with the reason. */
export interface NotRun {
  readonly why: string;
}

/** The path of the test that runs a block, of several tests, or why none does. */
export type Entry = string | readonly string[] | NotRun;

const notRun = (why: string): NotRun => ({ why });

const sandbox = 'packages/cli/src/sandbox/guides.envtest.test.ts';
const demo = 'packages/cli/src/demo/demo.envtest.test.ts';
const apiServers = 'packages/cli/src/demo/readme.envtest.test.ts';
const dns = 'packages/cli/src/dns/dns-process.envtest.test.ts';
const agents = 'scripts/release/agent-guide-on-nodes.envtest.test.ts';
const image = 'scripts/release/image/image.envtest.test.ts';
const npmPackage = 'scripts/release/package.envtest.test.ts';
const libraries = 'scripts/release/libraries/libraries.envtest.test.ts';
const testbed = 'scripts/release/testbed-on-nodes.envtest.test.ts';
const chart = 'scripts/generate/chart/chart.envtest.test.ts';
const nodes = 'scripts/release/on-nodes.envtest.test.ts';

/** By page and heading, the blocks in their order. */
export const printedBlocks = {
  'README.md': {
    Isthmus: [notRun('a drawing')],
    'See it work': [demo, 'packages/cli/src/demo/story.test.ts', demo, sandbox, demo],
    'Run it on your clusters': [
      nodes,
      [apiServers, nodes],
      nodes,
      [apiServers, nodes],
      [apiServers, nodes],
      [apiServers, nodes],
    ],
    'Without the image': [apiServers, apiServers],
    'Export a Service': [[apiServers, nodes], apiServers],
    'Read the metrics': [apiServers],
  },
  'docs/guides/quick-start.md': {
    'Quick start: one Service in three clusters': [sandbox, sandbox],
    'Export a Service': [sandbox, sandbox, sandbox],
    'Watch it change': [sandbox],
    'Withdraw it': [sandbox],
  },
  'docs/guides/grant-fleet.md': {
    'Grant what an existing fleet uses': [sandbox, sandbox],
    'Read the records': [sandbox],
    'Compare them with the clusters': [sandbox],
    'Confirm them': [sandbox, sandbox],
    'Check it': [sandbox],
  },
  'docs/guides/join.md': {
    'Join with a file': [sandbox],
    Join: [sandbox],
    'If a cluster does not join': [sandbox],
    Tokens: [sandbox],
    'End the tokens of a cluster': [sandbox],
  },
  'docs/guides/user-guide.md': {
    'User guide': [sandbox],
    'Export the same Service in several clusters': [sandbox],
    'Read a conflict': [sandbox],
    'Export a headless Service': [sandbox],
    'Replicate a policy': [sandbox],
    'Make a Node a gateway': [sandbox, sandbox],
    'Decide what a cluster may announce': [sandbox, sandbox, sandbox],
    'Limit what a cluster makes in the others': [sandbox],
    'Find problems': [sandbox],
    Leave: [sandbox],
  },
  'docs/guides/sandbox-network.md': {
    'A sandbox with packets': [sandbox, sandbox],
    'Run something': [sandbox],
    'Call it from another cluster': [sandbox, sandbox, sandbox, sandbox],
    'Follow a packet': [sandbox],
    'What is real, and what is not': [demo],
  },
  'docs/guides/agent.md': {
    'Install it': [agents, agents, agents, agents],
    'Pods with the same addresses': ['packages/controlplane/src/stories/virtual-pod-cidrs.test.ts', apiServers],
    'See which clusters are reached': [agents],
    'Pods that route to each other': [
      notRun('output of isthmus agent show; packages/cli/src/agent/show.test.ts has its rows'),
    ],
    'Labels and policies': ['packages/dataplane/src/agent/policies.test.ts'],
    'Read the metrics': [apiServers],
    Encryption: [agents],
    "Use the configuration of Antrea's agent": [chart],
    'Update and remove it': [
      notRun('it needs the image on a Node; packages/cli/src/agent/agent-process.envtest.test.ts runs its command'),
    ],
  },
  'docs/guides/dns.md': {
    'Use the multicluster option of CoreDNS': [apiServers, dns],
    'Forward from CoreDNS': [agents, dns],
    'Forward from NodeLocal DNSCache': [dns],
    'Check it': [agents],
  },
  'docs/helm.md': {
    'Install with Helm': [apiServers, apiServers],
    CustomResourceDefinitions: [apiServers],
    'Change from manifests to Helm, or back': [apiServers],
  },
  'docs/kustomize.md': {
    'Install with kustomize': [apiServers, chart, chart, apiServers, chart],
    'Another Namespace': [apiServers],
  },
  'docs/release.md': {
    'Build a release': [image],
    'Sign and verify': [image],
    'Check a release': [image],
    'Make a release candidate': [
      notRun('it runs all tests; scripts/set-version.test.ts and scripts/candidate test its commands one by one'),
    ],
    'The package': [npmPackage],
    'The packages that are used alone': [libraries],
    'The image': [image, image, image, image],
    'Check the pinned versions for updates': [
      notRun('it asks the registries of npm, Debian and Go; scripts/updates tests it with recorded answers'),
    ],
  },
  'docs/testbed.md': { 'Clusters with real Nodes on one machine': [testbed] },
  'docs/antrea.md': {
    'To Isthmus': [apiServers],
    'Back to Antrea': [apiServers, apiServers, apiServers],
    'Test a change': [
      notRun(
        'a run takes minutes, and two lines need a release of others; bench/swaps/swaps.envtest.test.ts does the same',
      ),
    ],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly Entry[]>>>>;

export type PageName = keyof typeof printedBlocks;

/** The tests that run a block according to its entry. */
export const testsOf = (entry: Entry | undefined): readonly string[] =>
  typeof entry === 'string' ? [entry] : entry === undefined || 'why' in entry ? [] : entry;

/** The entry of a block; undefined: it has none. */
function entryOf(page: string, { heading, number }: Pick<Block, 'heading' | 'number'>): Entry | undefined {
  const pages: Readonly<Record<string, Readonly<Record<string, readonly Entry[]>>>> = printedBlocks;
  return pages[page]?.[heading]?.[number - 1];
}

/** The blocks of `blocks`, all of one page, that a test runs. */
export const blocksRunBy = (test: string, page: PageName, blocks: readonly Block[]): readonly Block[] =>
  blocks.filter((block) => testsOf(entryOf(page, block)).includes(test));
