import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { readlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { laterNftFolder } from '@isthmus/dataplane';
import { parseYaml } from '@isthmus/machinery';
import { createAuthority } from '@isthmus/sandbox';
import { startRegistry } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startStory, typeBlock } from '../../pages/testing/story.ts';
import { builtRelease, printedBuild } from '../testing/built-release.ts';
import { linkCheckout } from '../testing/link-checkout.ts';
import { containerConfig } from './controller-image.ts';
import { readLinked } from './elf.ts';
import { readTar } from './tar.ts';
import type { TarEntry } from './tar.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
const name = `docker.io/isthmus/controller:${version}`;
const architectures = ['amd64', 'arm64'] as const;
let home: string;
/** The release that the tests of one run share. */
let one: string;

interface Descriptor {
  readonly digest: string;
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(program: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd: home, maxBuffer: 2 ** 28 }, (error, out, err) =>
      resolve({ code: child.exitCode ?? 255, out, err: child.exitCode === null ? `${error?.message}${err}` : err }),
    );
  });
}

async function must(program: string, args: readonly string[]): Promise<string> {
  const { code, out, err } = await run(program, args);
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  return out;
}

function inPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * The reason for which tests with these programs are skipped, and counted as such; undefined: they
 * run.
 */
function reasonToSkip(programs: readonly string[], needsRoot = true): string | undefined {
  const missing = programs.filter((one) => !inPath(one));
  if (missing.length > 0) return `${missing.join(', ')} not in PATH`;
  return needsRoot && process.getuid?.() !== 0 ? 'not run as root' : undefined;
}

const cannotBuild = reasonToSkip(['apt-get', 'dpkg-deb'], false);
const cannotRun = cannotBuild ?? reasonToSkip(['containerd', 'ctr', 'runc']);
const cannotUseBuildah = cannotBuild ?? reasonToSkip(['buildah']);
const cannotCopy = cannotBuild ?? reasonToSkip(['skopeo'], false);
for (const reason of new Set([cannotBuild, cannotRun, cannotUseBuildah, cannotCopy]))
  if (reason !== undefined) console.log(`tests of the image are skipped: ${reason}`);

