import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { coverageProblems, coverageSections, numbersIn, parseCoverage, sourcesIn } from './coverage.ts';
import type { CoverageRow } from './coverage.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

const read = (path: string): string | undefined => {
  try {
    return readFileSync(root + path, 'utf8');
  } catch {
    return undefined;
  }
};

/** The case numbers of the control-plane specification §9.4; they are names and have gaps. */
const caseNumbers = [
  [
    1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26, 27, 29, 30, 31, 33, 34, 35, 37, 38, 39, 41,
    42,
  ],
  [
    43, 45, 46, 47, 49, 50, 51, 53, 54, 55, 57, 58, 59, 61, 62, 63, 65, 66, 67, 69, 70, 71, 73, 74, 75, 77, 78, 79, 81,
    82,
  ],
  [83, 85, 86, 87, 89, 90, 91, 93, 94, 95, 97, 98, 99, 101, 102, 103, 105, 106, 107, 109, 110, 111, 113, 114, 115, 117],
  [118, 119, 121, 122, 123, 125, 126, 127, 129, 130, 131, 133, 134],
]
  .flat()
  .map(String);

/** Likewise of the specification of upgrades §6. */
const upgradeCaseNumbers = [
  [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26, 27, 29, 30, 31, 33, 34, 35, 37, 38, 39, 41],
  [42, 43, 45, 46, 47, 49, 50, 51, 53, 54, 55, 57, 58, 59, 61, 62, 63, 65, 66, 67, 69, 70, 71, 73, 74, 75, 77, 78, 79],
  [81, 82, 83, 85, 86, 87, 89, 90, 91, 93, 94, 95, 97, 98, 99, 101, 102, 103, 105, 106, 107, 109, 110, 111, 113, 114],
  [115, 117, 118, 119, 121, 122, 123, 125, 126, 127, 129, 130],
]
  .flat()
  .map(String);

/** The defects of the control-plane specification §9.3. */
const defectNumbers = Array.from({ length: 34 }, (_, index) => `B${index + 1}`);

/** Of these, whole cases that wait for admission, gateways, policies or the data plane: they are on other kinds, on webhooks, or on packets. */
const laterCases = new Set(
  [
    [9, 10, 11, 13, 14, 21, 33, 34, 35, 37, 38, 39, 41, 42, 43, 45, 46, 47, 49, 50, 51, 53, 54, 55, 57, 58, 59, 61, 62],
    [63, 65, 66, 67, 69, 70, 75, 78, 86, 87, 89, 90, 91, 93, 94, 95, 97, 98, 110, 111, 113, 114, 115, 117, 118, 119],
    [127, 129, 131, 133, 134],
  ]
    .flat()
    .map(String),
);

/** Parts of other cases and of defects that wait likewise: the same promise on Gateways, ClusterInfo, LabelIdentities, policies, webhooks. */
const laterParts = new Set(
  [
    '126b 126c 126e 126f B2b B4b B4c B6a B6b B6c B9 B10a B10b B10c B13 B14a B14b B17b B18 B23b B23c B23d B24e B24f',
    'B25d B27b B30 B31 B32b B34',
  ].flatMap((some) => some.split(' ')),
);

const casesSection = 'Acceptance cases';
const upgradeCasesSection = 'Upgrade rules: acceptance cases';
const defectsSection = 'Defects of the reference implementation that ours must not have';

