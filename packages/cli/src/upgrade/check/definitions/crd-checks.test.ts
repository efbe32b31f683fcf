import { sweepRuns } from '@isthmus/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../run-cli.ts';
import { madeUpIo } from '../../../testing/made-up-io.ts';

async function check(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const io = madeUpIo({ files });
  return { exit: await runCli(io, ['upgrade', 'check', ...args]), out: io.out, err: io.err };
}

const version = (name: string, a: string, storage = true) => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: JSON.parse(a) } } } },
  },
});
const crd = (...versions: readonly object[]) =>
  JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' }, versions },
    status: { storedVersions: ['v1'] },
  });
const widget = (name: string, a: unknown) =>
  JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { namespace: 'ns', name }, spec: { a } });
const both = crd(version('v1', '{"type":"string","enum":["a","b"]}'));
const one = crd(version('v1', '{"type":"string","enum":["a"]}'));
const waivers = (until: string) =>
  `apiVersion: upgrade.isthmus.dev/v1alpha1\nkind: Waivers\nmetadata: {name: w}\nspec:\n  waivers: [{rule: F09, crd: widgets.example.com, path: spec.a, reason: nobody has b, by: ops, until: "${until}"}]\n`;

describe('isthmus upgrade check crd', () => {
  it('reports what breaks and what to do, and ends with 3', async () => {
    const { exit, out, err } = await check({ 'a.json': both, 'b.json': one }, 'crd', 'a.json', 'b.json');
    expect([exit, err]).toEqual([3, '']);
    expect(out).toMatchInlineSnapshot(`
      "block  F09    object widgets.example.com, spec.a
             v1: spec.a may no longer be "b" (crdify (enum); crd-schema-checker (NoEnumRemoval); ratcheted by KEP-4008)
             to do: bring the stored objects into the new form first, or keep the old rule
      1 blocking finding.
      "
    `);
  });

  it('prints each finding of a group with -o wide', async () => {
    const of = (type: string) =>
      crd(
        version(
          'v1',
          JSON.stringify({
            type: 'object',
            properties: Object.fromEntries('pqrst'.split('').map((name) => [name, { type }])),
          }),
        ),
      );
    const files = { 'a.json': of('string'), 'b.json': of('integer') };
    const { exit, out } = await check(files, 'crd', 'a.json', 'b.json');
    expect(exit).toBe(3);
    expect(out.match(/^block/gm)).toHaveLength(1);
    expect(out).toContain('spec.a.p, and 4 more');
    expect(out).toContain('also: spec.a.q, spec.a.r, spec.a.s, spec.a.t (-o wide shows each)');
    expect(out).toContain('5 blocking findings.');
    const wide = await check(files, 'crd', 'a.json', 'b.json', '-o', 'wide');
    expect(wide.out.match(/^block/gm)).toHaveLength(5);
  });

  it('a CRD of apiextensions v1beta1 is a finding, and the others are checked', async () => {
    const former = `apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: gadgets.example.com}\nspec: {group: example.com, version: v1}\n`;
    const files = { 'old/a.json': both, 'old/b.yaml': former, 'new/a.json': one, 'new/b.yaml': former };
    const { exit, out, err } = await check(files, 'crd', 'old', 'new');
    expect([exit, err]).toEqual([3, '']);
    expect(out).toContain('block  F09 ');
    expect(out).toMatch(/^block {2}crd\.v1beta1 +new\/b\.yaml:1 +object gadgets\.example\.com$/m);
    expect(out).toMatch(/^warn {3}crd\.v1beta1 +old\/b\.yaml:1 +object gadgets\.example\.com$/m);
    expect(out).not.toContain('crd.missing');
    const earlier = await check(files, 'crd', 'old/b.yaml', 'new/b.yaml', '--server', '1.21');
    expect(earlier.exit).toBe(2);
    for (const command of [
      ['objects', '--crd', 'new', '-f', 'old/a.json'],
      ['manifests', '-f', 'new'],
      ['placement', '-f', 'new'],
    ])
      expect((await check(files, ...command)).out).toContain('crd.v1beta1');
  });

  it('exits with 2 where no object uses the value or the server tolerates it, and names the object that does', async () => {
    const files = {
      'a.json': both,
      'b.json': one,
      'o.json': `${widget('x', 'a')}\n${widget('y', 'a')}\n`,
      'p.json': widget('z', 'b'),
    };
    const unused = await check(files, 'crd', 'a.json', 'b.json', '--objects', 'o.json');
    expect(unused.exit).toBe(2);
    expect(unused.out).toContain('unused: affects none of 2 objects');
    const used = await check(files, 'crd', 'a.json', 'b.json', '--objects', 'o.json,p.json');
    expect(used.exit).toBe(3);
    expect(used.out).toContain('affects 1 of 3 objects: ns/z');
    const ratcheted = await check(files, 'crd', 'a.json', 'b.json', '--objects', 'p.json', '--server', '1.31');
    expect(ratcheted.exit).toBe(2);
    expect(ratcheted.out).toContain('ratcheted');
  });

  it('a waiver lets it pass up to its last day, and is reported where it does not count', async () => {
    const files = {
      'a.json': both,
      'b.json': one,
      'on.yaml': waivers('2026-11-21'),
      'off.yaml': waivers('2026-11-20'),
    };
    const on = await check(files, 'crd', 'a.json', 'b.json', '--waivers', 'on.yaml');
    expect(on.exit).toBe(0);
    expect(on.out).toContain('waived by ops until 2026-11-21: nobody has b');
    const off = await check(files, 'crd', 'a.json', 'b.json', '--waivers', 'off.yaml');
    expect(off.exit).toBe(3);
    expect(off.out).toContain(
      'The waiver for F09 of widgets.example.com, spec.a by ops has no effect: it expired after 2026-11-20.',
    );
  });

  it('prints the migration that has to come after, and JSON of a fixed shape', async () => {
    const text = '{"type":"string"}';
    const old = crd(version('v1', text), version('v2', text, false));
    const next = crd(version('v1', text, false), version('v2', text));
    const { exit, out } = await check({ 'a.json': old, 'b.json': next }, 'crd', 'a.json', 'b.json');
    expect(exit).toBe(2);
    expect(out).toContain(
      'After the new CRD is applied: rewrite all objects of widgets.example.com so that they are stored in v2, then remove v1 from status.storedVersions.',
    );
    const json = JSON.parse(
      (await check({ 'a.json': old, 'b.json': next }, 'crd', 'a.json', 'b.json', '-o', 'json')).out,
    );
    expect(json).toMatchObject({ old: 'a.json', new: 'b.json', server: null, missing: [] });
    expect(json.reports).toMatchObject([
      { crd: 'widgets.example.com', migration: { from: ['v1'], to: 'v2', when: 'after-crd' }, idleWaivers: [] },
    ]);
    const same = JSON.parse((await check({ 'a.json': old }, 'crd', 'a.json', 'a.json', '-o', 'json')).out);
    expect(same.reports).toEqual([{ crd: 'widgets.example.com', migration: null, findings: [], idleWaivers: [] }]);
  });

  it('reads folders, and reports CRDs that are gone, and those that are new', async () => {
    const other = (name: string) => both.replaceAll('widgets', name).replaceAll('Widget', `K${name}`);
    const files = { 'old/a.json': both, 'old/b.json': other('as'), 'new/a.json': both, 'new/c.json': other('cs') };
    const { exit, out } = await check(files, 'crd', 'old', 'new');
    expect(exit).toBe(2);
    expect(out).toMatch(/crd\.missing +object as\.example\.com/);
    expect(out).toMatch(/crd\.new +object cs\.example\.com/);
    const json = await check(files, 'crd', 'old', 'new', '-o', 'json');
    expect(JSON.parse(json.out)).toMatchObject({ missing: ['as.example.com'], added: ['cs.example.com'] });
  });

  it('takes two CRDs that are called differently for a pair where there are no others: another resource', async () => {
    const { exit, out } = await check(
      { 'a.json': both, 'b.json': both.replaceAll('widgets', 'ws') },
      'crd',
      'a.json',
      'b.json',
    );
    expect(exit).toBe(3);
    expect(out).toContain('block  G01    object ws.example.com');
  });

  it('reports a name that is taken by a CRD that stays as it is', async () => {
    const taken = both.replaceAll('widgets', 'others').replace('"kind":"Widget"', '"kind":"Other","shortNames":["wd"]');
    const next = both.replace('"kind":"Widget"', '"kind":"Widget","shortNames":["wd"]');
    const files = { 'old/a.json': both, 'old/b.json': taken, 'new/a.json': next };
    expect((await check(files, 'crd', 'old', 'new')).out).toContain('resource wd is also a name of others.example.com');
  });

  it('reports waivers that name no CRD, and lets CRDs that are missing pass by one', async () => {
    const text = `apiVersion: upgrade.isthmus.dev/v1alpha1\nkind: Waivers\nmetadata: {name: w}\nspec:\n  waivers:\n  - {rule: F09, reason: r, by: ops, until: 2026-12-01}\n  - {rule: antrea.agent, reason: r, by: ops, until: 2026-12-01}\n  - {rule: crd.missing, path: as.example.com, reason: moved, by: ops, until: 2026-12-01}\n`;
    const other = both.replaceAll('widgets', 'as').replaceAll('Widget', 'A');
    const files = { 'old/a.json': both, 'old/b.json': other, 'new/a.json': both, w: text };
    const { exit, out } = await check(files, 'crd', 'old', 'new', '--waivers', 'w');
    expect(exit).toBe(0);
    expect(out).toBe(
      'No findings.\nWaived: crd.missing, as.example.com: moved (ops, until 2026-12-01).\nThe waiver for F09 by ops has no effect: it names no CRD, but this rule is about CRDs.\n',
    );
  });

  it('names fields that no CRD has, with their lines', async () => {
    const odd = one.replace('"served":true', '\n"servd":1,"served":true').replace('"enum"', '\n\n"Enum":1,"enum"');
    const { exit, out } = await check({ 'a.json': one, 'b.json': odd }, 'crd', 'a.json', 'b.json');
    expect(exit).toBe(2);
    expect(out).toMatch(/crd\.unknown-field +b\.json:2 +object widgets\.example\.com, spec\.versions\[0\]\.servd/);
    expect(out).toMatch(/crd\.unknown-field +b\.json:4 .*spec\.properties\.a\.Enum/);
    const json = await check({ 'a.json': one, 'b.json': odd }, 'crd', 'a.json', 'b.json', '-o', 'json');
    expect(JSON.parse(json.out)).toMatchObject({ unknownFields: [{ place: 'b.json:2' }, { place: 'b.json:4' }] });
  });

  it('checks a CRD once that several manifests of a folder have', async () => {
    const files = { 'a.json': one, 'b/leader.json': one, 'b/member.json': `${one}\n---\n${one}` };
    const { exit, out } = await check(files, 'crd', 'a.json', 'b');
    expect([exit, out]).toEqual([0, 'No findings.\n']);
  });

  it('refuses two different CRDs of one name, with both places', async () => {
    const other = one.replace('"served":true', '"deprecated":true,"served":true');
    const { exit, err } = await check({ 'a.json': one, 'b.json': `${one}\n---\n${other}` }, 'crd', 'a.json', 'b.json');
    expect([exit, err]).toEqual([
      1,
      'error: b.json:3: widgets.example.com is not the same CRD as at b.json:1. Remove the one that is not applied, or check the files one by one\n',
    ]);
  });

  it('compiles rules with the CEL of the sandbox', async () => {
    const rule = '{"type":"string","x-kubernetes-validations":[{"rule":"self.nothing > 1"}]}';
    const { exit, out } = await check(
      { 'a.json': both, 'b.json': crd(version('v1', rule)) },
      'crd',
      'a.json',
      'b.json',
    );
    expect(exit).toBe(3);
    expect(out).toContain('F33');
    expect(out).toContain('compilation failed');
  });

  it('refuses a rule that costs too much, and takes it where a bound is set', async () => {
    const list = (more: object) =>
      crd(version('v1', JSON.stringify({ type: 'array', items: { type: 'string', maxLength: 20 }, ...more })));
    const rule = { 'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, a != b || true))' }] };
    const files = {
      'old.json': list({}),
      'costly.json': list(rule),
      'bounded.json': list({ ...rule, maxItems: 64 }),
    };
    const costly = await check(files, 'crd', 'old.json', 'costly.json');
    expect(costly.exit).toBe(3);
    expect(costly.out).toContain('estimated rule cost exceeds budget by factor of more than 100x');
    expect(costly.out).toContain('to do: limit the lists, maps and strings');
    const bounded = await check(files, 'crd', 'old.json', 'bounded.json');
    expect(bounded.out).not.toContain('F33');
    // Rules that are stored already were judged then.
    expect((await check(files, 'crd', 'costly.json', 'costly.json')).out).not.toContain('estimated rule cost exceeds');
  });

  it.each([
    [
      'no CRD in the new file',
      { 'a.json': both, 'b.json': widget('x', 'a') },
      ['a.json', 'b.json'],
      'no CustomResourceDefinition in b.json',
    ],
    [
      'what has not the shape of a CRD',
      { 'a.json': both, 'b.json': both.replace('"served":true', '"served":3') },
      ['a.json', 'b.json'],
      'b.json:1: spec.versions[0].served must be a boolean, not a number',
    ],
    [
      'a wrong minor',
      { 'a.json': both },
      ['a.json', 'a.json', '--server', 'new'],
      'It must be a Kubernetes minor such as 1.31.',
    ],
    ['a file that is not there', { 'a.json': both }, ['a.json', 'c.json'], 'c.json'],
  ])('ends with 1 for %s', async (_what, files, args, message) => {
    const { exit, out, err } = await check(files, 'crd', ...args);
    expect([exit, out]).toEqual([1, '']);
    expect(err).toContain(message);
  });

  it('ends with a verdict or a readable error for any text in the place of a CRD', async () => {
    const mutated = fc
      .tuple(fc.nat(both.length - 1), fc.nat(20), fc.string({ maxLength: 5 }))
      .map(([at, length, put]) => both.slice(0, at) + put + both.slice(at + length));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), mutated), async (text) => {
        const { exit, err } = await check({ 'a.json': both, 'b.json': text }, 'crd', 'a.json', 'b.json');
        expect([0, 1, 2, 3]).toContain(exit);
        if (exit === 1) expect(err).toMatch(/^error: /);
      }),
      { numRuns: sweepRuns(200, { oneIn: 8 }), seed: 1 },
    );
  });
});

