import { createHash } from 'node:crypto';
import { sweepRuns } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../run-cli.ts';
import { madeUpIo } from '../../testing/made-up-io.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: antrea-config, namespace: kube-system}\n';
const bundle = `apiVersion: upgrade.isthmus.dev/v1alpha1
kind: ComponentBundle
metadata: {name: antrea-2-2}
spec:
  number: 3
  channel: stable
  createdAt: 2026-11-01T00:00:00Z
  components:
    - id: antrea-controller
      unit: antrea
      version: {upstream: v2.2.0}
      interrupts: [New policies wait.]
      artifacts: [{name: manifest, kind: manifest, uri: antrea.yml, digest: "sha256:${sha256(manifest)}"}]
    - id: antrea-agent
      unit: antrea
      scope: node
      version: {upstream: v2.2.0}
      artifacts: [{name: manifest, kind: manifest, uri: antrea.yml, digest: "sha256:${sha256(manifest)}"}]
`;
const snapshot = (controller: string, agent: string) => `apiVersion: upgrade.isthmus.dev/v1alpha1
kind: FleetSnapshot
metadata: {name: fleet}
spec:
  takenAt: 2026-11-21T09:00:00Z
  clusters:
    - name: east
      components:
        - {id: antrea-controller, live: [{version: ${controller}}]}
        - {id: antrea-agent, live: [{version: ${agent}, node: n1}]}
`;
const files = {
  'b.yaml': bundle,
  'antrea.yml': manifest,
  'old.yaml': snapshot('v2.1.0', 'v2.1.0'),
  'new.yaml': snapshot('v2.2.0', 'v2.2.0'),
  'odd.yaml': snapshot('v2.1.0', 'v2.2.0'),
  'ahead.yaml': snapshot('v2.1.0', 'v2.3.0'),
};

const given = ['--bundle', 'b.yaml', '--snapshot', 'old.yaml'];

async function run(given: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const io = madeUpIo({ files: given });
  return { exit: await runCli(io, ['upgrade', ...args]), out: io.out, err: io.err };
}
const plan = (name: string, ...args: readonly string[]) =>
  run(files, 'plan', '--bundle', 'b.yaml', '--snapshot', name, ...args);

