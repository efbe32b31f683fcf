import { describe, expect, it } from 'vitest';
import type { Ask } from './api-server.ts';
import { historyOf } from './history.ts';
import { otherTools } from './other-tools.ts';
import { corpusEnd, tableHead, tableRow } from './report.ts';
import { runHistory } from './run-history.ts';
import { disagreements } from './verdicts.ts';
import { madeUpHistory, madeUpServer, madeUpWorld, widgets } from './testing/made-up-world.ts';

const text = { type: 'string' } as const;
const spec = (a: object, more: object = {}) => ({ type: 'object', properties: { a }, ...more }) as const;

const files = {
  'made-up/v1.2.0/crd.yaml': widgets(spec({ ...text, enum: ['x', 'y'] })),
  'made-up/v1.10.0/crd.yaml': widgets(spec({ ...text, enum: ['y'] })),
  'made-up/v2.0.0/crd.yaml': widgets(spec({ ...text, pattern: '(' })),
};

async function run(of: Readonly<Record<string, string>>, alter?: (ask: Ask) => Ask) {
  const pairs = await runHistory(madeUpHistory(of), madeUpWorld(of, madeUpServer(alter)));
  return { pairs, report: corpusEnd([{ name: 'made-up', pairs }], 1000) };
}

/** A server that gives this status to writes of CRDs that a test chooses. */
const answering =
  (status: number, isMeant: (body: string) => boolean) =>
  (ask: Ask): Ask =>
  async (method, path, body) =>
    method !== 'GET' && isMeant(JSON.stringify(body) ?? '')
      ? { status, body: { message: 'because' } }
      : ask(method, path, body);

