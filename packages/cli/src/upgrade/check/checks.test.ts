import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../run-cli.ts';
import { madeUpIo } from '../../testing/made-up-io.ts';

async function check(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const io = madeUpIo({ files });
  return { exit: await runCli(io, ['upgrade', 'check', ...args]), out: io.out, err: io.err };
}

const file = (kind: string, spec: string) =>
  `apiVersion: upgrade.isthmus.dev/v1alpha1\nkind: ${kind}\nmetadata: {name: x}\nspec:\n${spec}`;

const snapshot = (cluster: string, more = '') =>
  file('FleetSnapshot', `  takenAt: 2026-11-21T09:00:00Z\n  clusters:\n    - name: east\n${cluster}${more}`);

const running = (...components: readonly (readonly [string, string])[]) =>
  `      components: [${components.map(([id, version]) => `{id: ${id}, live: [{version: ${version}}]}`).join(', ')}]\n`;

const crd = (versions: string, more = '') => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ippools.crd.antrea.io${more}}
spec:
  group: crd.antrea.io
  scope: Cluster
  names: {plural: ippools, kind: IPPool}
  versions: [${versions}]
`;
const version = (name: string, more = '') =>
  `{name: ${name}, served: true, schema: {openAPIV3Schema: {type: object}}${more}}`;

describe('a check of a snapshot', () => {
  const read = running(['antrea-controller', 'v1.13.1']);
  const cluster = (name: string, more: string) => `    - name: ${name}\n${read}${more}`;
  const fleet = snapshot(
    read,
    [
      cluster('north', "      readAt: '2026-10-21T09:00:00Z'\n      context: admin@north\n"),
      cluster('south', "      readAt: '2026-10-22T09:00:00Z'\n"),
      cluster(
        'west',
        "      readAt: '2026-10-23T09:00:00Z'\n      reachable: false\n      notRead: no route to host\n",
      ),
      '    - name: zero\n      reachable: false\n      context: zero\n',
    ].join(''),
  );

  it.each(['skew', 'deprecations'])(
    'warns in %s of clusters that were read long before, or not at all',
    async (name) => {
      const { exit, out } = await check({ 'f.yaml': fleet }, name, '--snapshot', 'f.yaml');
      expect(exit).toBe(2);
      expect(out).toBe(
        [
          'warn  plan.old-reading    2 clusters (north, south)',
          '       read more than a day before the date of the snapshot (first: 2026-10-21T09:00:00Z), so the running versions may have changed since (isthmus)',
          '       to do: read again: isthmus upgrade snapshot --context admin@north,south --refresh all -o <file of the snapshot>',
          'warn  plan.unreachable    cluster west',
          '       it could not be read: no route to host; its last known state was checked, of 2026-10-23T09:00:00Z (isthmus)',
          '       to do: read it again: isthmus upgrade snapshot --context <its context> -o <file of the snapshot>; if it no longer exists, delete it from the file',
          'warn  plan.unreachable    cluster zero',
          '       its API server did not answer; it was not checked (isthmus)',
          '       to do: read it again: isthmus upgrade snapshot --context zero -o <file of the snapshot>; if it no longer exists, delete it from the file',
          '3 warnings.',
          'Checked: snapshot x of 2026-11-21T09:00:00Z, 5 clusters.',
          '',
        ].join('\n'),
      );
      const wide = await check({ 'f.yaml': fleet }, name, '--snapshot', 'f.yaml', '-o', 'wide');
      expect(wide.out).toContain('4 warnings.\n');
      const { out: json } = await check({ 'f.yaml': fleet }, name, '--snapshot', 'f.yaml', '-o', 'json');
      expect(JSON.parse(json)).toMatchObject({ at: '2026-11-21T09:00:00Z', findings: [{}, {}, {}, {}] });
    },
  );

  it('accepts a waiver for a cluster that was read long before', async () => {
    const waivers = file(
      'Waivers',
      "  waivers: [{rule: plan.old-reading, path: north, reason: frozen, by: ops, until: '2026-12-01'}]\n",
    );
    const { out } = await check(
      { 'f.yaml': fleet, 'w.yaml': waivers },
      'skew',
      '--snapshot',
      'f.yaml',
      '--waivers',
      'w.yaml',
    );
    expect(out).toContain('plan.old-reading    cluster south\n');
    expect(out).toContain('Waived: plan.old-reading, north');
  });
});

describe('isthmus upgrade check skew', () => {
  const old = snapshot(
    running(['antrea-controller', 'v1.13.1'], ['antrea-agent', 'v1.8.2'], ['kube-apiserver', 'v1.27.3']),
  );

  it('reports what does not go together, and ends with 3', async () => {
    const { exit, out, err } = await check({ 'f.yaml': old }, 'skew', '--snapshot', 'f.yaml');
    expect([exit, err]).toEqual([3, '']);
    expect(out).toMatchInlineSnapshot(`
      "block  antrea.agent    cluster east, component antrea-agent
             an agent is not newer than the controller, and up to four minors older: antrea-agent v1.8.2 (cluster east) is 5 minors older than antrea-controller v1.13.1 (cluster east) (Antrea, docs/versioning.md, Antrea upgrade and supported version skew)
             to do: upgrade antrea-agent to within 4 minors of v1.13.1 first
      1 blocking finding.
      Checked: snapshot x of 2026-11-21T09:00:00Z, 1 cluster.
      "
    `);
  });

  it('ends with 0 for a fleet that goes together, as JSON of a fixed shape', async () => {
    const good = snapshot(running(['antrea-controller', 'v1.13.1'], ['antrea-agent', 'v1.9.0']));
    const { exit, out } = await check({ 'f.yaml': good }, 'skew', '--snapshot', 'f.yaml', '-o', 'json');
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toEqual({
      snapshot: 'f.yaml',
      at: '2026-11-21T09:00:00Z',
      kubernetes: null,
      findings: [],
      waived: [],
      notExamined: [],
    });
  });

  it('has the same fields for programs of people, which are in no cluster', async () => {
    const clients = '  clients: [{component: antctl, name: bastion, version: v1.14.0}]\n';
    const newer = snapshot(running(['antrea-controller', 'v1.13.1']), clients);
    const { exit, out } = await check({ 'f.yaml': newer }, 'skew', '--snapshot', 'f.yaml', '-o', 'json');
    const { findings } = JSON.parse(out) as { readonly findings: readonly object[] };
    expect([exit, findings.map((one) => Object.keys(one))]).toEqual([
      3,
      [['rule', 'severity', 'subject', 'why', 'unblock', 'source']],
    ]);
  });

  it('rejects waivers for a rule that nothing knows, and names the waiver of a finding that came back', async () => {
    const waivers = (rule: string, until: string) =>
      file(
        'Waivers',
        `  waivers: [{rule: ${rule}, path: east/antrea-agent, reason: soon, by: ops, until: '${until}'}]\n`,
      );
    const args = ['skew', '--snapshot', 'f.yaml', '--waivers', 'w.yaml'];
    const unknown = await check({ 'f.yaml': old, 'w.yaml': waivers('antrea.agnet', '2026-12-31') }, ...args);
    expect([unknown.exit, unknown.out]).toEqual([1, '']);
    expect(unknown.err).toContain('w.yaml:5: spec.waivers[0].rule: no policy and no check has the rule antrea.agnet; ');
    const expired = await check({ 'f.yaml': old, 'w.yaml': waivers('antrea.agent', '2026-11-20') }, ...args);
    expect(expired.exit).toBe(3);
    expect(expired.out).toContain('Expired waiver: antrea.agent, east/antrea-agent: soon (ops, until 2026-11-20).\n');
  });

  it('lets pass what a person answers for, until the day that they name', async () => {
    const waivers = (until: string) =>
      file(
        'Waivers',
        `  waivers: [{rule: antrea.agent, path: east, reason: moves tomorrow, by: ops, until: ${until}}]\n`,
      );
    const args = ['skew', '--snapshot', 'f.yaml', '--waivers', 'w.yaml'];
    const { exit, out } = await check({ 'f.yaml': old, 'w.yaml': waivers('2026-11-21') }, ...args);
    expect([exit, out]).toEqual([
      0,
      'No findings.\nWaived: antrea.agent, east antrea-agent: moves tomorrow (ops, until 2026-11-21).\nChecked: snapshot x of 2026-11-21T09:00:00Z, 1 cluster.\n',
    ]);
    expect((await check({ 'f.yaml': old, 'w.yaml': waivers('2026-11-20') }, ...args)).exit).toBe(3);
  });

  it('asks for another minor of Kubernetes', async () => {
    const { exit, out } = await check({ 'f.yaml': old }, 'skew', '--snapshot', 'f.yaml', '--kubernetes', '1.28');
    expect(exit).toBe(2);
    expect(out).toContain(
      'antrea-controller v1.13.1 (cluster east) supports Kubernetes 1.24, 1.25, 1.26, 1.27, not kube-apiserver v1.28.0',
    );
  });

  it('lets the range of a bundle win', async () => {
    const component = `    - {id: antrea-controller, version: {upstream: v1.13.1}, supports: {kubernetes: {min: "1.25", max: "1.26"}}}\n`;
    const bundle = file(
      'ComponentBundle',
      `  number: 1\n  channel: c\n  createdAt: 2026-11-01T00:00:00Z\n  components:\n${component}`,
    );
    const args = ['skew', '--snapshot', 'f.yaml', '--bundle', 'b.yaml', '--kubernetes'];
    expect((await check({ 'f.yaml': old, 'b.yaml': bundle }, ...args, '1.27')).exit).toBe(3);
    expect((await check({ 'f.yaml': old, 'b.yaml': bundle }, ...args, '1.26')).exit).toBe(0);
  });

  it('refuses a snapshot that speaks of clusters that it does not have', async () => {
    const odd = `${old}  clusterSets: [{name: shop, leader: north, members: []}]\n`;
    const { exit, err } = await check({ 'f.yaml': odd }, 'skew', '--snapshot', 'f.yaml');
    expect([exit, err]).toEqual([
      1,
      expect.stringContaining('f.yaml:9: spec.clusterSets[0].leader: the leader north of shop'),
    ]);
  });

  it('takes policies of files, one of the name of a shipped one in its place, and refuses them with file and line', async () => {
    const empty = file('Policy', '  product: none\n').replace('name: x', 'name: antrea');
    expect(
      (await check({ 'f.yaml': old, 'p.yaml': empty }, 'skew', '--snapshot', 'f.yaml', '--policy', 'p.yaml')).exit,
    ).toBe(0);
    const twice = file(
      'Policy',
      '  product: none\n  order:\n    - {id: mc.order, first: a, next: b, scope: fleet, source: x}\n',
    );
    const { exit, err } = await check(
      { 'f.yaml': old, 'p.yaml': twice },
      'skew',
      '--snapshot',
      'f.yaml',
      '--policy',
      'p.yaml',
    );
    expect(exit).toBe(1);
    expect(err).toBe(
      'error: the policies contradict each other\np.yaml:7: spec.order[0].id: rule mc.order is already defined in policy antrea-multicluster of isthmus\n',
    );
  });
});

describe('isthmus upgrade check deprecations', () => {
  const live = version('v1alpha2', ', deprecated: true') + ', ' + version('v1beta1', ', storage: true');
  const inline = (text: string) =>
    JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', ...JSON.parse(text) });
  const definition = (versions: readonly object[]) =>
    inline(
      JSON.stringify({
        metadata: { name: 'ippools.crd.antrea.io' },
        spec: { group: 'crd.antrea.io', scope: 'Cluster', names: { plural: 'ippools', kind: 'IPPool' }, versions },
      }),
    );
  const schema = { openAPIV3Schema: { type: 'object' } };
  const old = definition([
    { name: 'v1beta1', served: true, storage: false, schema },
    { name: 'v1', served: true, storage: true, schema },
  ]);
  const object = '{apiVersion: batch/v1beta1, kind: CronJob, metadata: {name: j, namespace: jobs}}';
  const fleet = snapshot(
    running(['kube-apiserver', 'v1.24.1']),
    `      definitions: [${old}]\n      objects: [${object}]\n`,
  );

  it('holds the CRDs of manifests against those that are live, and names who uses what goes', async () => {
    const files = { 'f.yaml': fleet, 'new/crds.yaml': crd(version('v1', ', storage: true')) };
    const { exit, out } = await check(files, 'deprecations', '--snapshot', 'f.yaml', '-f', 'new');
    expect(exit).toBe(3);
    expect(out).toContain('block  P02    cluster east, object ippools.crd.antrea.io, v1beta1');
    expect(out).toContain('1 object (jobs/j) uses batch/v1beta1 of CronJob, which Kubernetes stops serving in 1.25');
    expect((await check({ 'f.yaml': fleet }, 'deprecations', '--snapshot', 'f.yaml')).exit).toBe(2);
  });

  it('rejects manifests without an object: a command that failed may have left an empty file', async () => {
    const files = { 'f.yaml': fleet, 'c.yaml': '' };
    expect(await check(files, 'deprecations', '--snapshot', 'f.yaml', '-f', 'c.yaml')).toMatchObject({
      exit: 1,
      err: 'error: no object in c.yaml\n',
    });
  });

  it('names the file and line of the very object, also where another has its name', async () => {
    const deployment = (version: string) => `apiVersion: apps/${version}\nkind: Deployment\nmetadata: {name: web}\n`;
    const files = { 'm/a.yaml': deployment('v9'), 'm/b.yaml': `---\n\n${deployment('v1')}---\n${deployment('v8')}` };
    const { exit, out } = await check(files, 'manifests', '-f', 'm', '--kubernetes', '1.34');
    expect(exit).toBe(3);
    expect(out.match(/^block .*$/gm)).toEqual([
      'block  manifest.unknown-kind  m/b.yaml:7  object Deployment web',
      'block  manifest.unknown-kind  m/a.yaml:1  object Deployment web',
    ]);
  });

  it('takes the age of a deprecation from a history', async () => {
    const versions = `    - {crd: ippools.crd.antrea.io, version: v1beta1, deprecated: {version: v2.0.0, at: 2025-01-01T00:00:00Z}}\n`;
    const history = file('ApiHistory', `  component: antrea-controller\n  versions:\n${versions}`);
    const files = { 'f.yaml': fleet, 'c.yaml': crd(version('v1', ', storage: true')), 'h.yaml': history };
    const { exit } = await check(files, 'deprecations', '--snapshot', 'f.yaml', '-f', 'c.yaml', '--history', 'h.yaml');
    expect(exit).toBe(2);
  });

  it('takes the history of Antrea among the examples of the docs', async () => {
    const path = new URL('../../../../../docs/upgrade/examples/antrea-history.yaml', import.meta.url);
    const history = await readFile(path, 'utf8');
    const next = version('v1', ', storage: true');
    const reported = async (text: string) => {
      // v1beta1 of IPPool is removed 9 months after it was deprecated, or at once: the history has
      // the time of its deprecation.
      const files = {
        'a.yaml': crd(`${next}, ${version('v1beta1', ', deprecated: true')}`),
        'b.yaml': crd(next),
        'h.yaml': text,
      };
      return (await check(files, 'crd', 'a.yaml', 'b.yaml', '--history', 'h.yaml')).out.match(
        /^.*v1beta1 is no longer served.*$/m,
      )?.[0];
    };
    expect(await reported(history)).toContain('no ApiHistory has its deprecation');
    const deprecated = (at: string) =>
      history.trimEnd() + `\n      deprecated: {version: v2.7.0, at: "${at}T00:00:00Z"}\n`;
    expect(await reported(deprecated('2026-09-01'))).toContain('until 2027-06-01');
    expect(await reported(deprecated('2025-09-01'))).toBeUndefined();
  });

  it('rejects what is not a manifest with file and line', async () => {
    const { exit, err } = await check(
      { 'f.yaml': fleet, 'c.yaml': `---\n${crd(live)}---\nkind: X\n` },
      'deprecations',
      '--snapshot',
      'f.yaml',
      '-f',
      'c.yaml',
    );
    expect([exit, err]).toEqual([1, expect.stringMatching(/^error: c\.yaml:\d+: expected an object with apiVersion/)]);
  });
});

describe('isthmus upgrade check crd', () => {
  it('reports broken promises with the severity of the policy, and a waiver lets one pass', async () => {
    const old = `${version('v1beta1')}, ${version('v1', ', storage: true')}`;
    const files = { 'old.yaml': crd(old), 'new.yaml': crd(version('v1', ', storage: true')) };
    const { exit, out } = await check(files, 'crd', 'old.yaml', 'new.yaml');
    expect(exit).toBe(3);
    expect(out).toMatch(/^block {2}P02/m);
    const waiver = (rule: string) => `{rule: ${rule}, crd: ippools.crd.antrea.io, reason: r, by: b, until: 2026-12-31}`;
    const waivers = file('Waivers', `  waivers: [${['P02', 'G05', 'G06', 'G07'].map(waiver).join(', ')}]\n`);
    const waived = await check({ ...files, 'w.yaml': waivers }, 'crd', 'old.yaml', 'new.yaml', '--waivers', 'w.yaml');
    expect(waived.out).toMatch(/^info +P02/m);
  });
});

describe('isthmus upgrade check metrics', () => {
  const old = '# HELP antrea_up up\n# TYPE antrea_up gauge\nantrea_up 1\n';

  it('names the dashboards that lose a metric', async () => {
    const files = { old, new: '', 'd/a.json': '{\n"expr": "antrea_up"}' };
    const { exit, out } = await check(files, 'metrics', 'old', 'new', '--used-in', 'd');
    expect(exit).toBe(3);
    expect(out).toContain('antrea_up is gone: it was stable, and never marked deprecated; used in d/a.json:2');
    expect((await check({ old, new: old }, 'metrics', 'old', 'new')).exit).toBe(0);
  });

  it('reports links that lead out of the folder of dashboards: nothing behind them was searched', async () => {
    const links = [{ path: 'd/others', to: 'folder' }] as const;
    const io = madeUpIo({ files: { old, new: old, 'd/a.json': '{}' }, links });
    await runCli(io, ['upgrade', 'check', 'metrics', 'old', 'new', '--used-in', 'd']);
    expect(io.out).toContain('d/others is a link to a folder outside its folder, which was not searched');
  });

  it.each(['', '# a comment\n'])(
    'rejects %j as the metrics of the old release: nothing would be compared',
    async (text) => {
      expect(await check({ old: text, new: old }, 'metrics', 'old', 'new')).toMatchObject({
        exit: 1,
        err: 'error: no metric in old, so there is nothing to compare\n',
      });
    },
  );

  it('reports which metrics no policy promises anything about', async () => {
    const files = { old: `${old}other_b 1\nother_a 1\n`, new: old };
    const { exit, out } = await check(files, 'metrics', 'old', 'new');
    expect([exit, out]).toEqual([0, 'No findings.\nNot examined: 2 metrics without a policy: other_a, other_b.\n']);
  });

  it('rejects a text that is not a metric, and a release that is not a version', async () => {
    expect(await check({ old, new: '# TYPE x y\n' }, 'metrics', 'old', 'new')).toMatchObject({
      exit: 1,
      err: expect.stringContaining('new:1: the TYPE of x is "y"') as string,
    });
    expect((await check({ old, new: old }, 'metrics', 'old', 'new', '--to', '2.7')).exit).toBe(1);
  });
});

describe('isthmus upgrade check placement', () => {
  it('takes what CRDs refer to from a file', async () => {
    const files = {
      'c.yaml': crd(version('v1alpha1', ', storage: true')),
      'd.yaml': 'ippools.crd.antrea.io: [v1alpha2/ClusterGroup]\n',
    };
    const { exit, out } = await check(files, 'placement', '-f', 'c.yaml', '--depends-on', 'd.yaml');
    expect(exit).toBe(3);
    expect(out).toContain(
      'ippools.crd.antrea.io is in v1alpha1 and refers to ClusterGroup, which is in the higher v1alpha2',
    );
    expect((await check(files, 'placement', '-f', 'c.yaml')).exit).toBe(0);
    expect(
      (await check({ ...files, 'd.yaml': '[1]' }, 'placement', '-f', 'c.yaml', '--depends-on', 'd.yaml')).exit,
    ).toBe(1);
    const misspelt = { ...files, 'd.yaml': '# of 2.7\nippool.crd.antrea.io: []\n' };
    expect(await check(misspelt, 'placement', '-f', 'c.yaml', '--depends-on', 'd.yaml')).toMatchObject({
      exit: 1,
      err: 'error: d.yaml:2: ippool.crd.antrea.io is not among the given CRDs\n',
    });
    const other = { 'c.yaml': files['c.yaml'].replaceAll('crd.antrea.io', 'example.com') };
    expect((await check(other, 'placement', '-f', 'c.yaml')).out).toContain(
      'Not examined: a CRD of groups without a policy: ippools.example.com.',
    );
    const twice = { 'c.yaml': `${other['c.yaml']}\n---\n${other['c.yaml']}` };
    expect((await check(twice, 'placement', '-f', 'c.yaml')).out).toContain(
      'Not examined: a CRD of groups without a policy: ippools.example.com.',
    );
    expect((await check({ 'c.yaml': '# none\n' }, 'placement', '-f', 'c.yaml')).err).toBe(
      'error: no CustomResourceDefinition in c.yaml\n',
    );
    expect((await check(files, 'placement')).err).toBe("error: required option '--filename' not given\n");
  });
});

describe('isthmus upgrade check release', () => {
  const bundle = (upstream: string, ovs: string) =>
    file(
      'ComponentBundle',
      `  number: 1\n  channel: c\n  createdAt: 2026-11-01T00:00:00Z\n  components:\n    - {id: antrea-controller, version: {upstream: ${upstream}}, builtFrom: {ovs: ${ovs}}}\n`,
    );

  it('holds a patch to the minors that it is built from', async () => {
    const files = { 'a.yaml': bundle('v2.6.0', '3.1.0'), 'b.yaml': bundle('v2.6.1', '3.2.0') };
    const { exit, out } = await check(files, 'release', 'a.yaml', 'b.yaml');
    expect(exit).toBe(3);
    expect(out).toContain('antrea-controller is a patch release and changes the minor of ovs: 3.1.0 → 3.2.0');
  });
});