describe('isthmus upgrade plan', () => {
  it('prints what changes, the steps, and the findings', async () => {
    const { exit, out } = await plan('old.yaml');
    expect(exit).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "Ready: 2 changes in 4 steps. Bundle antrea-2-2 (number 3), snapshot fleet of 2026-11-21T09:00:00Z.

      CLUSTER  COMPONENT          CURRENT  TARGET  CHANGE  STEP     GATES
      east     antrea-agent       v2.1.0   v2.2.0  minor   1.3      ready
      east     antrea-controller  v2.1.0   v2.2.0  minor   1.1…1.2  dry-run ready

      STEP  GROUP       DOES                                                                        AFTER
      1.1   clusters    apply-shared: Apply the shared objects of antrea-controller v2.2.0 in east  -
      1.2   clusters    upgrade: Upgrade antrea-controller in east to v2.2.0                        1.1
      1.3   clusters    upgrade: Upgrade antrea-agent on n1 in east to v2.2.0                       1.2
      2.1   post-steps  record: Record the versions of east                                         1.3

      info  antrea.maintained            cluster east, component antrea-controller
             A minor is released every six to eight weeks; the two newest are maintained, each for about three months. Four minors of skew are about six months. (Antrea, docs/versioning.md, Release cycle)
      info  antrea.managed-kubernetes    cluster east, component antrea-controller
             The default Kubernetes versions of EKS and of the regular channel of GKE are supported as well. (Antrea, docs/versioning.md, Supported K8s versions)
      2 notes.
      "
    `);
  });

  it.each([
    ['there is nothing to do', 'new.yaml', 0, 0],
    ['there are changes', 'old.yaml', 0, 2],
    ['it fixes what was broken', 'odd.yaml', 0, 2],
    ['it is blocked', 'ahead.yaml', 3, 3],
  ])('ends as it should where %s', async (_what, name, plain, detailed) => {
    expect((await plan(name)).exit).toBe(plain);
    expect((await plan(name, '--detailed-exitcode')).exit).toBe(detailed);
  });

  it('reports that a fleet is up to date, and its JSON has no rows', async () => {
    expect((await plan('new.yaml')).out).toContain('The fleet is up to date.');
    expect(JSON.parse((await plan('new.yaml', '-o', 'json')).out)).toMatchObject({
      kind: 'Plan',
      spec: { outcome: 'up-to-date', changes: [], steps: [], skipped: [] },
    });
  });

  it('reports what is left alone, and not that all is well', async () => {
    const paused = files['old.yaml'].replace('    - name: east\n', '    - name: east\n      paused: true\n');
    const { exit, out } = await run(
      { ...files, 'p.yaml': paused },
      'plan',
      '--bundle',
      'b.yaml',
      '--snapshot',
      'p.yaml',
    );
    expect(exit).toBe(0);
    expect(out).toContain('Nothing to do: 2 changes skipped, see the list of skipped components.');
    expect(out).toContain('east: its reconciliation is paused');
  });

  it('rejects a manifest that is not the one of the bundle, before anything is planned', async () => {
    const { exit, out, err } = await run(
      { ...files, 'antrea.yml': `${manifest}# changed\n` },
      'plan',
      '--bundle',
      'b.yaml',
      '--snapshot',
      'old.yaml',
    );
    expect([exit, out]).toEqual([3, '']);
    expect(err).toContain('block  bundle.digest');
  });

  it('refuses a bundle that the lint refuses, before anything is planned: a circle is drawn, with its line', async () => {
    const circle = bundle
      .replace('      interrupts:', '      requires: [{component: antrea-agent}]\n      interrupts:')
      .replace('      scope: node', '      requires: [{component: antrea-controller}]\n      scope: node');
    const { exit, out, err } = await run(
      { ...files, 'c.yaml': circle },
      'plan',
      '--bundle',
      'c.yaml',
      '--snapshot',
      'old.yaml',
    );
    expect([exit, out]).toEqual([3, '']);
    expect(err).toContain('c.yaml:17  component antrea-agent, spec.components[1].requires');
    expect(err).toContain('the requirements are circular: antrea-agent → antrea-controller → antrea-agent');
  });

  it('looks into manifests that the bundle names elsewhere, where they were fetched: by their digests', async () => {
    const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, listKind: ThingList}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, required: [mode], properties: {mode: {type: string}}}}}}
