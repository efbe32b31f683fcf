import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Step } from '@isthmus/upgrade';
import { describe, expect, it } from 'vitest';
import { howTo, shellWord } from './how-to.ts';
import type { HowContext } from './how-to.ts';

const how = (step: Partial<Step> & Pick<Step, 'kind'>, about: Partial<HowContext> = {}) =>
  howTo(
    { id: '3.2', nodes: [], objects: [], artifacts: [], cluster: 'east', ...step },
    {
      plan: 'plan.json',
      context: 'admin@east',
      method: 'apply',
      type: 'x',
      version: 'v1.1.0',
      isLast: false,
      ...about,
    },
  );
const commands = (...args: Parameters<typeof how>) =>
  how(...args).flatMap((one) => (one.startsWith('$ ') ? [one.slice(2)] : []));
const kubectl = 'kubectl --context admin@east';
const applied = `isthmus upgrade explain plan.json 3.2 --manifests FOLDER | ${kubectl} apply --server-side --force-conflicts --field-manager isthmus-upgrade -f -`;
const artifacts = ['x.yaml@sha256:1'];
const crds = ['a.example.org', 'b.example.org'];
const deployment = ['Deployment kube-system/x'];

describe('how a step is carried out by hand', () => {
  it.each<[string, Partial<Step> & Pick<Step, 'kind'>, readonly string[]]>([
    [
      'backup',
      { kind: 'backup', objects: crds },
      [`${kubectl} get a.example.org,b.example.org --all-namespaces -o yaml > east-before.yaml`],
    ],
    [
      'backup',
      { kind: 'backup', objects: ['machines.cluster.x-k8s.io'] },
      [
        `${kubectl} get machines.cluster.x-k8s.io --all-namespaces -o yaml > east-before.yaml`,
        'clusterctl move --kubeconfig-context admin@east --to-directory east-before',
      ],
    ],
    [
      'migrate-storage',
      { kind: 'migrate-storage', objects: ['a.example.org'], storedVersion: 'v1' },
      [
        `${kubectl} get a.example.org --all-namespaces -o json | ${kubectl} replace -f -`,
        `${kubectl} patch crd a.example.org --subresource status --type merge -p '{"status":{"storedVersions":["v1"]}}'`,
      ],
    ],
    [
      'apply-definitions',
      { kind: 'apply-definitions', objects: crds, artifacts },
      [applied, `${kubectl} wait --for condition=Established crd a.example.org b.example.org --timeout 60s`],
    ],
    ['apply-shared', { kind: 'apply-shared', objects: ['ConfigMap kube-system/c'], artifacts }, [applied]],
    [
      'recreate',
      { kind: 'recreate', objects: deployment, artifacts, action: 'recreate-foreground' },
      [
        `${kubectl} get deployment x -n kube-system -o yaml > x-before.yaml`,
        `${kubectl} delete deployment x -n kube-system --cascade=foreground --wait`,
        applied,
      ],
    ],
    [
      'clean-up',
      { kind: 'clean-up', objects: ['ClusterRole x', 'a.example.org', 'every object of b.example.org'] },
      [
        `${kubectl} delete clusterrole x --wait`,
        `${kubectl} delete crd a.example.org --wait`,
        `${kubectl} delete b.example.org --all --all-namespaces --wait`,
      ],
    ],
    ['record', { kind: 'record' }, ['isthmus upgrade snapshot --context admin@east --refresh all -o fleet.yaml']],
    [
      'upgrade',
      { kind: 'upgrade', objects: deployment, artifacts },
      [applied, `${kubectl} rollout status deployment x -n kube-system`],
    ],
    ['verify', { kind: 'verify' }, []],
  ])('has the commands of %s, with the objects and the context', (_kind, step, lines) => {
    expect(commands(step)).toEqual(lines);
  });

  it.each<[string, Partial<HowContext>, string]>([
    [
      'clusterctl',
      { type: 'capi-core' },
      'clusterctl upgrade apply --kubeconfig-context admin@east --core cluster-api:v1.1.0 --wait-providers',
    ],
    [
      'clusterctl',
      { type: 'capi-infra-vsphere' },
      'clusterctl upgrade apply --kubeconfig-context admin@east --infrastructure vsphere:v1.1.0 --wait-providers',
    ],
    ['clusterctl', { type: 'cert-manager' }, 'Apply the manifest of this version'],
    ['helm', {}, 'helm template RELEASE oci://r.example/chart@sha256:1'],
    ['flux', {}, 'flux reconcile source git flux-system --context admin@east'],
    ['kubernetes', {}, 'Roll the machine'],
    ['manual', {}, 'Upgrade it by hand'],
  ])('is explained for an upgrade by %s', (method, about, text) => {
    const step = { kind: 'upgrade', artifacts: ['oci://r.example/chart@sha256:1'] } as const;
    expect(how(step, { method, ...about }).join('\n')).toContain(text);
  });

  it('keeps the Pods of other Nodes as they are where only some Nodes move', () => {
    const lines = how({ kind: 'upgrade', nodes: ['n1'], objects: ['DaemonSet kube-system/agent'], artifacts });
    expect(lines[0]).toContain('OnDelete');
    expect(lines.join('\n')).toContain(`${kubectl} -n kube-system get pods --field-selector spec.nodeName=n1`);
    expect(lines.join('\n')).toContain('name=="agent"');
    expect(lines[1]).toContain('"updateStrategy":{"type":"OnDelete","rollingUpdate":null}');
  });

  it('waits for the new Pod of a Node to exist before it waits until it is ready, and bears that the old one is gone already', async () => {
    const [, remove = '', wait = ''] = commands({
      kind: 'upgrade',
      nodes: ['n1'],
      objects: ['DaemonSet kube-system/agent'],
      artifacts,
    });
    const folder = await mkdtemp(join(tmpdir(), 'isthmus-how-to-'));
    try {
      // As kubectl behaves: no Pod at first, the new one the third time; `wait` and `delete` fail
      // without a name.
      const program = `#!/bin/sh
case "$*" in
  *"get pods"*) echo get >> "$LOG"; [ "$(grep -c get "$LOG")" -gt 2 ] && echo agent-new; exit 0 ;;
  *"wait pod agent-new --for condition=Ready"*) echo waited >> "$LOG" ;;
  *) echo "error: resource(s) were provided, but no name was specified" >&2; exit 1 ;;
esac
`;
      await writeFile(join(folder, 'kubectl'), program, { mode: 0o755 });
      await writeFile(join(folder, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
      const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, LOG: join(folder, 'log') };
      execFileSync('sh', ['-c', `${remove}\n${wait}`], { env });
      expect(await readFile(env.LOG, 'utf8')).toBe('get\nget\nget\nget\nwaited\n');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('passes several DaemonSets on as JSON: as YAML, kubectl patch prints them as one document, of which only the last is applied', () => {
    const objects = ['DaemonSet kube-system/agent', 'DaemonSet kube-system/agent-windows'];
    const [first] = commands({ kind: 'upgrade', nodes: ['n1'], objects, artifacts });
    expect(first).toMatch(/ \| kubectl patch --local -f - .* -o json \| kubectl --context admin@east apply /);
  });

  it('takes over the fields of the tool that applied the objects before, and states it', () => {
    for (const step of [
      { kind: 'apply-definitions', objects: crds, artifacts },
      { kind: 'apply-shared', objects: ['ConfigMap kube-system/c'], artifacts },
      { kind: 'upgrade', objects: deployment, artifacts },
      { kind: 'upgrade', objects: ['DaemonSet kube-system/agent'], nodes: ['n1'], artifacts },
    ] as const) {
      expect(how(step)[0]).toContain('(--force-conflicts)');
      expect(commands(step)[0]).toContain('apply --server-side --force-conflicts --field-manager isthmus-upgrade');
    }
  });

  it('restores the strategy of the DaemonSet after the last Node', () => {
    const step = { kind: 'upgrade' as const, nodes: ['n1'], objects: ['DaemonSet kube-system/agent'], artifacts };
    expect(commands(step)).not.toContain(applied);
    const last = how(step, { isLast: true });
    expect(last.slice(-2)).toEqual(['All Nodes have the new version: apply the DaemonSet unchanged.', `$ ${applied}`]);
  });

  it('keeps the Pods until the new ones are ready where an object is created again as an orphan', () => {
    const lines = how({ kind: 'recreate', action: 'recreate-orphan', objects: deployment, artifacts });
    expect(lines[0]).toContain('Save the object');
    expect(lines.join('\n')).toContain('--cascade=orphan');
    expect(lines.at(-1)).toContain('delete the old ReplicaSet');
  });

  it('is the text of the step itself where it has one', () => {
    expect(how({ kind: 'hook', instructions: 'Create a token.' })).toEqual(['Create a token.']);
  });

  it('quotes names that a shell would read otherwise', () => {
    expect(['admin@east', "it's", 'a b', '$(x)'].map(shellWord)).toEqual([
      'admin@east',
      `'it'\\''s'`,
      "'a b'",
      "'$(x)'",
    ]);
  });
});
