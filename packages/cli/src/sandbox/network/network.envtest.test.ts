import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingForNodes, waitLimitMs } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SandboxProcess } from '../../testing/sandbox-process.ts';
import { startSandboxProcess } from '../../testing/sandbox-process.ts';

const launcher = fileURLToPath(new URL('../../../bin/isthmus.js', import.meta.url));
/** It only ends what hangs. */
const waiting = { timeout: waitLimitMs(), interval: 100 };

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe.skipIf(missingForNodes(process.env).length > 0)('a sandbox with a network', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-network-'));
  let sandbox: SandboxProcess;
  const machineBefore = networkOfMachine();

  const run = (program: string, args: readonly string[], input = '', env: Readonly<Record<string, string>> = {}) =>
    new Promise<Ran>((resolve) => {
      const child = execFile(program, args, { cwd: folder, env: { ...sandbox.env, ...env } }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      );
      child.stdin?.end(input);
    });
  const kubectl = (cluster: string, line: string, input?: string) =>
    run('kubectl', ['--context', cluster, '-n', 'shop', ...line.split(' ')], input);
  const exec = (pod: string, ...command: readonly string[]) =>
    run(process.execPath, [launcher, 'sandbox', 'exec', pod, '--', ...command]);
  const done = async (ran: Promise<Ran>) => {
    const result = await ran;
    expect(result).toMatchObject({ code: 0 });
    return result.stdout;
  };

  beforeAll(async () => {
    sandbox = await startSandboxProcess(folder, ['--network']);
    for (const cluster of ['east', 'west']) {
      await done(kubectl(cluster, 'create namespace shop'));
      await done(kubectl(cluster, 'run client --image=client --command -- sleep infinity'));
    }
    await done(kubectl('west', 'create deployment cart --image=cart --replicas=2 --port=8080'));
    await done(kubectl('west', 'expose deployment cart --port=80 --target-port=8080'));
    const exported = { apiVersion: 'multicluster.x-k8s.io/v1beta1', kind: 'ServiceExport', metadata: { name: 'cart' } };
    await done(kubectl('west', 'apply -f -', JSON.stringify(exported)));
    for (const cluster of ['east', 'west'])
      await done(kubectl(cluster, 'wait pod/client --for=condition=Ready --timeout=300s'));
    await done(kubectl('west', 'wait deployment/cart --for=condition=Available --timeout=300s'));
    await done(kubectl('west', 'wait serviceexport/cart --for=condition=Ready --timeout=300s'));
  });
  afterAll(() => {
    sandbox?.[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const addressOf = (cluster: string, kind: string, path: string) =>
    done(kubectl(cluster, `get ${kind} -o jsonpath={${path}}`));
  const callers = async (pod: string, url: string) => {
    // In one program: each takes as long to start as all of the calls.
    const loop = 'for call in 1 2 3 4 5 6 7 8 9 10 11 12; do curl -sS -m 20 "$1" | head -2 | tr "\\n" " "; echo; done';
    const answers = (await done(exec(pod, 'sh', '-c', loop, 'sh', url))).trim().split('\n');
    expect(answers.length).toBe(12);
    return new Set(answers.map((answer) => answer.trim()));
  };

  test('carries packets between Pods, of one cluster and of two, under their own addresses', async () => {
    const east = await addressOf('east', 'pod/client', '.status.podIP');
    const pods = (await addressOf('west', 'pods -l app=cart', '.items[*].status.podIP')).split(' ');
    expect(pods.length).toBe(2);
    for (const address of pods) {
      const answer = await done(exec('east/shop/client', 'curl', '-sS', '-m', '20', `http://${address}:8080/hello`));
      expect(answer).toMatch(new RegExp(`^west/shop/cart-[^\\n]+\\nclient ${east}\\nGET /hello\\n$`));
      await done(exec('west/shop/client', 'curl', '-sS', '-m', '20', `http://${address}:8080/`));
    }
  });

  test('leads the ClusterIP of a Service, and of its import in another cluster, to all of its Pods', async () => {
    const own = await addressOf('west', 'service/cart', '.spec.clusterIP');
    const imported = await vi.waitFor(async () => {
      const ip = await addressOf('east', 'service/antrea-mc-cart', '.spec.clusterIP');
      await done(exec('east/shop/client', 'curl', '-sS', '-m', '1', `http://${ip}/`));
      return ip;
    }, waiting);
    expect((await callers('west/shop/client', `http://${own}/`)).size).toBe(2);
    const seen = await callers('east/shop/client', `http://${imported}/`);
    expect(seen.size).toBe(2);
    for (const one of seen) expect(one).toMatch(/^west\/shop\/cart-/);
  });

  test('resolves the names of own and of imported Services in Pods', async () => {
    const address = async (pod: string, name: string) => {
      const { stdout } = await exec(pod, 'getent', 'ahostsv4', name);
      return stdout.split(/\s/)[0];
    };
    const own = await addressOf('west', 'service/cart', '.spec.clusterIP');
    for (const name of ['cart', 'cart.shop', 'cart.shop.svc', 'cart.shop.svc.cluster.local'])
      expect(await address('west/shop/client', name)).toBe(own);
    for (const cluster of ['east', 'west']) {
      const imported = await addressOf(cluster, 'service/antrea-mc-cart', '.spec.clusterIP');
      await vi.waitFor(
        async () => expect(await address(`${cluster}/shop/client`, 'cart.shop.svc.clusterset.local')).toBe(imported),
        waiting,
      );
    }
    const url = 'http://cart.shop.svc.clusterset.local/';
    expect(await done(exec('east/shop/client', 'curl', '-sS', '-m', '20', url))).toMatch(/^west\/shop\/cart-/);
    expect(await address('east/shop/client', 'cart')).toBe('');
    expect((await exec('east/shop/client', 'getent', 'hosts', 'example.com')).code).not.toBe(0);
    expect(await done(exec('east/shop/client', 'cat', '/etc/resolv.conf'))).toContain('search shop.svc.cluster.local');
  });

  test('runs programs in Pods for kubectl, with input, output and their codes', async () => {
    expect(await kubectl('east', 'exec -i client -- cat', 'input')).toMatchObject({ code: 0, stdout: 'input' });
    const failing = ['sh', '-c', 'hostname; echo no >&2; exit 7'];
    expect(await exec('east/shop/client', ...failing)).toEqual({ code: 7, stdout: 'client\n', stderr: 'no\n' });
    const missing = await exec('east/shop/nobody', 'true');
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('pods "nobody" not found') as string });
  });

  test('runs them for clients of SPDY, too', async () => {
    const spdy = (args: readonly string[], input?: string) =>
      run('kubectl', ['--context', 'east', '-n', 'shop', 'exec', ...args], input, {
        KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false',
      });
    expect(await spdy(['-i', 'client', '--', 'cat'], 'input')).toEqual({ code: 0, stdout: 'input', stderr: '' });
    expect(await spdy(['client', '--', 'sh', '-c', 'echo yes; echo no >&2; exit 7'])).toEqual({
      code: 7,
      stdout: 'yes\n',
      stderr: 'no\ncommand terminated with exit code 7\n',
    });
  });

  test('keeps what containers write, and starts those again that end', async () => {
    await done(kubectl('east', 'run counts --image=x --command -- sh -c echo${IFS}ran;sleep${IFS}0.2;exit${IFS}3'));
    await vi.waitFor(
      async () => expect(await kubectl('east', 'logs counts --previous')).toMatchObject({ stdout: 'ran\n' }),
      waiting,
    );
    const status = await addressOf('east', 'pod/counts', '.status.containerStatuses[0]');
    expect((JSON.parse(status) as { readonly restartCount: number }).restartCount).toBeGreaterThan(0);
    await done(kubectl('east', 'run once --image=x --restart=Never --command -- echo done'));
    await done(kubectl('east', 'wait pod/once --for=jsonpath={.status.phase}=Succeeded --timeout=300s'));
    expect(await done(kubectl('east', 'logs once'))).toBe('done\n');
    expect(
      await addressOf('east', 'pod/once', '.status.conditions[?(@.type=="sandbox.isthmus.dev/Simulated")].reason'),
    ).toBe('ProcessesOfTheHost');
    await done(kubectl('east', 'delete pod counts once'));
  });

  test('leaves nothing after kill -9: no process, no network', async () => {
    const inside = descendantsOf(sandbox.pid);
    const networks = new Set(inside.flatMap((pid) => networkOf(pid)));
    networks.delete(readlinkSync('/proc/self/ns/net'));
    expect(networks.size).toBeGreaterThan(5);
    sandbox[Symbol.dispose]();
    await vi.waitFor(() => {
      expect(inside.filter((pid) => existsSync(`/proc/${pid}/exe`) && isAlive(pid))).toEqual([]);
      const left = allProcesses().filter((pid) => networkOf(pid).some((one) => networks.has(one)));
      expect(left).toEqual([]);
    }, waiting);
    expect(networkOfMachine()).toEqual(machineBefore);
  });
});

/** What a sandbox must not change: settings, devices and named networks of the machine itself. */
function networkOfMachine() {
  const read = (path: string) => readFileSync(path, 'utf8').trim();
  return {
    forwarding: read('/proc/sys/net/ipv4/ip_forward'),
    filter: read('/proc/sys/net/ipv4/conf/all/rp_filter'),
    devices: readdirSync('/sys/class/net').toSorted(),
    networks: existsSync('/run/netns') ? readdirSync('/run/netns').toSorted() : [],
  };
}

function allProcesses(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function descendantsOf(pid: number): readonly number[] {
  const children = allProcesses().filter((one) => statOf(one)?.[1] === String(pid));
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** State and parent, of a process that may end meanwhile. */
function statOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  return !['Z', 'X', undefined].includes(statOf(pid)?.[0]);
}

function networkOf(pid: number): readonly string[] {
  try {
    return [readlinkSync(`/proc/${pid}/ns/net`)];
  } catch {
    return [];
  }
}