`;
    const away = bundle
      .replaceAll('antrea.yml', 'https://example.org/antrea.yml')
      .replaceAll(sha256(manifest), sha256(crd));
    const live = crd.replace(', required: [mode]', '');
    const definition = live
      .replace(/^/gm, '          ')
      .replace('          apiVersion', '        - apiVersion')
      .replaceAll('\n          \n', '\n');
    const objects =
      '      objects:\n        - {apiVersion: example.org/v1, kind: Thing, metadata: {name: one, namespace: n}, spec: {}}\n';
    const fleet = `${files['old.yaml']}      definitions:\n${definition.trimEnd()}\n${objects}`;
    const all = { 'b.yaml': away, 'f.yaml': fleet, 'got/antrea.yml': crd, 'got/other.yml': manifest };
    const line = ['plan', '--bundle', 'b.yaml', '--snapshot', 'f.yaml'];
    const without = await run(all, ...line);
    expect(without.exit).toBe(0);
    expect(without.out).toContain('manifest (https://example.org/antrea.yml) was not available');
    const { exit, out, err } = await run(all, ...line, '--manifests', 'got');
    expect(exit).toBe(3);
    expect(out).toContain('F05');
    expect(out).not.toContain('was not at hand');
    expect(err).toContain('warn  bundle.stray-manifest');
    expect(err).toContain('got/other.yml');
    expect((await run(all, ...line, '--manifests', 'nowhere')).exit).toBe(1);
  });

  it('rejects a CRD to remove that neither a bundle nor a cluster has, and names those that can be removed', async () => {
    const crd = (name: string) =>
      `---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ${name}}\n`;
    const earlier = [manifest, crd('things.example.org'), crd('wares.example.org')].join('');
    const before = bundle
      .replaceAll(sha256(manifest), sha256(earlier))
      .replaceAll('antrea.yml', 'old/antrea.yml')
      .replaceAll('v2.2.0', 'v2.1.0')
      .replace('number: 3', 'number: 2');
    const all = { ...files, 'o.yaml': before, 'old/antrea.yml': earlier };
    const line = ['plan', '--bundle', 'b.yaml', '--snapshot', 'old.yaml', '--other-bundle', 'o.yaml', '--prune'];
    const { exit, out, err } = await run(all, ...line, '--prune-crd', 'things.example.org,thing.example.org');
    expect([exit, out]).toEqual([1, '']);
    expect(err).toContain(
      '--prune-crd thing.example.org: no bundle and no cluster has this CRD; CRDs of the bundles of --other-bundle that the new one does not have: things.example.org, wares.example.org',
    );
    expect((await run(all, ...line, '--prune-crd', 'things.example.org')).exit).toBe(0);
  });

  it('rejects a bundle that is for another isthmus', async () => {
    const other = bundle.replace('  channel: stable', '  channel: stable\n  engine: {min: v99.0.0}');
    const { exit, out, err } = await run(
      { ...files, 'b.yaml': other },
      'plan',
      '--bundle',
      'b.yaml',
      '--snapshot',
      'old.yaml',
    );
    expect([exit, out]).toEqual([3, '']);
    expect(err).toContain('block  bundle.engine');
  });

  it('reports whether an earlier plan is still current', async () => {
    const made = await plan('old.yaml', '-o', 'json');
    const all: Record<string, string> = { ...files, 'p.json': made.out };
    const check = (name: string, ...more: readonly string[]) =>
      run(all, 'plan', '--bundle', 'b.yaml', '--snapshot', name, '--check', 'p.json', ...more);
    expect(await check('old.yaml')).toMatchObject({
      exit: 0,
      out: 'The plan is still valid: bundle antrea-2-2 (number 3), fleet as in the snapshot fleet of 2026-11-21T09:00:00Z, and the given snapshot is not newer: take a new one to see later changes.\n',
    });
    const readAt = "      readAt: '2026-11-21T08:00:00Z'\n";
    all['later.yaml'] = `${(files['old.yaml'] ?? '').replace('2026-11-21T09', '2026-11-23T09')}${readAt}`;
    const later = await check('later.yaml');
    expect([later.exit, later.err]).toEqual([0, (await check('old.yaml')).err]);
    expect(later.out).toContain(
      'of 2026-11-21T09:00:00Z, compared with the snapshot of 2026-11-23T09:00:00Z.\n\nwarn  plan.old-reading ',
    );
    const moved = await check('odd.yaml');
    expect(moved.exit).toBe(3);
    expect(moved.out).toContain('east has changed since the plan was created');
    const json = JSON.parse((await check('odd.yaml', '-o', 'json')).out) as object;
    expect(json).toMatchObject({ plan: 'p.json', holds: false, findings: [{ rule: 'plan.stale' }] });
    const other = { ...all, 'b.yaml': bundle.replace('number: 3', 'number: 4') };
    const led = await run(other, 'plan', ...given, '--check', 'p.json');
    expect([led.exit, led.out.includes('plan.other-bundle')]).toEqual([3, true]);
    expect((await run(all, 'plan', ...given, '--check', 'old.yaml')).exit).toBe(1);
  });

  it('prints the same plan as YAML, and as Markdown for a review', async () => {
    const { out } = await plan('old.yaml', '-o', 'yaml');
    expect((await run({ 'p.yaml': out }, 'explain', 'p.yaml', '1.2')).exit).toBe(0);
    expect((await plan('old.yaml', '-o', 'markdown')).out).toContain(
      '| east | antrea-agent | v2.1.0 | v2.2.0 | minor |',
    );
  });

  it.each([
    ['no bundle', ['plan', '--snapshot', 'old.yaml'], "required option '--bundle' not given"],
    ['no snapshot', ['plan', '--bundle', 'b.yaml'], "required option '--snapshot' not given"],
    ['a minor that is none', ['plan', '--kubernetes', 'x'], 'It must be a Kubernetes minor'],
    ['a negative canary', ['plan', ...given, '--canary', '-1'], '--canary -1: it must be 0 or more'],
    [
      'a canary that is not there',
      ['plan', ...given, '--canary', 'west'],
      'the snapshot has no such cluster (there are: east)',
    ],
    ['a name that is missing', ['plan', ...given, '--only', 'east,'], '--only east,: a name before or after a comma'],
    ['shares that do not rise', ['plan', ...given, '--wave-share', '50%,10%'], '10 is not greater than 50'],
    ['a share that is none', ['plan', ...given, '--wave-share', 'half'], 'expected percents such as 10%,50%'],
    ['a share above all', ['plan', ...given, '--wave-share', '120'], '120 is not a whole percentage from 1 to 100'],
    ['an orphan without a Namespace', ['plan', ...given, '--recreate-orphan', 'x'], 'expected namespace/name'],
    [
      'removal without the bundle that was installed',
      ['plan', ...given, '--prune'],
      '--prune requires --other-bundle: it removes the objects of earlier versions, which are read from the bundle that was installed',
    ],
    ['CRDs to remove without removal', ['plan', ...given, '--prune-crd', 'x.y'], '--prune-crd requires --prune'],
    ['a time that is none', ['plan', ...given, '--soak', 'soon'], 'expected a duration such as 30m, 1h30m or 90s'],
    ['a snapshot that is a bundle', ['plan', '--bundle', 'b.yaml', '--snapshot', 'b.yaml'], 'b.yaml:2: kind'],
    [
      'a step that the plan does not have',
      ['explain', 'p.json', '9'],
      'p.json has no step "9"; it has 1.1, 1.2, 1.3, 2.1',
    ],
  ])('ends with 1 for %s', async (_what, args, message) => {
    const made = await plan('old.yaml', '-o', 'json');
    const { exit, err } = await run({ ...files, 'p.json': made.out }, ...args);
    expect(exit).toBe(1);
    expect(err).toContain(message);
  });

  it('bears snapshots and plans of any content: refused with a place, never with a crash', async () => {
    const made = (await plan('old.yaml', '-o', 'json')).out;
    const spoilt = (text: string) =>
      fc
        .tuple(fc.nat(text.length - 1), fc.constantFrom('', '{', '-', '"', ': ', '\n', '9', 'x'), fc.nat(30))
        .map(([at, put, cut]) => text.slice(0, at) + put + text.slice(at + cut));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), spoilt(files['old.yaml'])),
        fc.oneof(fc.string(), spoilt(made)),
        async (fleet, planFile) => {
          const given = { ...files, 'f.yaml': fleet, 'p.json': planFile };
          for (const args of [
            ['plan', '--bundle', 'b.yaml', '--snapshot', 'f.yaml'],
            ['explain', 'p.json', '1.1'],
          ]) {
            const { exit, err } = await run(given, ...args);
            expect([0, 1, 3]).toContain(exit);
            expect(err).not.toContain('    at ');
            if (exit === 1) expect(err).toContain('error: ');
          }
        },
      ),
      { numRuns: sweepRuns(60, { oneIn: 8 }), seed: 3 },
    );
  });
});

describe('waivers of a plan', () => {
  const waivers = (...all: readonly string[]) =>
    `apiVersion: upgrade.isthmus.dev/v1alpha1\nkind: Waivers\nmetadata: {name: w}\nspec:\n  waivers:\n${all.map((one) => `    - {${one}, reason: seen, by: ops, until: 2026-12-31}\n`).join('')}`;
  const planned = (text: string, ...args: readonly string[]) =>
    run(
      { ...files, 'w.yaml': text },
      'plan',
      '--bundle',
      'b.yaml',
      '--snapshot',
      'old.yaml',
      '--waivers',
      'w.yaml',
      ...args,
    );

  it('with a rule, cluster or component that nothing knows are rejected, each with its place in the file', async () => {
    const { exit, out, err } = await planned(
      waivers('rule: antrea.agnet', 'rule: antrea.agent, path: eats', 'rule: antrea.agent, path: east'),
    );
    expect([exit, out]).toEqual([1, '']);
    expect(err).toContain('w.yaml:6: spec.waivers[0].rule: no policy and no check has the rule antrea.agnet; ');
    expect(err).toContain(
      'w.yaml:7: spec.waivers[1].path: the snapshot and the bundles have no cluster, ClusterSet, Node or component eats',
    );
    expect(err).not.toContain('spec.waivers[2]');
  });

  it('that accept nothing are listed in every format, with the cause', async () => {
    const text = waivers('rule: antrea.agent, path: east');
    const { exit, out } = await planned(text);
    expect(exit).toBe(0);
    expect(out).toContain(
      'Waivers without effect:\n  antrea.agent of east by ops until 2026-12-31: it matches no finding that can be waived\n',
    );
    expect((await planned(text, '-o', 'markdown')).out).toContain('### Waivers without effect');
    const { spec } = JSON.parse((await planned(text, '-o', 'json')).out) as { spec: { idleWaivers: object[] } };
    expect(spec.idleWaivers).toMatchObject([{ rule: 'antrea.agent', subject: 'east' }]);
  });
});

describe('isthmus upgrade explain', () => {
  it('knows the rules about a component that a bundle calls otherwise than policies do', async () => {
    const other = bundle.replace('- id: antrea-controller', '- id: net-brain\n      type: antrea-controller');
    const fleet = files['old.yaml'].replace('id: antrea-controller', 'id: net-brain');
    const all = { ...files, 'b.yaml': other, 'f.yaml': fleet };
    const made = (await run(all, 'plan', '--bundle', 'b.yaml', '--snapshot', 'f.yaml', '-o', 'json')).out;
    const { out } = await run({ 'p.json': made }, 'explain', 'p.json', '1.2');
    expect(out).toContain('Upgrade net-brain in east');
    expect(out).toContain('antrea.hop: at most 4 minors at once');
  });

  it('reports what was found about the objects of a step, also where no component is named', async () => {
    const made = JSON.parse((await plan('old.yaml', '-o', 'json')).out) as {
      spec: { steps: object[]; findings: object[] };
    };
    const about = {
      rule: 'G07',
      severity: 'warn',
      subject: { cluster: 'east', object: 'ConfigMap kube-system/antrea-config' },
    };
    made.spec.findings.push({ ...about, clusters: ['east'], why: 'it is gone', unblock: 'keep it' });
    const { out } = await run({ 'p.json': JSON.stringify(made) }, 'explain', 'p.json', '1.1');
    expect(out).toContain('warn G07: it is gone');
    expect((await run({ 'p.json': JSON.stringify(made) }, 'explain', 'p.json', '1.2')).out).not.toContain('G07');
  });

  it('prints with --manifests the objects that a step applies, in their order, and never a part of them', async () => {
    const object = (kind: string, name: string, more = '') =>
      `---\napiVersion: x/v1\nkind: ${kind}\nmetadata: {name: ${name}${more}}\n`;
    const workload = (kind: string, name: string, image: string) =>
      `---\napiVersion: apps/v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: kube-system}\nspec:\n  template: {spec: {containers: [{name: c, image: ${image}}]}}\n`;
    const text = [
      object('ValidatingWebhookConfiguration', 'hook'),
      workload('Deployment', 'antrea-controller', 'antrea/antrea-controller-ubuntu:v2.2.0'),
      workload('DaemonSet', 'antrea-agent', 'antrea/antrea-agent-ubuntu:v2.2.0'),
      object('ConfigMap', 'c', ', namespace: kube-system'),
      object('Namespace', 'shop'),
    ].join('');
    const own = (kind: string, name: string) =>
      `      workloads: [{kind: ${kind}, namespace: kube-system, name: ${name}}]\n`;
    // The manifest of the release is listed with one of its components.
    const [head = '', agent = ''] = bundle
      .replaceAll(sha256(manifest), sha256(text))
      .replace('    - id: antrea-agent', `${own('Deployment', 'antrea-controller')}    - id: antrea-agent`)
      .split('    - id: antrea-agent');
    const short = `${head}    - id: antrea-agent${agent.replace(/ {6}artifacts.*\n/, own('DaemonSet', 'antrea-agent'))}`;
    const all = { ...files, 'b.yaml': short, 'antrea.yml': text };
    const { out: made } = await run(all, 'plan', '--bundle', 'b.yaml', '--snapshot', 'old.yaml', '-o', 'json');
    const printed = async (step: string, given: Readonly<Record<string, string>> = { 'm/antrea.yml': text }) => {
      const { exit, out, err } = await run({ 'p.json': made, ...given }, 'explain', 'p.json', step, '--manifests', 'm');
      return { exit, kinds: [...out.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind), err };
    };
    expect((await printed('1.1')).kinds).toEqual(['Namespace', 'ConfigMap', 'ValidatingWebhookConfiguration']);
    expect((await printed('1.2')).kinds).toEqual(['Deployment']);
    expect((await printed('1.3')).kinds).toEqual(['DaemonSet']);
    const explained = await run({ 'p.json': made }, 'explain', 'p.json', '1.3');
    expect(explained.out).toContain('\n  antrea/antrea-agent-ubuntu:v2.2.0 (no digest)\n');
    expect(explained.out).toContain('isthmus upgrade explain p.json 1.3 --manifests FOLDER | kubectl patch --local');
    for (const [step, given, message] of [
      [
        '1.2',
        { 'm/antrea.yml': `${text}\n` },
        'no object of step 1.2 found (missing: Deployment kube-system/antrea-controller)',
      ],
      ['2.1', { 'm/antrea.yml': text }, 'step 2.1 applies no objects of a manifest'],
    ] as const) {
      const { exit, kinds, err } = await printed(step, given);
      expect([exit, kinds]).toEqual([1, []]);
      expect(err).toContain(message);
    }
  });

  it('explains why a step is there, what it does, what it waits for, and what a failure means', async () => {
    const made = await plan('old.yaml', '-o', 'json');
    const { exit, out } = await run({ 'p.json': made.out }, 'explain', 'p.json', '1.2');
    expect(exit).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "1.2 Upgrade antrea-controller in east to v2.2.0 (upgrade, clusters)

      Why:
        v2.1.0 → v2.2.0 (minor); before antrea-agent (antrea.order).

      Applicable rules:
        antrea.agent: an agent is not newer than the controller, and up to four minors older (Antrea, docs/versioning.md, Antrea upgrade and supported version skew)
        antrea.antctl: antctl is not newer than the controller, and up to four minors older (Antrea, docs/versioning.md, Antrea upgrade and supported version skew)
        antrea.hop: at most 4 minors at once (Antrea, docs/versioning.md, Antrea upgrade and supported version skew)
        antrea.order: antrea-controller moves before antrea-agent (Antrea, docs/versioning.md, Antrea upgrade and supported version skew)
        mc.antrea-leader: the network plugin and its multi-cluster controller should have the same version (Antrea, docs/multicluster/upgrade.md)
        mc.antrea: the network plugin and its multi-cluster controller should have the same version (Antrea, docs/multicluster/upgrade.md)

      How:
        Apply these objects with server-side apply, with one field manager, and wait until all Pods have the new version. It takes over fields that another tool wrote, such as kubectl apply or Helm (--force-conflicts).

      Artifacts:
        antrea.yml@sha256:1baab31173f665c476f4f3cfc24576e0396d270acd336d319423f0b5e3d79e57

      Checks after:
        antrea-controller runs v2.2.0 and is available on east. (within 1800 s)

      Meanwhile:
        New policies wait.

      Versions afterwards:
        antrea-controller of east: v2.1.0 → v2.2.0

      Requires:
        1.1 Apply the shared objects of antrea-controller v2.2.0 in east

      Required by:
        1.3 Upgrade antrea-agent on n1 in east to v2.2.0

      Findings:
        info antrea.maintained: A minor is released every six to eight weeks; the two newest are maintained, each for about three months. Four minors of skew are about six months.
        info antrea.managed-kubernetes: The default Kubernetes versions of EKS and of the regular channel of GKE are supported as well.

      If it fails:
        Steps that depend on it do not start; steps that run in parallel finish.
        Old and new versions may run side by side as long as needed: the rules allow it.
        No step up to here is a point of no return. To go back, plan with the earlier bundle: a component is downgraded only if its rules allow it.
        A new plan from a new snapshot continues where this one stopped.
      "
    `);
  });
});