/** The headings of the seed documents that promise something, in their order (tables of contents and bare pointers are left out). */
const seedHeadings: readonly (readonly string[])[] = [
  [
    'introduction',
    'Upgrade in one ClusterSet',
    'APIs deprecation policy',
    'Supported K8s versions',
    'Feature list',
    'Known Issues',
  ],
  [
    'Versioning scheme',
    'Release cycle',
    'Antrea upgrade and supported version skew',
    'Supported K8s versions',
    'Deprecation policies › metrics',
    'Deprecation policies › APIs',
    'Introducing new API resources',
  ],
  [
    'introduction',
    'Quick Start',
    'Deploy Antrea Multi-cluster Controller',
    'Deploy in a Dedicated Leader Cluster',
    'Deploy in a Member Cluster',
    'Deploy Leader and Member in One Cluster',
    'Create ClusterSet',
    'Set up Access to Leader Cluster',
    'Initialize ClusterSet',
    'Initialize ClusterSet for a Dual-role Cluster',
    'Multi-cluster Gateway Configuration',
    'Multi-cluster Service',
    'Multi-cluster Pod-to-Pod Connectivity',
    'Multi-cluster NetworkPolicy',
    'Egress Rule to Multi-cluster Service',
    'Ingress Rule',
    'ClusterNetworkPolicy Replication',
    'Build Antrea Multi-cluster Controller Image',
    'Known Issue',
  ],
  [
    'introduction',
    'Prepare Antrea Multi-cluster Image',
    'Deploy Multi-cluster Controller',
    'Deployment in a Dedicated Leader Cluster',
    'Deployment in the Member Cluster',
    'Deploy Leader and Member in one Cluster',
    'ClusterSet',
    'Setting up Access to Leader Cluster',
    'Setting up ClusterSet',
    'Export and Import Service',
    'Known Issue',
  ],
  [
    'Introduction',
    'Tenets',
    'Goals and objectives',
    'Statement of scope',
    'Overview of solution',
    'Solution details',
    'Order of execution',
    'How to detect new builds for components?',
    'CAPI',
    'EKS Anywhere controller and CRDs',
    'Flux',
    'Cilium',
    'CAPI upgrade to v1alpha4',
    'User experience › Behavior change',
    'User experience › Documentation',
    'Testing',
  ],
];

/** Compared as text so that a failure shows each number that is missing or made up. */
const sorted = (numbers: Iterable<string>): readonly string[] => [...numbers].toSorted();

describe('docs/coverage.md', () => {
  const coverage = parseCoverage(read('docs/coverage.md') ?? '');

  it('tells the truth about its tests', () => {
    expect(coverageProblems(coverage, read)).toEqual([]);
  });

  it.each(seedHeadings.map((headings, seed) => [seed, coverageSections[seed] ?? '', headings] as const))(
    'has rows from every heading of seed %i, %s',
    (seed, section, headings) => {
      expect(sourcesIn(coverage, section)).toEqual(headings.map((heading) => `00${seed} · ${heading}`));
    },
  );

  const idOf = ({ what }: CoverageRow): string => what.split(' · ')[0] ?? '';
  const numberOf = (row: CoverageRow): string => idOf(row).replace(/[a-z]$/, '');
  const isShown = ({ state }: CoverageRow): boolean => state === 'shown' || state === 'differs';
  const rowsOf = (section: string) => coverage.rows.filter((row) => row.section === section);

  /** Numbers of shown rows that stand in no title that any of their rows cites. */
  const unnamed = (rows: readonly CoverageRow[], word: string): readonly string[] =>
    [...Map.groupBy(rows.filter(isShown), numberOf)]
      .filter(([number, some]) => {
        const named = new RegExp(`\\b${word}${number}[a-z]?\\b`);
        return !some.some(({ proofs }) => proofs.some(({ title }) => named.test(title)));
      })
      .map(([number]) => number);

  it('has every acceptance case', () => {
    expect(sorted(numbersIn(coverage, casesSection))).toEqual(sorted(caseNumbers));
  });

  it('shows every acceptance case on ClusterSet, MemberClusterAnnounce, Service and Endpoints, and no other', () => {
    const waits = (row: CoverageRow) => laterCases.has(numberOf(row)) || laterParts.has(idOf(row));
    const wrong = rowsOf(casesSection).filter((row) => (waits(row) ? row.state !== 'not yet' : !isShown(row)));
    expect(wrong.map((row) => `${row.what}: ${row.state}`)).toEqual([]);
  });

  it('names a test after each of these cases', () => {
    const rows = rowsOf(casesSection).filter(({ from }) => from !== 'spec · Config & start-up');
    expect(unnamed(rows, 'case ')).toEqual([]);
  });

  it('has every acceptance case of upgrades, and names a test after each that is shown', () => {
    expect(sorted(numbersIn(coverage, upgradeCasesSection))).toEqual(sorted(upgradeCaseNumbers));
    expect(unnamed(rowsOf(upgradeCasesSection), '')).toEqual([]);
  });

  it('has every defect of the reference implementation', () => {
    expect(sorted(numbersIn(coverage, defectsSection))).toEqual(sorted(defectNumbers));
  });

  it('names a test after each defect that touches these parts', () => {
    const rows = rowsOf(defectsSection);
    const wrong = rows.filter((row) => isShown(row) === laterParts.has(idOf(row)));
    expect(wrong.map((row) => `${row.what}: ${row.state}`)).toEqual([]);
    expect(unnamed(rows, '')).toEqual([]);
  });
});