describe.skipIf(cannotBuild !== undefined)('the image of the controllers', () => {
  const page = startStory(import.meta.url, 'docs/release.md');
  /** A folder that looks like a checkout, with a signed release. */
  let checkout: string;
  /** The output of the commands that sign and verify it. */
  let signed: string;
  const typeInCheckout = (block: string, more: Readonly<Record<string, string>> = {}) => {
    const env = { ...process.env, PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`, ...more };
    return typeBlock(block, { cwd: checkout, env });
  };
  let digest: string;
  let agentDigest: string;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'isthmus-image-'));
    checkout = join(home, 'checkout');
    one = await page.run('Build a release', (block) => {
      expect(block).toBe(printedBuild());
      return builtRelease(home);
    });
    linkCheckout(checkout);
    const bin = join(home, 'bin');
    mkdirSync(bin);
    const program = join(one, 'package/isthmus.mjs');
    writeFileSync(join(bin, 'isthmus'), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`, { mode: 0o755 });
    signed = await page.run('Sign and verify', (block) => typeInCheckout(block));
    digest = /^image (sha256:\S+)$/m.exec(signed)?.[1] ?? '';
    agentDigest = /^image of the agent (sha256:\w+),/m.exec(signed)?.[1] ?? '';
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** The files of an image, in all its layers. */
  const filesOf = (architecture: string): readonly TarEntry[] =>
    [`system-${architecture}`, 'program'].flatMap((layer) =>
      readTar(gunzipSync(readFileSync(join(one, 'image', `${layer}.tar.gz`)))),
    );

  /** The files that the image of the agent has besides. */
  const toolsOf = (architecture: string): readonly TarEntry[] =>
    readTar(gunzipSync(readFileSync(join(one, 'image', `tools-${architecture}.tar.gz`))));

  const folderOf = (build: 'one' | 'two') => (build === 'one' ? one : join(checkout, 'dist'));
  const inRelease = (build: 'one' | 'two', path: string) => readFileSync(join(folderOf(build), path), 'utf8');

  it('is built with the other files of a release into the same bytes, whatever the key of the signature; the checksums are true', async () => {
    const sums = (build: 'one' | 'two') => inRelease(build, 'SHA256SUMS').trimEnd().split('\n');
    const withoutBundle = (lines: readonly string[]) => lines.filter((line) => !line.endsWith('  bundle.yaml'));
    expect(withoutBundle(sums('two'))).toEqual(withoutBundle(sums('one')));
    const [unsigned, ownSignature] = inRelease('two', 'bundle.yaml').split(/^(?=signature:)/m);
    expect(unsigned).toBe(inRelease('one', 'bundle.yaml'));
    expect(ownSignature).toContain('algorithm: ecdsa-p256-sha256');
    const bills = ['controller', 'agent'].flatMap((image) =>
      architectures.map((one) => `isthmus-${image}-${version}-${one}.spdx.json`),
    );
    const files = [
      'isthmus-VERSION.tgz',
      'isthmus-controller-VERSION.oci.tar',
      'isthmus-agent-VERSION.oci.tar',
      'charts/isthmus-VERSION.tgz',
      'bundle.yaml',
    ];
    expect(sums('one').map((line) => line.split('  ')[1])).toEqual(
      expect.arrayContaining([
        ...bills,
        ...files.map((file) => file.replace('VERSION', version)),
        'manifests/leader.yaml',
        'manifests/antrea-multicluster-member.yml',
      ]),
    );
    for (const build of ['one', 'two'] as const)
      await must('sh', ['-c', `cd ${folderOf(build)} && sha256sum --check --strict --quiet SHA256SUMS`]);
    expect(signed).toContain('\nVerified OK\n');
    const verify = ['dgst', '-sha256', '-verify', join(checkout, 'release.pub.pem')];
    const signature = ['-signature', join(checkout, 'dist/SHA256SUMS.sig')];
    expect((await run('openssl', [...verify, ...signature, join(checkout, 'dist/bundle.yaml')])).code).toBe(1);
  });

  it('is in the manifests of the release by tag and digest, and in its bundle, which the command accepts', async () => {
    for (const file of ['leader', 'member', 'leader-namespaced'])
      expect(inRelease('one', `manifests/${file}.yaml`)).toContain(`image: isthmus/controller:${version}@${digest}\n`);
    expect(inRelease('one', 'manifests/agent.yaml')).toContain(`image: isthmus/agent:${version}@${agentDigest}\n`);
    expect(signed.slice(signed.indexOf('Verified OK'))).toContain('No findings.');
    const program = join(one, 'package/isthmus.mjs');
    const lint = [program, 'upgrade', 'bundle', 'lint', join(checkout, 'dist/bundle.yaml')];
    expect(await must(process.execPath, lint)).toContain('No findings.');
    const resolved = parseYaml(inRelease('one', 'bundle.yaml'), { source: 'bundle.yaml' });
    expect(JSON.stringify(resolved[0]?.value)).toContain(`"uri":"isthmus/controller:${version}","digest":"${digest}"`);
  });

  it.skipIf(!inPath('make'))('is what `make antrea-mc-controller` builds', async () => {
    const out = await must('make', ['--dry-run', '--no-print-directory', '-C', root, 'antrea-mc-controller']);
    expect(out.split('\n').slice(0, 2)).toEqual(['npm ci', 'npm run build']);
  });

  it('can follow an earlier release, by the rules for releases', async () => {
    const patched = inRelease('one', 'bundle.yaml')
      .replaceAll(`v${version}`, 'v0.0.9')
      .replace(/number: \d+/, 'number: 1');
    const previous = join(home, 'previous');
    cpSync(join(one, 'manifests'), join(previous, 'manifests'), { recursive: true });
    writeFileSync(join(previous, 'unsigned.yaml'), patched);
    await typeInCheckout(
      'isthmus upgrade bundle sign ../previous/unsigned.yaml --key release.pem > ../previous/bundle.yaml',
    );
    expect(await page.run('Check a release', (block) => typeInCheckout(block))).toContain('No findings.');
  });

  it.each(architectures)('has for %s all libraries that its files are linked with, and no shell', (architecture) => {
    const entries = filesOf(architecture);
    const paths = entries.map(({ path }) => `/${path}`);
    const linked = entries.flatMap((one) => (one.kind === 'file' ? (readLinked(Buffer.from(one.data)) ?? []) : []));
    const libraries = new Set(linked.flatMap((one) => one.libraries));
    expect(libraries.size).toBeGreaterThan(5);
    for (const library of libraries)
      expect(
        paths.some((path) => /^\/(?:usr\/)?lib\//.test(path) && path.endsWith(`/${library}`)),
        library,
      ).toBe(true);
    for (const { interpreter } of linked) if (interpreter !== undefined) expect(paths).toContain(interpreter);
    expect(paths.filter((path) => /\/s?bin\//.test(path)).toSorted()).toEqual(['/usr/bin/isthmus', '/usr/bin/node']);
  });

  it.each(architectures)(
    'of the agent has for %s its tools besides, with all their libraries, and lists their packages',
    (architecture) => {
      const all = [...filesOf(architecture), ...toolsOf(architecture)];
      const names = new Set(all.map(({ path }) => path.replace(/^.*\//, '')));
      const linked = toolsOf(architecture).flatMap((one) =>
        one.kind === 'file' ? (readLinked(Buffer.from(one.data))?.libraries ?? []) : [],
      );
      expect(linked).toEqual(expect.arrayContaining(['libnftables.so.1', 'libmnl.so.0']));
      expect(linked.filter((library) => !names.has(library))).toEqual([]);
      const later = toolsOf(architecture).filter(({ path }) => `/${path}`.startsWith(`${laterNftFolder}/`));
      expect(later.map(({ path }) => basename(path))).toEqual(expect.arrayContaining(['nft', 'ld.so', 'libc.so.6']));
      const programs = toolsOf(architecture).flatMap(({ path }) => /^usr\/s?bin\/(.+)$/.exec(path)?.[1] ?? []);
      expect(programs.toSorted()).toEqual(['bridge', 'conntrack', 'ip', 'nft', 'wg', 'wireguard-go']);
      const bill = inRelease('one', `isthmus-agent-${version}-${architecture}.spdx.json`);
      const documented = all.flatMap(({ path }) => /^usr\/share\/doc\/(.+)\/copyright$/.exec(path)?.[1] ?? []);
      expect(documented).toEqual(
        expect.arrayContaining(['nftables', 'iproute2', 'libc6', 'conntrack', 'wireguard-tools', 'wireguard-go']),
      );
      for (const name of documented) expect(bill).toContain(`"name": "${name.replace('-debian13', '')}"`);
    },
  );

  it.each(architectures)(
    'has for %s no file with another user, or that another user than root can change, but the folder /tmp',
    (architecture) => {
      const writable = [...filesOf(architecture), ...toolsOf(architecture)].flatMap((entry) =>
        entry.kind !== 'link' && (entry.mode & 0o7022) !== 0 ? [`${entry.path} ${entry.mode.toString(8)}`] : [],
      );
      expect(writable).toEqual(['tmp 1777']);
    },
  );

  it('has bills of materials with the time of its bundle, which is that of the commit', () => {
    const [, time] = /^ +createdAt: '?([^'\n]+)/m.exec(inRelease('one', 'bundle.yaml')) ?? [];
    expect(time).toMatch(/^2\d{3}-/);
    for (const image of ['controller', 'agent'])
      for (const architecture of architectures) {
        const bill: unknown = JSON.parse(inRelease('one', `isthmus-${image}-${version}-${architecture}.spdx.json`));
        expect(bill).toMatchObject({ creationInfo: { created: time } });
      }
  });

  it.each(architectures)('lists for %s each package of which it has a copyright file', (architecture) => {
    const bill = JSON.parse(
      readFileSync(join(one, `isthmus-controller-${version}-${architecture}.spdx.json`), 'utf8'),
    ) as { readonly packages: readonly { readonly name: string }[] };
    const listed = bill.packages.map((one) => one.name);
    const debian = filesOf(architecture).flatMap(
      ({ path }) => /^usr\/share\/doc\/(.+)\/copyright$/.exec(path)?.[1] ?? [],
    );
    expect(debian).toContain('libgcc-s1');
    expect(listed).toEqual(expect.arrayContaining([...debian, 'node', 'isthmus', 'commander', 'yaml']));
  });

  describe.skipIf(cannotRun !== undefined)('imported into containerd', () => {
    let daemon: ChildProcess | undefined;
    let ended: Promise<void> | undefined;
    let ctr: (...args: readonly string[]) => Promise<Ended>;
    const cgroup = `isthmus-image-${process.pid}`;
    beforeAll(async () => {
      const folder = mkdtempSync(join(home, 'containerd-'));
      const socket = join(folder, 'containerd.sock');
      writeFileSync(
        join(folder, 'config.toml'),
        `version = 2
root = "${folder}/root"
state = "${folder}/state"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
  address = "${socket}"
[ttrpc]
  address = "${socket}.ttrpc"
[debug]
  level = "warn"
`,
      );
      const started = spawn('containerd', ['--config', join(folder, 'config.toml')], { stdio: 'ignore' });
      daemon = started;
      ended = new Promise<void>((resolve) => started.once('exit', () => resolve()));
      ctr = (...args) => run('ctr', ['--address', socket, '--namespace', 'k8s.io', ...args]);
      await vi.waitFor(async () => expect(started.exitCode !== null || (await ctr('version')).code === 0).toBe(true), {
        timeout: 300_000,
      });
      await page.run('The image', (block) =>
        typeInCheckout(block, { CONTAINERD_ADDRESS: socket, CONTAINERD_SNAPSHOTTER: 'native' }),
      );
    });
    // Also where the preparation has failed.
    afterAll(async () => {
      daemon?.kill('SIGTERM');
      await ended;
      removeCgroups(cgroup);
    });

    /**
     * Runs a command in a container whose root file system is read-only, as in the Pods of the
     * manifests.
     */
    const inContainer = (id: string, ...command: readonly string[]) =>
      ctr('run', '--rm', '--snapshotter', 'native', '--read-only', '--cgroup', `${cgroup}/${id}`, name, id, ...command);

    it('has the name that the manifests have, and the digest that the build has printed', async () => {
      const { out } = await ctr('images', 'list');
      expect(out).toMatch(new RegExp(`^${name} .* ${digest} `, 'm'));
      // By which a kubelet asks for the image of a release's manifest.
      expect(out).toMatch(new RegExp(`^${name.replace(/:.*/, '')}@${digest} .* ${digest} `, 'm'));
    });

    it('runs the command that the manifests have, on the Node that is pinned', async () => {
      expect((await inContainer('version', 'isthmus', 'version')).out).toContain(`isthmus ${version} `);
      const { out } = await inContainer('node', 'node', '--print', 'process.version');
      expect(out.trim()).toBe(process.version);
    });

    it('runs as a user without rights, and writes nothing', async () => {
      const write = `try { require('fs').writeFileSync('/tmp/a', '') } catch ({ code }) { failure = code }`;
      const code = `let failure; ${write}; [process.getuid(), process.getgid(), failure]`;
      const { out } = await inContainer('user', 'node', '--print', code);
      expect(out.trim()).toBe(`[ 65532, 65532, 'EROFS' ]`);
    });

    it('has certificates that Node can read', async () => {
      const count = `require('tls').getCACertificates('system').length`;
      const { out } = await inContainer('certificates', 'node', '--print', count);
      expect(Number(out)).toBeGreaterThan(100);
    });

    const agentName = name.replace('controller', 'agent');
    const importAgent = async () => {
      const archive = join(one, `isthmus-agent-${version}.oci.tar`);
      expect((await ctr('images', 'import', '--snapshotter', 'native', archive)).err).toBe('');
    };

    it('of the agent runs each of its programs', async () => {
      await importAgent();
      const container = ['run', '--rm', '--snapshotter', 'native', '--read-only'];
      const inAgent = (id: string, ...command: readonly string[]) =>
        ctr(...container, '--cgroup', `${cgroup}/${id}`, agentName, id, ...command);
      const versions = [
        ['ip', '-V', 'iproute2'],
        ['bridge', '-V', 'bridge utility'],
        ['nft', '--version', 'nftables v'],
        ['conntrack', '--version', 'conntrack v'],
        ['wg', '--version', 'wireguard-tools v'],
        ['wireguard-go', '--version', 'wireguard-go v'],
      ] as const;
      for (const [program, flag, said] of versions) {
        const { out, err } = await inAgent(program, program, flag);
        expect(out + err).toContain(said);
      }
    });

    /** Runs commands in the image of the agent, in a network of their own. */
    const agentInNetwork = async () => {
      await importAgent();
      const network = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
      onTestFinished(() => void network.kill());
      // Until it is in its own.
      await vi.waitFor(async () => {
        const [own, its] = await Promise.all(['self', network.pid].map((id) => readlink(`/proc/${id}/ns/net`)));
        expect(its).not.toBe(own);
      }, 300_000);
      const namespace = `network:/proc/${network.pid}/ns/net`;
      const container = [
        'run',
        '--rm',
        '--snapshotter',
        'native',
        '--cap-add',
        'CAP_NET_ADMIN',
        '--with-ns',
        namespace,
      ];
      return (id: string, ...command: readonly string[]) =>
        ctr(...container, '--read-only', '--cgroup', `${cgroup}/${id}`, agentName, id, ...command);
    };

    it('of the agent has an nft that can be kept open, and answers when a transaction is done', async () => {
      const onNode = await agentInNetwork();
      const lines =
        'mark\nadd table inet held; add chain inet held one\nadd rule inet held none drop\nmark\nlist table inet held\n';
      const script = `const { stdout, stderr, status } = require('node:child_process').spawnSync('nft', ['-i'], { input: ${JSON.stringify(lines)}, encoding: 'utf8' });
        console.log(JSON.stringify({ stdout, stderr, status }));`;
      const { out } = await onNode('held', 'node', '-e', script);
      const { stdout, stderr, status } = JSON.parse(out);
      expect(status).toBe(0);
      expect(stdout).toContain('chain one {');
      expect(stderr).toMatch(/\nmark\n\^+\nError: No such file or directory[^]*\nError: syntax error[^]*\nmark\n\^+\n/);
    });

    it('of the agent has a later nft for Nodes where that has written sets, on which the other crashes', async () => {
      const onNode = await agentInNetwork();
      const later = [`${laterNftFolder}/ld.so`, '--library-path', laterNftFolder, `${laterNftFolder}/nft`];
      const rules = 'add table inet other; add set inet other clients { type ipv4_addr; }; add table inet isthmus';
      expect(await onNode('later', ...later, rules)).toMatchObject({ code: 0, err: '' });
      expect((await onNode('earlier', 'nft', 'list', 'ruleset')).code).not.toBe(0);
      const { code, out, err } = await onNode('cleanup', 'isthmus', 'agent', 'cleanup');
      expect({ code, out, err }).toMatchObject({ code: 0, out: expect.stringContaining('is removed') });
      expect((await onNode('left', ...later, 'list tables')).out.trim()).toBe('table inet other');
    });

    it('has no shell', async () => {
      const { code, err } = await inContainer('shell', '/bin/sh', '-c', 'true');
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('/bin/sh: no such file or directory') });
    });

    it('reports a wrong configuration as the command does elsewhere', async () => {
      const { code, err } = await inContainer('wrong', 'isthmus', 'controller', 'leader', '--config=/none.yaml');
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('cannot read /none.yaml') });
    });
  });

  it.skipIf(cannotCopy !== undefined)(
    'is copied to a registry for all architectures, as docs/release.md does',
    async (context) => {
      const authority = await createAuthority('registry-test');
      const serving = await authority.issueServing('registry', ['127.0.0.1', 'registry.example.com']);
      const started = await startRegistry({ serving, caData: authority.caData });
      if (started === undefined) return context.skip('the registry is not there: npm run envtest:install');
      await using registry = started;
      writeFileSync(join(home, 'registry-ca.pem'), authority.caData);
      await using proxy = await startProxyTo(registry.host);
      const env = { HTTPS_PROXY: proxy.url, SSL_CERT_FILE: join(home, 'registry-ca.pem') };
      await page.run('The image', (block) => typeInCheckout(block, env), 2);
      const copied = [
        'inspect',
        '--tls-verify=false',
        '--raw',
        `docker://${registry.host}/isthmus/controller:${version}`,
      ];
      const copy = await must('skopeo', copied);
      expect(`sha256:${createHash('sha256').update(copy).digest('hex')}`).toBe(digest);
      const { manifests } = JSON.parse(copy) as {
        readonly manifests: readonly { readonly platform: { readonly architecture: string } }[];
      };
      expect(manifests.map(({ platform }) => platform.architecture).toSorted()).toEqual(architectures.toSorted());
      await page.run('The image', (block) => typeInCheckout(block), 3);
      const name = `registry.example.com/isthmus/controller:${version}@${digest}`;
      expect(readFileSync(join(checkout, 'member.yaml'), 'utf8')).toContain(`          image: ${name}\n`);
    },
  );

  describe.skipIf(cannotUseBuildah !== undefined)('built by its Dockerfile with Buildah', () => {
    it.each(architectures)('has for %s the same files and starts in the same way', async (architecture) => {
      const storage = mkdtempSync(join(home, 'buildah-'));
      onTestFinished(() => rmSync(storage, { recursive: true, force: true }));
      const root = ['--root', join(storage, 'root'), '--runroot', join(storage, 'run'), '--storage-driver', 'vfs'];
      const buildah = (...args: readonly string[]) => must('buildah', [...root, ...args]);
      const tag = `localhost/isthmus/controller:${version}`;
      if (architecture === (process.arch === 'arm64' ? 'arm64' : 'amd64')) {
        const configuration = join(storage, 'storage.conf');
        const [graphroot, runroot] = [join(storage, 'root'), join(storage, 'run')];
        writeFileSync(configuration, `[storage]\ndriver = "vfs"\ngraphroot = "${graphroot}"\nrunroot = "${runroot}"\n`);
        const env = { CONTAINERS_STORAGE_CONF: configuration, BUILDAH_ISOLATION: 'chroot' };
        await page.run('The image', (block) => typeInCheckout(block, env), 4);
      } else {
        const platform = ['--platform', `linux/${architecture}`];
        await buildah('build', '--isolation', 'chroot', ...platform, '--tag', tag, join(one, 'image'));
      }
      await buildah('push', tag, `oci:${join(storage, 'layout')}:x`);
      const blob = (digest: string) => readFileSync(join(storage, 'layout/blobs', digest.replace(':', '/')));
      const index = JSON.parse(readFileSync(join(storage, 'layout/index.json'), 'utf8')) as {
        readonly manifests: readonly [Descriptor];
      };
      const manifest = JSON.parse(blob(index.manifests[0].digest).toString()) as {
        readonly config: Descriptor;
        readonly layers: readonly Descriptor[];
      };
      expect(JSON.parse(blob(manifest.config.digest).toString())).toMatchObject({
        architecture,
        config: containerConfig,
      });
      const layers = manifest.layers.flatMap((one) => readTar(gunzipSync(blob(one.digest))));
      expect(byPath(layers)).toEqual(byPath(filesOf(architecture)));
    });
  });
});

/** A proxy that connects its clients with this host, whichever they name. */
async function startProxyTo(host: string): Promise<AsyncDisposable & { readonly url: string }> {
  const [address, port] = host.split(':');
  const server = createServer().on('connect', (_request, client: Socket) => {
    const registry = connect(Number(port), address, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(registry).pipe(client);
    });
    for (const end of [client, registry])
      end.on('error', () => {
        client.destroy();
        registry.destroy();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}

/** Entries by their paths: those of an upper layer replace those below. */
const byPath = (entries: readonly TarEntry[]) =>
  Object.fromEntries(
    entries
      .filter(({ path }) => path !== '')
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map((one) => [one.path, one.kind === 'file' ? { ...one, data: hashOf(one.data) } : one]),
  );

const hashOf = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');

/** runc removes the cgroup of a container, and leaves the one above. */
function removeCgroups(name: string): void {
  for (const hierarchy of readdirSync('/sys/fs/cgroup')) {
    try {
      rmdirSync(join('/sys/fs/cgroup', hierarchy, name));
    } catch {
      // It has none.
    }
  }
}