describe('the choice of clusters', () => {
  const entry = (name: string, version: string) =>
    snapshot(version, version).split('  clusters:\n')[1]?.replace('name: east', `name: ${name}`) ?? '';
  const fleet = `${snapshot('v2.1.0', 'v2.1.0')}${entry('west', 'v2.1.0')}${entry('odd', 'main')}`;
  const planOf = (...args: readonly string[]) =>
    run({ ...files, 'f.yaml': fleet }, 'plan', '--bundle', 'b.yaml', '--snapshot', 'f.yaml', ...args);

  it('leaves blocked clusters out, names them, and ends with 2', async () => {
    const { exit, out } = await planOf();
    expect(exit).toBe(2);
    expect(out).toContain('Ready: 4 changes in 8 steps. 1 blocked cluster is left out. Bundle antrea-2-2');
    expect(out).toMatch(/Left out, because they are blocked:\n {2}odd\/antrea-agent: antrea\.agent: .*; to do: /);
    expect(out).toContain('  odd: it is blocked by antrea.agent, plan.order, plan.unknown-version\n');
    const markdown = (await planOf('-o', 'markdown')).out;
    expect(markdown).toContain('### Left out, because they are blocked');
  });

  it('warns that a canary is not one because it is blocked or up to date, and of no other', async () => {
    const blocked = await planOf('--canary', 'odd');
    expect([blocked.exit, blocked.err]).toEqual([
      2,
      expect.stringContaining('warning: --canary: odd is blocked and left out, so '),
    ]);
    expect((await planOf('--canary', 'west')).err).not.toContain('--canary');
    const done = `${fleet}${entry('done', 'v2.2.0')}`;
    const args = ['--bundle', 'b.yaml', '--snapshot', 'f.yaml', '--canary', 'done,west'];
    const { err } = await run({ ...files, 'f.yaml': done }, 'plan', ...args);
    expect(err).toContain('warning: --canary: done has nothing to upgrade, so ');
  });

  it('plans nothing with --all-or-nothing where a cluster is blocked', async () => {
    const { exit, out } = await planOf('--all-or-nothing');
    expect(exit).toBe(3);
    expect(out).toContain('Blocked: 6 changes.');
  });

  it.each([
    [['--only', 'east'], ['odd', 'west'], 'it is not among the chosen clusters (--only)'],
    [['--exclude', 'odd,west'], ['odd', 'west'], 'it is excluded (--exclude)'],
  ])('is made with %j', async (args, skipped, why) => {
    const { exit, out } = await planOf(...args);
    expect(exit).toBe(0);
    expect(out).toContain(`Skipped:\n  ${skipped.join(', ')}: ${why}\n`);
  });

  it.each([
    [['--only', 'nobody'], '--only nobody: the snapshot has no such cluster or ClusterSet (there are: east, '],
    [
      ['--canary', 'west', '--exclude', 'west'],
      '--canary west: the plan does not change it: it is excluded (--exclude); name another cluster',
    ],
    [['--exclude', 'east,west,odd'], '--only and --exclude leave no cluster to upgrade'],
  ])('is refused with %j', async (args, message) => {
    const { exit, err } = await planOf(...args);
    expect(exit).toBe(1);
    expect(err).toContain(message);
  });
});