/** A page with one sound row in every section, and in the first section the given last rows. */
const page = (...rows: readonly string[]): string =>
  [
    '# A page',
    '| not | coverage |',
    '|---|---|',
    '| shown | a legend |',
    ...coverageSections.flatMap((section, index) => [
      `## ${section}`,
      '| what | where from | state | tests or reason |',
      '|---|---|---|---|',
      `| the row of section ${index} | 000 | not yet | later |`,
      ...(index === 0 ? rows : []),
    ]),
  ].join('\n');

const sample = [
  "it('keeps the import', () => {});",
  "it.each([['names \"both\" sides', 1]])('%s', () => {});",
  "it.each([{ title: 'stays', more: 'in words' }])('goes by $title', () => {});",
  "it.each(cases)('also $title', () => {});",
  "it.each([])('has no entry for %s', () => {});",
  "const other = 'is only a text';",
  "it('does not mix b\\'s and c\\'s ports', () => {});",
  "it('shows a | bar', () => {});",
  "it('waits for the lease', () => {}); // far away",
  "import { cases } from './testing/cases.ts';",
  "describe('the group', () => {});",
  "it.skip('comes back', () => {});",
  "it.todo('survives');",
  "  // it('was here once', () => {});",
].join('\n');

const files: ReadonlyMap<string, string> = new Map([
  ['a.test.ts', sample],
  ['testing/cases.ts', "export const cases = [{ title: 'from elsewhere' }];"],
  ['LICENSE', 'Apache License'],
  ['packages/sandbox/src/contract/recorded/lists.json', '{"a list has an end":[]}'],
]);
const problemsOf = (...rows: readonly string[]) =>
  coverageProblems(parseCoverage(page(...rows)), (path) => files.get(path));

