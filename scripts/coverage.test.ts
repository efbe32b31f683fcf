import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { caseNumber, coverageFiles, coverageProblems, coverageRows, headingsIn, parseCoverage } from './coverage.ts';
import type { CoverageRow } from './coverage.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

const read = (path: string): string | undefined => {
  try {
    return readFileSync(root + path, 'utf8');
  } catch {
    return undefined;
  }
};

/** The numbers of the acceptance cases of the control plane; they are names and have gaps. */
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

/** The numbers of the acceptance cases of upgrades, likewise. */
const upgradeCaseNumbers = [
  [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26, 27, 29, 30, 31, 33, 34, 35, 37, 38, 39, 41],
  [42, 43, 45, 46, 47, 49, 50, 51, 53, 54, 55, 57, 58, 59, 61, 62, 63, 65, 66, 67, 69, 70, 71, 73, 74, 75, 77, 78, 79],
  [81, 82, 83, 85, 86, 87, 89, 90, 91, 93, 94, 95, 97, 98, 99, 101, 102, 103, 105, 106, 107, 109, 110, 111, 113, 114],
  [115, 117, 118, 119, 121, 122, 123, 125, 126, 127, 129, 130],
]
  .flat()
  .map(String);

/** The known defects of the reference implementation. */
const defectNumbers = Array.from({ length: 34 }, (_, index) => `B${index + 1}`);

/** Whole cases that wait for policies. */
const laterCases = new Set([133].map(String));

/** Parts of defects that cannot occur here. */
const laterParts = new Set(['B25d']);

/**
 * The headings of the documents that the system is built from, where they promise something, in
 * their order (tables of contents and bare pointers are left out).
 */
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

describe('docs/coverage', () => {
  const coverage = parseCoverage(
    new Map(coverageFiles.map((file) => [file, read(`docs/coverage/${file}.yaml`) ?? ''])),
  );

  it('matches its tests', () => {
    expect(coverageProblems(coverage, read)).toEqual([]);
  });

  it('has no data that is not read', () => {
    const files = globSync('docs/coverage/*.yaml', { cwd: root }).map((path) => basename(path, '.yaml'));
    expect(sorted(files)).toEqual(sorted(coverageFiles));
  });

  it.each(seedHeadings.map((headings, seed) => [coverageFiles[seed] ?? '', headings] as const))(
    'has rows from every heading of %s',
    (file, headings) => {
      expect(headingsIn(coverage, file)).toEqual(headings);
    },
  );

  const idOf = ({ case: name = '' }: CoverageRow): string => name.slice(name.indexOf(' ') + 1);
  const isShown = ({ state }: CoverageRow): boolean => state === 'shown' || state === 'differs';
  const casesOf = (list: string) => coverageRows(coverage).filter((row) => row.case?.startsWith(`${list} `));
  const numbersOf = (list: string) => sorted(new Set(casesOf(list).map((row) => caseNumber(row.case ?? ''))));

  it('has every acceptance case of the control plane', () => {
    expect(numbersOf('control-plane')).toEqual(sorted(caseNumbers));
  });

  it('shows every acceptance case on ClusterSet, MemberClusterAnnounce, Service and Endpoints, and no other', () => {
    const waits = (row: CoverageRow) => laterCases.has(caseNumber(row.case ?? '')) || laterParts.has(idOf(row));
    const wrong = casesOf('control-plane').filter((row) => (waits(row) ? row.state !== 'not yet' : !isShown(row)));
    expect(wrong.map((row) => `${row.case}: ${row.state}`)).toEqual([]);
  });

  it('has every acceptance case of upgrades', () => {
    expect(numbersOf('upgrades')).toEqual(sorted(upgradeCaseNumbers));
  });

  it('has every defect of the reference implementation', () => {
    expect(numbersOf('defect')).toEqual(sorted(defectNumbers));
  });

  it('shows what ours does instead of each defect that touches these parts', () => {
    const wrong = casesOf('defect').filter((row) => isShown(row) === laterParts.has(idOf(row)));
    expect(wrong.map((row) => `${row.case}: ${row.state}`)).toEqual([]);
  });
});

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

interface Row {
  readonly what?: string;
  readonly case?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly tests?: readonly string[];
}

/** The data of one source with the given rows under one heading. */
const dataOf = (rows: readonly Row[]): string =>
  JSON.stringify({ title: 'A source', source: 'a file', headings: [{ heading: 'A heading', rows }] });

const problemsOf = (...rows: readonly Row[]) =>
  coverageProblems(parseCoverage(new Map([['source', dataOf(rows)]])), (path) => files.get(path));

const shown = (...tests: readonly string[]): Row => ({ what: 'a', state: 'shown', tests });