describe('the summary of a large plan', () => {
  const large = (many: number) =>
    snapshot('v2.1.0', 'v2.1.0') +
    Array.from({ length: many }, (_, at) =>
      (snapshot('v2.0.0', 'v2.0.0').split('  clusters:\n')[1] ?? '').replace('name: east', `name: c${at}`),
    ).join('');

  it('precedes the detail: clusters, components, waves, what does not work meanwhile, findings', async () => {
    const { out } = await run(
      { ...files, 'f.yaml': large(60) },
      'plan',
      '--bundle',
      'b.yaml',
      '--snapshot',
      'f.yaml',
      '--exclude',
      'c7',
    );
    const [, summary = ''] = out.split('\n\n');
    expect(summary).toMatchInlineSnapshot(`
      "Summary:
        60 of 61 clusters are upgraded; skipped: 1 cluster (c7)
        antrea-agent to v2.2.0 in 60 places, from v2.0.0, v2.1.0
        antrea-controller to v2.2.0 in 60 places, from v2.0.0, v2.1.0
        1. clusters: 182 steps, 60 clusters in 3 waves of 1, 14, 45
        2. post-steps: 60 steps, 60 clusters
        Time not estimated: the snapshot has no recorded times of rollouts
        Meanwhile: New policies wait. New connections to and from the Node are not possible, and existing ones may break.
        No point of no return; a plan to the earlier bundle shows which components support a downgrade"
    `);
    expect(summary.split('\n').length).toBeLessThanOrEqual(22);
  });

  it('has the times of earlier rollouts where the snapshot recorded them, and reports those that have none', async () => {
    const text = large(60)
      .replaceAll('{version: v2.0.0, node: n1}', '{version: v2.0.0, node: n1, tookSeconds: 45}')
      .replaceAll('{version: v2.0.0}', '{version: v2.0.0, tookSeconds: 100}');
    const { out } = await run({ ...files, 'f.yaml': text }, 'plan', '--bundle', 'b.yaml', '--snapshot', 'f.yaml');
    expect(out).toContain('; rollouts 2 min, 2 min, 2 min\n');
    expect(out).toContain('Times are from earlier rollouts; checks, hooks and other steps are not included\n');
    const partly = text.replaceAll(', tookSeconds: 100', '');
    const { out: less } = await run(
      { ...files, 'f.yaml': partly },
      'plan',
      '--bundle',
      'b.yaml',
      '--snapshot',
      'f.yaml',
    );
    expect(less).toContain('; rollouts at least 45 s, at least 45 s, at least 45 s\n');
    expect(less).toMatch(/Times are from earlier rollouts; \d+ of 122 rollouts have none/);
  });

  it('has how long each wave runs before the next one, whether or not rollouts were recorded', async () => {
    const soaked = (text: string, ...args: readonly string[]) =>
      run(
        { ...files, 'f.yaml': text },
        'plan',
        '--bundle',
        'b.yaml',
        '--snapshot',
        'f.yaml',
        '--soak',
        '1h30m',
        ...args,
      );
    const { out } = await soaked(large(60));
    expect(out).toContain('in 3 waves of 1, 15, 45; soak 1 h 30 min after each wave but the last\n');
    expect(out).toMatch(/upgrade: Upgrade antrea-agent on n1 in c0 to v2\.2\.0, then soak 1 h 30 min /);
    const timed = large(60).replaceAll('{version: v2.0.0}', '{version: v2.0.0, tookSeconds: 100}');
    expect((await soaked(timed)).out).toMatch(
      /but the last; rollouts and soak at least 1 h 32 min, at least 1 h 32 min, /,
    );
    expect((await soaked(large(60), '-o', 'markdown')).out).toMatch(/gates: ready, soak 1 h 30 min\)/);
  });

  it('is left out of a plan that fits on a page', async () => {
    expect((await plan('old.yaml')).out).not.toContain('Summary');
  });
});