describe('isthmus upgrade check objects', () => {
  const files = {
    'old.json': both,
    'new.json': one,
    'o.json': `${widget('x', 'secret')}\n${widget('y', 'b')}\n\n${widget('z', 'a')}\n`,
  };

  it('reports objects by field and never shows values', async () => {
    const { exit, out } = await check(files, 'objects', '--crd', 'new.json', '--old', 'old.json', '-f', 'o.json');
    expect(exit).toBe(3);
    expect(out).toMatchInlineSnapshot(`
      "block  objects.blocks-any-write    object widgets.example.com, spec.a
             v1: 2 of 3 objects can no longer be written (ns/x, ns/y): Unsupported value: supported values: "a"
             to do: convert them to the new form before the CRD is applied, or keep what the old CRD allowed
      1 blocking finding.
      widgets.example.com: 3 objects, 2 of them blocked or losing data.
      "
    `);
    expect(out).not.toContain('secret');
  });

  it('passes what a waiver covers until its day, and reports it', async () => {
    const waiver = (until: string, more = 'crd: widgets.example.com') =>
      `apiVersion: upgrade.isthmus.dev/v1alpha1\nkind: Waivers\nmetadata: {name: w}\nspec:\n  waivers: [{rule: objects.blocks-any-write, ${more}, path: spec.a, reason: x and y go, by: ops, until: ${until}}]\n`;
    const with_ = (text: string) =>
      check({ ...files, w: text }, 'objects', '--crd', 'new.json', '-f', 'o.json', '--waivers', 'w');
    const passed = await with_(waiver('2026-11-21'));
    expect(passed.exit).toBe(0);
    expect(passed.out).toContain(
      'Waived: objects.blocks-any-write, widgets.example.com spec.a: x and y go (ops, until 2026-11-21).',
    );
    expect((await with_(waiver('2026-11-20'))).exit).toBe(3);
    expect((await with_(waiver('2026-11-21', 'crd: others.example.com'))).exit).toBe(3);
    expect(await with_(waiver('2026-02-30'))).toMatchObject({
      exit: 1,
      err: expect.stringContaining('w:5: spec.waivers[0].until: Invalid value: "2026-02-30"') as string,
    });
  });

  it('reports how many objects are of other kinds, and that a CRD that the API server rejects judges none', async () => {
    const more = { ...files, 'p.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n', 'z.json': widget('z', 'a') };
    const { exit, out } = await check(more, 'objects', '--crd', 'new.json', '-f', 'z.json,p.yaml');
    expect(exit).toBe(0);
    expect(out).toContain('1 object, 0 of them blocked or losing data.\n1 object of other kinds skipped.\n');
    const untyped = crd(version('v1', '{"description":"no type"}'));
    const bad = await check({ ...more, 'new.json': untyped }, 'objects', '--crd', 'new.json', '-f', 'z.json');
    expect(bad.exit).toBe(3);
    expect(bad.out).toContain('the API server rejects the CRD (G18: ');
  });

  it('checks objects without a rule that is not judged, and reports it', async () => {
    const ruled = crd(
      version('v1', JSON.stringify({ type: 'string', 'x-kubernetes-validations': [{ rule: 'isSemver(self)' }] })),
    );
    const { exit, out } = await check({ ...files, 'new.json': ruled }, 'objects', '--crd', 'new.json', '-f', 'o.json');
    expect(exit).toBe(2);
    expect(out).toContain('crd.not-judged');
    expect(out).toContain('its objects are checked without it');
    const whole = await check({ 'new.json': ruled }, 'crd', 'new.json', 'new.json');
    expect(whole.out).toMatch(/^warn {2}F39 /);
  });

  it('ends with 2 where the server forgives, and with 0 where all is well', async () => {
    expect((await check(files, 'objects', '--crd', 'new.json', '-f', 'o.json', '--server', 'v1.31.4')).exit).toBe(2);
    expect(
      (await check({ ...files, 'o.json': widget('z', 'a') }, 'objects', '--crd', 'new.json', '-f', 'o.json')).exit,
    ).toBe(0);
  });

  it('prints JSON of a fixed shape', async () => {
    const { out } = await check(files, 'objects', '--crd', 'new.json', '-f', 'o.json', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      crds: 'new.json',
      server: null,
      reports: [{ crd: 'widgets.example.com', objects: 3, struck: 2 }],
    });
  });

  it.each([
    ['no CRD', ['-f', 'o.json'], "required option '--crd' not given"],
    ['a line that is no JSON', ['--crd', 'new.json', '-f', 'bad.json'], 'bad.json:2: not valid JSON'],
    [
      'an object without a name',
      ['--crd', 'new.json', '-f', 'nameless.json'],
      'nameless.json:1: Widget without metadata.name',
    ],
    [
      'a CRD by which nothing can be judged',
      ['--crd', 'odd.json', '-f', 'o.json'],
      'cannot check objects against widgets.example.com: error parsing regexp',
    ],
  ])('ends with 1 for %s', async (_what, args, message) => {
    const odd = crd(version('v1', '{"type":"string","pattern":"("}'));
    const bad = {
      'bad.json': `${widget('x', 'a')}\n{"x`,
      'nameless.json': '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{}}',
      'odd.json': odd,
    };
    const { exit, out, err } = await check({ ...files, ...bad }, 'objects', ...args);
    expect([exit, out]).toEqual([1, '']);
    expect(err).toContain(message);
  });
});