describe('the corpus', () => {
  it('orders the versions of a history by number', () => {
    expect(historyOf('p/', ['p/v1.10.0/a', 'p/v1.9.0/a', 'p/v1.9.0/b/c', 'p/README.md'])).toEqual({
      name: 'p',
      versions: [
        { name: 'v1.9.0', folder: 'p/v1.9.0', files: ['p/v1.9.0/a', 'p/v1.9.0/b/c'] },
        { name: 'v1.10.0', folder: 'p/v1.10.0', files: ['p/v1.10.0/a'] },
      ],
    });
  });

  it.each([
    ['one version', ['p/v1.0.0/a'], /at least two folders/],
    ['a folder that is not a version', ['p/v1.0.0/a', 'p/docs/a'], /docs is not a version/],
  ])('rejects a history with %s', (_, paths, why) => {
    expect(() => historyOf('p', paths)).toThrow(why);
  });

  it('runs the checks over each pair, applies each version, and writes objects again under the next one', async () => {
    const { pairs, report } = await run(files);
    expect(pairs.map(({ from, to }) => [from, to])).toEqual([
      [undefined, 'v1.2.0'],
      ['v1.2.0', 'v1.10.0'],
      ['v1.10.0', 'v2.0.0'],
    ]);
    expect(pairs.map(({ checks }) => checks.map(({ args }) => args[0]))).toEqual([
      ['crd', 'manifests', 'placement', 'deprecations'],
      ['crd', 'objects', 'manifests', 'placement', 'deprecations'],
      ['crd', 'objects', 'manifests', 'placement', 'deprecations'],
    ]);
    expect(pairs.map(({ definitions }) => definitions.map(({ isAccepted }) => isAccepted))).toEqual([
      [true],
      [true],
      [false],
    ]);
    // The enum value that goes: a create is rejected, an update of labels is not.
    expect(
      pairs[1]?.objects
        .filter(({ object }) => object === 'whole')
        .map(({ request, isAccepted }) => [request, isAccepted]),
    ).toEqual([
      ['create', false],
      ['update', true],
      ['create', true],
    ]);
    expect(report.text).toContain('3 CRDs compared, 0 problems');
    expect(report.isOk).toBe(true);
  });

  it.each([
    [
      'accepts a CRD that the check rejects',
      200,
      '"pattern":"("',
      /v1\.10\.0 → v2\.0\.0: widgets.*: the API server accepts it; ours: /,
    ],
    [
      'rejects a CRD that the check accepts',
      422,
      '"enum":["y"]',
      /v1\.2\.0 → v1\.10\.0: widgets.*: we accept it; the API server: 422 because/,
    ],
    [
      'rejects an object that the check accepts',
      422,
      '"apiVersion":"example.com/v1"',
      /create of bare of widgets.*: we accept it/,
    ],
  ])('reports a server that %s', async (_, status, part, line) => {
    const { report } = await run(
      files,
      answering(status, (body) => body.includes(part)),
    );
    expect(report.text).toMatch(line);
    expect(report.isOk).toBe(false);
  });

  it('fails where a check comes to no result, where it takes too long, and where nothing is compared', async () => {
    const world = madeUpWorld(files);
    const history = madeUpHistory(files);
    const crashed = await runHistory(history, {
      ...world,
      runChecks: async (lines) =>
        lines.map(() => ({ exit: undefined, stdout: '', stderr: 'RangeError: stack', cpuMs: 1_500, memoryMb: 1 })),
    });
    const { text, isOk } = corpusEnd([{ name: 'made-up', pairs: crashed }], 1_000);
    expect(isOk).toBe(false);
    expect(text).toContain('failure: made-up (nothing) → v1.2.0: check crd ended its process: RangeError: stack');
    expect(text).toContain('over the limit: made-up v1.2.0 → v1.10.0: check crd took 1500 ms of processor time');
    expect(text).toContain('no CRD was compared with an API server');
  });

  it('leaves a server free to reject a CRD of which a part is not judged', () => {
    const ours = { refusals: [], breaks: [], unjudged: ['F39: not judged'] };
    const definition = { crd: 'widgets.example.com', ours, isAccepted: false, message: '422 no' };
    const pair = { from: 'v1', to: 'v2', definitions: [definition], objects: [], checks: [] };
    expect(disagreements('made-up', pair)).toEqual([]);
    expect(
      disagreements('made-up', { ...pair, definitions: [{ ...definition, ours: { ...ours, unjudged: [] } }] }),
    ).toHaveLength(1);
  });

  it('counts CRDs that crdify blocks and we do not, and the other way round', async () => {
    const world = madeUpWorld(files);
    const others = { crdify: async () => ['enum'], pluto: async () => 2 };
    const pairs = await runHistory(madeUpHistory(files), { ...world, others });
    const [head, , row] = [...tableHead().split('\n'), tableRow({ name: 'made-up', pairs })].map((line) =>
      line.split(' | '),
    );
    const cell = (name: string) => row?.[head?.indexOf(name) ?? -1];
    expect(['CRDs that we block', 'crdify blocks', 'crdify alone', 'we alone', 'pluto reports'].map(cell)).toEqual([
      '1',
      '2',
      '1',
      '0',
      '6',
    ]);
  });

  it('reads the names of failed checks in the output of crdify, and the objects in that of pluto', async () => {
    const report = {
      sameVersionValidation: [
        {
          version: 'v1',
          propertyComparisons: [
            {
              property: '^.spec',
              comparisonResults: [
                { name: 'enum', errors: ['gone'] },
                { name: 'default', warnings: ['new'] },
              ],
            },
          ],
        },
      ],
    };
    const outputs = [JSON.stringify(report), '', JSON.stringify({ items: [{}, {}] })];
    const lines: string[] = [];
    const tools = otherTools({ crdify: 'crdify', pluto: 'pluto' }, '1.36', async (program, args) => {
      lines.push([program, ...args].join(' '));
      return { exit: 0, stdout: outputs.shift() ?? '', stderr: '' };
    });
    expect(await tools.crdify?.('a', 'b')).toEqual(['enum']);
    expect(await tools.crdify?.('a', 'b')).toEqual([]);
    expect(await tools.pluto?.('c')).toBe(2);
    expect(lines).toEqual([
      'crdify file://a file://b -o json',
      'crdify file://a file://b -o json',
      'pluto detect-files -d c -o json --target-versions k8s=v1.36.0',
    ]);
  });
});
