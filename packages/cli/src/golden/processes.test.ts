import { fileURLToPath } from 'node:url';
import { Namespace } from '@isthmus/api';
import { runtimeMetrics, webhookMetrics } from '@isthmus/kube';
import { printYaml } from '@isthmus/machinery';
import { createSandbox } from '@isthmus/sandbox';
import { clusterAdmin, createVirtualClock, definitions } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { runCli } from '../run-cli.ts';
import { madeUpIo } from '../testing/made-up-io.ts';
import { memoryNetwork } from '../testing/memory-network.ts';
// The command loads it when it runs; loading takes real time.
import '../sandbox/up.ts';

const golden = (name: string) => fileURLToPath(new URL(`${name}.yaml`, import.meta.url));
const kubeconfig = `current-context: here
clusters: [{ name: here, cluster: { server: 'https://192.0.2.1:6443' } }]
users: [{ name: me, user: { token: t } }]
contexts: [{ name: here, context: { cluster: here, user: me } }]
`;
const config = `apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: MultiClusterConfig
metrics: { bindAddress: '127.0.0.1:8081' }
`;

describe('what a process shows while it runs is as recorded', () => {
  it.each(['leader', 'member'])('for the health and the metrics of a %s', async (role) => {
    const clock = createVirtualClock({ startMs: Date.UTC(2026, 10, 21) });
    const server = createSandbox({ name: 'here', clock, image: await definitions.ours() });
    server.admin.put(Namespace, { metadata: { name: 'antrea-multicluster' } });
    const files = { 'config.yaml': config, 'kube.config': kubeconfig };
    const env = { KUBECONFIG: 'kube.config', POD_NAME: 'pod-1' };
    const io = madeUpIo({ clock, env, files, transport: server.transport(clusterAdmin) });
    const ended = runCli(io, ['controller', role, '--config', 'config.yaml']);
    await clock.advance(1_000);
    const health: Record<string, unknown> = {};
    for (const path of ['/healthz', '/readyz', '/readyz?verbose', '/nowhere']) health[path] = await io.ask(8080, path);
    const metrics = (await io.ask(8081, '/metrics')).body;
    io.stopBy('SIGTERM');
    await clock.advance(1_000);
    const shown = {
      health,
      exit: await ended,
      metrics: metrics.split('\n').filter((line) => /^# (HELP|TYPE) isthmus_/.test(line)),
    };
    await expect(printYaml(shown)).toMatchFileSnapshot(golden(`controller-${role}`));
  });

  it('for the name, labels and help of each metric of the runtime', async () => {
    await expect(printYaml(Object.values({ ...runtimeMetrics, ...webhookMetrics }))).toMatchFileSnapshot(
      golden('metrics'),
    );
  });

  it.each([
    ['three clusters', 'north:leader,east,west'],
    ['one cluster with both roles', 'north:leader+member'],
    ['a leader alone', 'north:leader'],
  ])('for a sandbox of %s', async (what, clusters) => {
    const clock = createVirtualClock({ startMs: Date.UTC(2026, 10, 21) });
    const io = madeUpIo({ clock, network: memoryNetwork() });
    const ended = runCli(io, ['sandbox', 'up', '--kubeconfig', 'own', '--clusters', clusters]);
    await clock.runUntil(() => io.files.has('own'), { limitMs: 60_000, what: 'the kubeconfig is there' });
    await clock.settle();
    io.stopBy('SIGINT');
    await clock.advance(30_000);
    const shown = { exit: await ended, stdout: io.out.replaceAll(/\d+ ms/g, '<n> ms'), stderr: io.err };
    await expect(printYaml(shown)).toMatchFileSnapshot(golden(`sandbox-${what.replaceAll(' ', '-')}`));
  });
});