describe('isthmus upgrade check manifests', () => {
  const files = { 'm/crd.json': both, 'm/x.json': widget('x', 'b'), 'live.json': one };

  it('blocks what the live CRD rejects, and proposes another order of the steps', async () => {
    const { exit, out } = await check(files, 'manifests', '-f', 'm', '--crd', 'live.json');
    expect(exit).toBe(3);
    expect(out).toMatchInlineSnapshot(`
      "block  manifest.refused  m/x.json:1  object Widget ns/x, spec.a
             it is rejected: Unsupported value: "b": supported values: "a", by the CRD that is live at this step (widgets.example.com)
             to do: the CRD among the manifests accepts it: apply the CRDs in a separate step, and wait until they are served, before this object
      1 blocking finding.
      "
    `);
    expect((await check(files, 'manifests', '-f', 'm')).exit).toBe(0);
  });

  it('names the lines, passes over what Kustomize reads, and refuses a folder without objects', async () => {
    const folder = {
      'm/kustomization.yaml': 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [x.yaml]\n',
      'm/x.yaml':
        'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: x}\nspec:\n  a: b\n',
      'live.json': one,
    };
    expect((await check(folder, 'manifests', '-f', 'm', '--crd', 'live.json')).out).toContain(
      'm/x.yaml:9  object Widget x',
    );
    expect(await check({ 'm/a.yaml': '# none' }, 'manifests', '-f', 'm')).toMatchObject({
      exit: 1,
      err: 'error: no object in m\n',
    });
  });

  it.each([
    ['object', ['manifests', '-f', 'm']],
    ['CustomResourceDefinition', ['crd', 'live.json', 'm']],
    ['CustomResourceDefinition', ['placement', '-f', 'm']],
    ['CustomResourceDefinition', ['objects', '--crd', 'm', '-f', 'live.json']],
  ])('explains why a folder has no %s: %j', async (what, args) => {
    const charts = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`m/${at}.yaml`, 'replicas: 3\n']));
    const { exit, err } = await check({ ...charts, 'live.json': one }, ...args);
    expect(exit).toBe(1);
    expect(err.split('\n').slice(0, 2)).toEqual([
      `error: no ${what} in m`,
      'm/0.yaml:1: not checked, because it is not a Kubernetes object: expected an object with apiVersion, kind and metadata.name; correct it, or keep it outside the folder of manifests',
    ]);
    expect(err).toMatch(/m\/4\.yaml.*\nand 2 more\n$/);
  });

  it('states that removals are not known for a minor that is newer than those known here', async () => {
    const files = { 'a.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n' };
    const after = async (minor: string) => (await check(files, 'manifests', '-f', 'a.yaml', '--kubernetes', minor)).out;
    expect(await after('1.99')).toMatch(
      /^No findings\.\nNot examined: API versions that Kubernetes removes after 1\.\d+, the newest minor that is known here\.\n$/,
    );
    expect(await after('1.30')).toBe('No findings.\n');
  });

  it('holds built-in versions that the minor does not serve', async () => {
    const old = { 'pdb.yaml': 'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: x}\n' };
    expect((await check(old, 'manifests', '-f', 'pdb.yaml', '--kubernetes', '1.25')).exit).toBe(3);
    const { exit, out } = await check(old, 'manifests', '-f', 'pdb.yaml', '-o', 'json');
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toEqual({ files: 'pdb.yaml', kubernetes: null, findings: [], waived: [], notExamined: [] });
  });
});