describe('the check of the coverage data', () => {
  it.each<Row>([
    shown('a.test.ts › keeps the import'),
    shown('a.test.ts › keeps the import', 'a.test.ts › names "both" sides'),
    shown("a.test.ts › does not mix b's and c's ports"),
    shown('a.test.ts › goes by $title', 'a.test.ts › stays', 'a.test.ts › goes by stays'),
    shown('a.test.ts › from elsewhere', 'a.test.ts › also from elsewhere'),
    shown('a.test.ts › shows a | bar'),
    shown('packages/sandbox/src/contract/cases/lists.ts › a list has an end'),
    { what: 'a', state: 'differs', reason: 'union of ports', tests: ['a.test.ts › keeps the import'] },
    { what: 'a', state: 'measured', reason: '3 s, by hand' },
    { what: 'a', state: 'not yet', reason: 'gateways' },
    { what: 'a', state: 'not ours', reason: 'the calendar of others' },
    { what: 'a', state: 'not yet', reason: 'gateways', case: 'upgrades 75a' },
  ])('accepts $state, $reason, $tests', (row) => {
    expect(problemsOf(row)).toEqual([]);
  });

  it.each<readonly [Row, string]>([
    [shown('b.test.ts › keeps the import'), 'b.test.ts does not exist'],
    [shown('a.test.ts › drops the import'), "a.test.ts has no test 'drops the import'"],
    [{ ...shown('a.test.ts › drops it'), state: 'differs', reason: 'why' }, "a.test.ts has no test 'drops it'"],
    [shown('a.test.ts › keeps the'), "a.test.ts has no test 'keeps the'"],
    [shown('a.test.ts › is only a text'), "a.test.ts has no test 'is only a text'"],
    [shown('a.test.ts › in words'), "a.test.ts has no test 'in words'"],
    [shown('a.test.ts › %s'), "many tests of the title '%s': cite the text of an entry"],
    [shown('a.test.ts › has no entry for %s'), "does not run 'has no entry for %s'"],
    [shown('a.test.ts › the group'), "a.test.ts does not run 'the group'"],
    [shown('a.test.ts › comes back'), "a.test.ts does not run 'comes back'"],
    [shown('a.test.ts › survives'), "a.test.ts does not run 'survives'"],
    [shown('a.test.ts › was here once'), "a.test.ts has no test 'was here once'"],
    [shown('LICENSE › Apache License'), 'LICENSE is not a test file'],
    [shown('packages/sandbox/src/contract/cases/lists.ts › an end'), "has no recorded case 'an end'"],
    [shown('packages/sandbox/src/contract/cases/none.ts › an end'), "has no recorded case 'an end'"],
    [shown(), 'is shown but names no test'],
    [{ what: 'a', state: 'shown', reason: 'because' }, 'is shown but names no test'],
    [{ what: 'a', state: 'differs', tests: ['a.test.ts › keeps the import'] }, 'needs a test and the reason'],
    [{ what: 'a', state: 'differs', reason: 'why' }, 'needs a test and the reason'],
    [{ what: 'a', state: 'measured' }, 'needs the reason'],
    [{ ...shown('a.test.ts › keeps the import'), state: 'measured', reason: '3 s' }, 'and no test'],
    [{ what: 'a', state: 'planned' }, "the state 'planned' is not one of"],
    [{ what: 'a', state: 'not yet' }, 'needs the reason'],
    [{ what: 'a', state: 'not ours' }, 'needs the reason'],
    [{ what: 'a', state: 'toString', reason: 'x' }, "the state 'toString' is not one of"],
    [{ what: 'a', state: 'not yet', reason: 'x', case: '75' }, "'75' is not the name of a case"],
  ])('refuses %j', (row, problem) => {
    const problems = problemsOf(row);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it('refuses a test without its title, and fields that it does not know', () => {
    expect(problemsOf({ ...shown('a.test.ts › keeps the import', 'a.test.ts'), when: 'now' } as Row)).toEqual([
      "docs/coverage/source.yaml A heading: unknown field 'when'",
      "docs/coverage/source.yaml (a): a test is written 'path › title', not 'a.test.ts'",
    ]);
  });

  it('refuses a row without words, a row that occurs twice, and a case with two rows', () => {
    expect(problemsOf({ state: 'not yet', reason: 'later' })).toEqual([
      'docs/coverage/source.yaml A heading: needs a text',
    ]);
    const row = { what: 'a', state: 'not yet', reason: 'later', case: 'upgrades 75a' };
    expect(problemsOf(row, row)).toEqual([
      'docs/coverage/source.yaml (a): occurs twice under its heading',
      "docs/coverage/source.yaml (a): the case 'upgrades 75a' has two rows",
    ]);
  });

  it('takes any file as proof in the sources about the repository alone', () => {
    const rows = [
      { ...shown('LICENSE › Apache License'), what: 'licence' },
      { ...shown('LICENSE › MIT'), what: 'other' },
    ];
    const coverage = parseCoverage(new Map([['control-plane', dataOf(rows)]]));
    expect(coverageProblems(coverage, (path) => files.get(path))).toEqual([
      "docs/coverage/control-plane.yaml (other): LICENSE has no text 'MIT'",
    ]);
  });

  it('refuses a source without rows', () => {
    expect(problemsOf()).toEqual(['docs/coverage/source.yaml has no rows']);
  });

  it('reads the number of a case, whole or in parts', () => {
    expect(['upgrades 7a', 'defect B12', 'control-plane 75', 'a list 9', '9'].map(caseNumber)).toEqual([
      '7',
      'B12',
      '75',
      '',
      '',
    ]);
  });
});
