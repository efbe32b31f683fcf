/**
 * `serve.ts memory|https <cluster> …`: sandbox clusters until the channel to the parent closes. A
 * program of its own, which server-process.ts starts.
 */
import { systemClock } from '@isthmus/kube';
import type { Authority } from '@isthmus/sandbox';
import { createAuthority, serveHttps, startSandboxCluster } from '@isthmus/sandbox';
import type { ServedCluster, ServerMessage } from './server-messages.ts';

const [way, ...names] = process.argv.slice(2);
const from = performance.now();
const started = await Promise.all(names.map((name, index) => start(name, index)));
const now = performance.now();
tell({
  kind: 'ready',
  readyMs: now - from,
  sinceStartMs: now,
  clusters: started.flatMap((served) => served ?? []),
});

process.on('message', () => {
  // Twice: what the first one finalizes the second one frees.
  for (let pass = 0; pass < 2; pass++) globalThis.gc?.();
  tell({ kind: 'heap', bytes: process.memoryUsage().heapUsed });
});
process.on('disconnect', () => process.exit(0));

async function start(name: string, index: number): Promise<ServedCluster | undefined> {
  const cluster = (authority?: Authority) =>
    startSandboxCluster({
      name,
      clock: systemClock(),
      seed: index + 1,
      serviceCIDR: `10.${96 + index}.0.0/16`,
      caData: authority?.caData,
    });
  if (way === 'memory') {
    await cluster().ready();
    return undefined;
  }
  const authority = await createAuthority(name);
  const { sandbox, ready } = cluster(authority);
  const { url, caData } = await serveHttps(sandbox, { authority });
  const admin = await authority.issueClient({ user: 'kubernetes-admin', groups: ['system:masters'] });
  await ready();
  return { name, leads: index === 0, url, caData, admin };
}

function tell(message: ServerMessage): void {
  process.send?.(message);
}