describe('the check of the coverage page', () => {
  it.each([
    ['| a | 000 | shown | `a.test.ts` › keeps the import |'],
    ['| a | 000 | shown | `a.test.ts` › keeps the import<br>`a.test.ts` › names "both" sides |'],
    ["| a | 000 | shown | `a.test.ts` › does not mix b's and c's ports |"],
    ['| a | 000 | shown | `a.test.ts` › goes by $title<br>`a.test.ts` › stays<br>`a.test.ts` › goes by stays |'],
    ['| a | 000 | shown | `a.test.ts` › from elsewhere<br>`a.test.ts` › also from elsewhere |'],
    ['| a \\| b | 000 | shown | `a.test.ts` › shows a \\| bar |'],
    ['| a | 000 | differs | union of ports<br>`a.test.ts` › keeps the import |'],
    ['| a | 000 | measured | 3 s, by hand |'],
    ['| a | 000 | shown | `packages/sandbox/src/contract/cases/lists.ts` › a list has an end |'],
    ['| a | 000 | not yet | gateways |'],
    ['| a | 000 | not ours | the calendar of others |'],
  ])('accepts %s', (row) => {
    expect(problemsOf(row)).toEqual([]);
  });

  it.each([
    ['| a | 000 | shown | `b.test.ts` › keeps the import |', 'b.test.ts does not exist'],
    ['| a | 000 | shown | `a.test.ts` › drops the import |', "a.test.ts has no test 'drops the import'"],
    ['| a | 000 | differs | why<br>`a.test.ts` › drops it |', "a.test.ts has no test 'drops it'"],
    ['| a | 000 | shown | `a.test.ts` › keeps the |', "a.test.ts has no test 'keeps the'"],
    ['| a | 000 | shown | `a.test.ts` › is only a text |', "a.test.ts has no test 'is only a text'"],
    ['| a | 000 | shown | `a.test.ts` › in words |', "a.test.ts has no test 'in words'"],
    ['| a | 000 | shown | `a.test.ts` › %s |', "many tests of the title '%s': cite the text of an entry"],
    ['| a | 000 | shown | `a.test.ts` › has no entry for %s |', "does not run 'has no entry for %s'"],
    ['| a | 000 | shown | `a.test.ts` › the group |', "a.test.ts does not run 'the group'"],
    ['| a | 000 | shown | `a.test.ts` › comes back |', "a.test.ts does not run 'comes back'"],
    ['| a | 000 | shown | `a.test.ts` › survives |', "a.test.ts does not run 'survives'"],
    ['| a | 000 | shown | `a.test.ts` › was here once |', "a.test.ts has no test 'was here once'"],
    ['| a | 000 | shown | `LICENSE` › Apache License |', 'LICENSE is not a test file'],
    ['| a | 000 | shown | `packages/sandbox/src/contract/cases/lists.ts` › an end |', "has no recorded case 'an end'"],
    ['| a | 000 | shown | `packages/sandbox/src/contract/cases/none.ts` › an end |', "has no recorded case 'an end'"],
    ['| a | 000 | shown | |', 'says shown but names no test'],
    ['| a | 000 | shown | because |', 'says shown but names no test'],
    ['| a | 000 | differs | `a.test.ts` › keeps the import |', 'needs a test and the reason'],
    ['| a | 000 | differs | why |', 'needs a test and the reason'],
    ['| a | 000 | measured | |', 'needs the reason'],
    ['| a | 000 | measured | 3 s<br>`a.test.ts` › keeps the import |', 'and no test'],
    ['| a | 000 | planned | |', "the state 'planned' is not one of"],
    ['| a | 000 | not yet | |', 'needs the reason'],
    ['| a | 000 | not ours | |', 'needs the reason'],
    ['| a | 000 | done | |', "the state 'done' is not one of"],
    ['| a | 000 | |  |', 'needs four cells'],
    ['| a | 000 | not yet | one | more |', 'needs four cells'],
    ['| the row of section 0 | 000 | not yet | later |', 'is the same row as line'],
  ])('refuses %s', (row, problem) => {
    const problems = problemsOf(row);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it('takes any file as proof in the section on the repository alone', () => {
    const onRepository = coverageSections.indexOf('First light: what was promised');
    const last = `| the row of section ${onRepository} | 000 | not yet | later |`;
    const rows =
      '| licence | issue | shown | `LICENSE` › Apache License |\n| other | issue | shown | `LICENSE` › MIT |';
    const text = page().replace(last, `${last}\n${rows}`);
    const problems = coverageProblems(parseCoverage(text), (path) => files.get(path));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("LICENSE has no text 'MIT'");
  });

  it('refuses a section that is unknown, and a known one without rows', () => {
    const problems = coverageProblems(parseCoverage('## Elsewhere\n| a | 000 | not yet | later |'), () => undefined);
    expect(problems[0]).toContain("the section 'Elsewhere' is not known");
    expect(problems.slice(1)).toEqual(coverageSections.map((section) => `the section '${section}' has no rows`));
  });

  it('reads the number of a case, whole or in parts', () => {
    const text = ['## S', '| 7a · x | s | not yet | |', '| B12 · y | s | not yet | |', '| 9 x | s | not yet | |'].join(
      '\n',
    );
    expect(numbersIn(parseCoverage(text), 'S')).toEqual(new Set(['7', 'B12', '']));
  });
});
