import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EndpointSlice, Namespace, ServiceImport } from '@isthmus/api';
import { systemClock } from '@isthmus/kube';
import { createSandbox, serveHttps } from '@isthmus/sandbox';
import type { HttpsSandbox, Sandbox } from '@isthmus/sandbox';
import { definitions } from '@isthmus/fleet-sim';
import { findBinaries, freePort, tokenKubeconfig } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startStory } from '../../../../scripts/pages/testing/story.ts';

const launcher = fileURLToPath(new URL('../../bin/isthmus.js', import.meta.url));
const coredns = findBinaries(process.env).coredns;
const zone = 'clusterset.local';
const token = 'of-the-test';

interface Running {
  readonly child: ChildProcess;
  readonly log: () => string;
}

describe('isthmus dns, as a process', () => {
  let folder: string;
  let sandbox: Sandbox;
  let server: HttpsSandbox;
  let dns: Running & { readonly port: number };
  const children: ChildProcess[] = [];

  const start = (program: string, args: readonly string[]): Running => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    children.push(child);
    return { child, log: () => text };
  };
  const until = async <T>(what: () => T | undefined | Promise<T | undefined>): Promise<T> => {
    for (;;) {
      const found = await what();
      if (found !== undefined) return found;
      await delay(50);
    }
  };
  const startDns = async (healthPort: number) => {
    const bind = ['--bind-address', '127.0.0.1:0', '--health-probe-bind-address', `127.0.0.1:${healthPort}`];
    const args = ['dns', '--kubeconfig', join(folder, 'kubeconfig'), ...bind, '--shutdown-delay', '1'];
    const running = start(process.execPath, [launcher, ...args]);
    const port = await until(() => {
      const line = running
        .log()
        .split('\n')
        .find((one) => one.includes('"running"'));
      return line === undefined ? undefined : (JSON.parse(line) as { readonly port: number }).port;
    });
    return { ...running, port };
  };
  const resolver = (port: number, address = '127.0.0.1') => {
    const one = new Resolver({ timeout: 5_000, tries: 4 });
    one.setServers([`${address}:${port}`]);
    return one;
  };
  const readiness = (port: number) =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status,
      () => undefined,
    );
  let healthPort: number;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'isthmus-dns-'));
    sandbox = createSandbox({
      name: 'east',
      clock: systemClock(),
      image: await definitions.ours(),
      tokens: { [token]: { username: 'test', groups: ['system:masters'] } },
    });
    sandbox.admin.put(Namespace, { metadata: { name: 'shop' } });
    putImports(sandbox);
    server = await serveHttps(sandbox);
    writeFileSync(join(folder, 'kubeconfig'), tokenKubeconfig(server, { token }));
    healthPort = await freePort();
    dns = await startDns(healthPort);
    await until(async () => ((await readiness(healthPort)) === 200 ? true : undefined));
  });
  afterAll(async () => {
    for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
    await server?.[Symbol.asyncDispose]();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  test('answers the resolver of Node, over UDP and, for long answers, over TCP', async () => {
    const ask = resolver(dns.port);
    expect(await ask.resolve4(`cart.shop.svc.${zone}`)).toEqual(['10.99.0.1']);
    expect(await ask.resolve6(`cart.shop.svc.${zone}`)).toEqual(['fd00:99::1']);
    expect(await ask.resolveSrv(`_http._tcp.cart.shop.svc.${zone}`)).toMatchObject([
      { name: `cart.shop.svc.${zone}`, port: 80, priority: 0, weight: 100 },
    ]);
    expect(await ask.resolve4(`db-0.west.db.shop.svc.${zone}`)).toEqual(['10.20.0.1']);
    expect(await ask.resolve4(`db.shop.svc.${zone}`)).toHaveLength(endpointsOfDb);
    expect(await ask.resolveSrv(`_sql._tcp.db.shop.svc.${zone}`)).toHaveLength(endpointsOfDb);
    await expect(ask.resolve4(`none.shop.svc.${zone}`)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(ask.resolveMx(`cart.shop.svc.${zone}`)).rejects.toMatchObject({ code: 'ENODATA' });
  });

  test.skipIf(!isInPath('dig'))('answers dig', async () => {
    const dig = async (...args: readonly string[]) => {
      const all = ['@127.0.0.1', '-p', `${dns.port}`, '+noall', '+comments', '+answer', '+authority', ...args];
      return (await promisify(execFile)('dig', all)).stdout;
    };
    expect(await dig('CART.shop.svc.ClusterSet.local')).toMatch(
      /status: NOERROR[^]*flags: qr aa rd;[^]*CART\.shop\.svc\.ClusterSet\.local\.\s+5\s+IN\s+A\s+10\.99\.0\.1/,
    );
    expect(await dig('+tcp', `cart.shop.svc.${zone}`, 'ANY')).toMatch(/HINFO\s+"RFC8482" ""/);
    expect(await dig(`none.shop.svc.${zone}`)).toMatch(
      /status: NXDOMAIN[^]*SOA\s+ns\.dns\.clusterset\.local\. hostmaster/,
    );
    expect(await dig('+ignore', '+bufsize=512', `db.shop.svc.${zone}`)).toMatch(/flags: qr aa tc rd;/);
    expect(await dig('+norecurse', 'kubernetes.default.svc.cluster.local')).toContain('status: REFUSED');
    expect(await dig('+edns=1', '+noednsnegotiation', `cart.shop.svc.${zone}`)).toContain('status: BADVERS');
    expect(await dig('+opcode=notify', `cart.shop.svc.${zone}`)).toContain('status: NOTIMP');
    expect(await dig(zone, 'AXFR')).toContain('Transfer failed');
  });

  describe.skipIf(!existsSync(coredns))('behind a real CoreDNS', () => {
    const guide = startStory(import.meta.url, 'docs/guides/dns.md');
    const startCoreDns = async (corefile: (port: number) => string) => {
      const port = await freePort();
      const path = join(folder, `Corefile-${port}`);
      writeFileSync(path, corefile(port));
      const running = start(coredns, ['-conf', path]);
      await until(() => {
        if (running.child.exitCode !== null) throw new Error(running.log());
        return running.log().includes('CoreDNS-') ? true : undefined;
      });
      return port;
    };
    /** With the addresses of this test. */
    const here = (text: string, port: number) =>
      text
        .replaceAll(/:53\b/g, `:${port}`)
        .replaceAll('DNS-SERVICE-IP', `127.0.0.1:${dns.port}`)
        .replaceAll('169.254.20.10', '127.0.0.1')
        .replaceAll('KUBE-DNS-IP', '127.0.0.2');
    /** The block for all other names, as it is beside the snippet. */
    const others = (port: number, listensAt = '') =>
      `.:${port} {\n    ${listensAt}\n    template ANY ANY . {\n        rcode NXDOMAIN\n    }\n}\n`;

    test.each([
      ['Forward from CoreDNS', 2, '', ['127.0.0.1']],
      // It listens at its own address, and at that of kube-dns, which Pods ask.
      ['Forward from NodeLocal DNSCache', 1, 'bind 127.0.0.1 127.0.0.2', ['127.0.0.1', '127.0.0.2']],
    ] as const)('%s: the snippet answers with our records at each address', async (heading, number, listensAt, at) => {
      const port = await guide.run(
        heading,
        (text) => startCoreDns((port) => others(port, listensAt) + here(text, port)),
        number,
      );
      for (const address of at)
        expect(await resolver(port, address).resolve4(`cart.shop.svc.${zone}`), address).toEqual(['10.99.0.1']);
      const ask = resolver(port);
      expect(await ask.resolve4(`cart.shop.svc.${zone}`, { ttl: true })).toEqual([{ address: '10.99.0.1', ttl: 5 }]);
      expect(await ask.resolve6(`cart.shop.svc.${zone}`)).toEqual(['fd00:99::1']);
      expect((await ask.resolve4(`db.shop.svc.${zone}`)).toSorted()).toEqual(addressesOfDb);
      expect(await ask.resolveSrv(`_sql._tcp.db.shop.svc.${zone}`)).toHaveLength(endpointsOfDb);
      await expect(ask.resolve4(`none.shop.svc.${zone}`)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    });

    test('its own option multicluster answers the same from the same objects', async () => {
      const kubeconfig = `kubernetes cluster.local ${zone} {\n    kubeconfig ${join(folder, 'kubeconfig')}`;
      const port = await guide.run(
        'Use the multicluster option of CoreDNS',
        (text) => startCoreDns((port) => here(text, port).replace(/kubernetes [^\n]*\{/, kubeconfig)),
        2,
      );
      const [ours, theirs] = [resolver(dns.port), resolver(port)];
      const all = async (ask: Resolver) => {
        const sorted = async (answers: Promise<readonly unknown[]>) =>
          answers.then(
            (found) => found.map((one) => JSON.stringify(one)).toSorted(),
            (error: NodeJS.ErrnoException) => error.code,
          );
        const names = [
          `cart.shop.svc.${zone}`,
          `db.shop.svc.${zone}`,
          `db-0.west.db.shop.svc.${zone}`,
          `none.shop.svc.${zone}`,
        ];
        const targets = async (name: string) =>
          (await ask.resolveSrv(name)).map(({ name, port }) => ({ name: name.toLowerCase(), port }));
        return Promise.all([
          ...names.map((name) => sorted(ask.resolve4(name))),
          ...names.slice(0, 3).map((name) => sorted(ask.resolve6(name))),
          sorted(targets(`_http._tcp.cart.shop.svc.${zone}`)),
          sorted(targets(`_sql._tcp.db.shop.svc.${zone}`)),
        ]);
      };
      await until(async () =>
        (await theirs.resolve4(`cart.shop.svc.${zone}`).catch(() => [])).length > 0 ? true : undefined,
      );
      expect(await all(theirs)).toEqual(await all(ours));
    });
  });

  test('learns of changes, answers without its API server from what it read last, and for a while after SIGTERM', async () => {
    const ask = resolver(dns.port);
    sandbox.admin.put(ServiceImport, importOf('late', { type: 'ClusterSetIP', ips: ['10.99.0.9'] }));
    expect(await until(() => ask.resolve4(`late.shop.svc.${zone}`).catch(() => undefined))).toEqual(['10.99.0.9']);
    await server[Symbol.asyncDispose]();
    await until(() => (dns.log().includes('the cache is disconnected') ? true : undefined));
    expect(await ask.resolve4(`late.shop.svc.${zone}`)).toEqual(['10.99.0.9']);
    expect(await readiness(healthPort)).toBe(200);
    const exited = new Promise<number | null>((resolve) => dns.child.once('exit', (code) => resolve(code)));
    dns.child.kill('SIGTERM');
    await until(async () => ((await readiness(healthPort)) === 500 ? true : undefined));
    expect(await ask.resolve4(`late.shop.svc.${zone}`)).toEqual(['10.99.0.9']);
    expect(await exited).toBe(0);
  });

  test('is not ready, and answers SERVFAIL, while the imports were never read', async () => {
    const port = await freePort();
    const unread = await startDns(port);
    expect(await readiness(port)).toBe(500);
    await expect(resolver(unread.port).resolve4(`cart.shop.svc.${zone}`)).rejects.toMatchObject({ code: 'ESERVFAIL' });
  });
});

const endpointsOfDb = 120;
const addressesOfDb = Array.from({ length: endpointsOfDb }, (_, index) => `10.20.0.${index + 1}`).toSorted();

function importOf(name: string, spec: object): ServiceImport {
  return {
    apiVersion: 'multicluster.x-k8s.io/v1alpha1',
    kind: 'ServiceImport',
    metadata: { name, namespace: 'shop' },
    spec: { ports: [{ name: 'http', port: 80, protocol: 'TCP' }], ...spec },
  } as unknown as ServiceImport;
}

function putImports({ admin }: Sandbox): void {
  admin.put(ServiceImport, importOf('cart', { type: 'ClusterSetIP', ips: ['10.99.0.1', 'fd00:99::1'] }));
  admin.put(ServiceImport, importOf('db', { type: 'Headless', ports: [{ name: 'sql', port: 5432, protocol: 'TCP' }] }));
  for (let slice = 0; slice < 2; slice++) {
    admin.put(EndpointSlice, {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: `db-west-${slice}`,
        namespace: 'shop',
        labels: {
          'multicluster.kubernetes.io/service-name': 'db',
          'multicluster.kubernetes.io/source-cluster': 'west',
        },
      },
      addressType: 'IPv4',
      endpoints: addressesInSlice(slice),
      ports: [{ name: 'sql', port: 5432, protocol: 'TCP' }],
    });
  }
}

/** Sixty each, and one that is not ready. */
function addressesInSlice(slice: number) {
  const ready = Array.from({ length: 60 }, (_, index) => ({
    addresses: [`10.20.0.${slice * 60 + index + 1}`],
    conditions: { ready: true },
    ...(slice === 0 && index === 0 && { hostname: 'db-0' }),
  }));
  return [...ready, { addresses: [`10.20.9.${slice + 1}`], conditions: { ready: false } }];
}

function isInPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, program)));
}
