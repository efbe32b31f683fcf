import { generateKeyPairSync } from 'node:crypto';
import { bundleDigest, componentBundle, readFile } from '@isthmus/upgrade';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../run-cli.ts';
import { madeUpIo } from '../../testing/made-up-io.ts';
import { nodeCrypto } from '../../world/node-crypto.ts';
import { aBundle } from './testing/a-bundle.ts';

const pair = () =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
const ours = pair();
const theirs = pair();
const keys = { 'key.pem': ours.privateKey, 'pub.pem': ours.publicKey, 'their.pub.pem': theirs.publicKey };

async function bundle(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const io = madeUpIo({ files: { ...keys, ...files } });
  return { exit: await runCli(io, ['upgrade', 'bundle', ...args]), out: io.out, err: io.err };
}

async function signed(text = aBundle()): Promise<string> {
  return (await bundle({ 'b.yaml': text }, 'sign', 'b.yaml', '--key', 'key.pem')).out;
}

describe('isthmus upgrade bundle sign', () => {
  it('changes nothing but the signature, and names the key on standard error', async () => {
    const { exit, out, err } = await bundle({ 'b.yaml': aBundle() }, 'sign', 'b.yaml', '--key', 'key.pem');
    const keyID = nodeCrypto.keyID(ours.publicKey);
    expect(exit).toBe(0);
    expect(out.startsWith(`${aBundle()}signature:\n  algorithm: ecdsa-p256-sha256\n  keyID: ${keyID}\n  value: `)).toBe(
      true,
    );
    expect(err).toBe(`signed with the key ${keyID}\n`);
  });

  it('takes the place of an older signature', async () => {
    const again = await signed(await signed());
    expect(again.match(/^signature:/gm)).toHaveLength(1);
    expect((await bundle({ 's.yaml': again }, 'verify', 's.yaml', '--public-key', 'pub.pem')).exit).toBe(0);
  });

  it('reports that comments go where the file is in JSON', async () => {
    const read = readFile(componentBundle, aBundle(), 'b');
    const json = JSON.stringify(read.kind === 'read' ? read.written.json : {});
    const { out, err } = await bundle({ 'b.json': json }, 'sign', 'b.json', '--key', 'key.pem');
    expect(err).toContain('; printed again from its data, without comments');
    expect((await bundle({ 's.json': out }, 'verify', 's.json', '--public-key', 'pub.pem')).exit).toBe(0);
  });

  it.each([
    ['no key', [], 'error: signing needs a private key; name its file with --key\n'],
    [
      'the public half',
      ['--key', 'pub.pem'],
      'error: pub.pem holds a PEM of PUBLIC KEY; it must contain a private key in PKCS#8\n',
    ],
    ['no file', ['--key', 'x.pem'], 'error: cannot read x.pem: no such file\n'],
  ])('ends with 1 for %s', async (_what, args, message) => {
    expect(await bundle({ 'b.yaml': aBundle() }, 'sign', 'b.yaml', ...args)).toEqual({
      exit: 1,
      out: '',
      err: message,
    });
  });
});

describe('a bundle with half of a surrogate pair', () => {
  it('cannot be signed, and is named', async () => {
    const odd = aBundle().replace('a34c207}', 'a34c207}\n      notes: "\\ud800"');
    const { exit, err } = await bundle({ 'b.yaml': odd }, 'sign', 'b.yaml', '--key', 'key.pem');
    expect(exit).toBe(1);
    expect(err).toBe(
      'error: b.yaml: spec.components[0].notes: half of a surrogate pair, which has no canonical form (RFC 8785 §3.2.2.2)\n',
    );
  });
});

describe('isthmus upgrade bundle verify', () => {
  const verify = async (text: string, ...args: readonly string[]) =>
    bundle({ 'b.yaml': text }, 'verify', 'b.yaml', ...args);
  const trust = ['--public-key', 'pub.pem'];

  it('accepts a valid signature', async () => {
    const { exit, out } = await verify(await signed(), ...trust);
    expect(exit).toBe(0);
    expect(out).toMatch(
      /^bundle-7 \(number 7\) sha256:[0-9a-f]{64}\nsigned by sha256:[0-9a-f]{64}; 0 manifests beside it\nNo findings\.\n$/,
    );
  });

  it('one changed digit of an image digest of Flux fails, whatever the policy', async () => {
    const changed = (await signed()).replace('sha256:1', 'sha256:3');
    for (const policy of ['require', 'warn']) {
      const { exit, out } = await verify(changed, ...trust, '--signature', policy);
      expect(exit).toBe(3);
      expect(out).toContain('is invalid: the bundle was changed after it was signed');
    }
  });

  it('names the form of a signature that is not ASN.1 DER, and does not report a change of the bundle', async () => {
    const text = await signed();
    const [, der = ''] = /value: '?"?([A-Za-z0-9+/=]+)/.exec(text) ?? [];
    expect(der).not.toBe('');
    for (const [value, form] of [
      [Buffer.alloc(64, 7).toString('base64'), 'the two numbers of the signature side by side (64 bytes)'],
      [der.slice(0, -8), 'its value is not ASN.1 DER in base64'],
    ] as const) {
      const { exit, out } = await verify(text.replace(der, value), ...trust);
      expect([exit, out.includes('changed after it was signed')]).toEqual([3, false]);
      expect(out).toContain(form);
    }
  });

  it.each([
    ['require', 3, 'block  bundle.signature'],
    ['warn', 2, 'warn  bundle.signature'],
  ])('a missing signature, policy %s: ends with %i', async (policy, exit, line) => {
    const result = await verify(aBundle(), ...trust, '--signature', policy);
    expect(result.exit).toBe(exit);
    expect(result.out).toContain(line);
    expect(result.out).toContain('the bundle is not signed');
  });

  it('requires a signature where a key is given, and warns where none is', async () => {
    expect((await verify(aBundle(), ...trust)).exit).toBe(3);
    expect((await verify(aBundle())).exit).toBe(2);
    const unchecked = await verify(await signed());
    expect(unchecked.exit).toBe(2);
    expect(unchecked.out).toContain(
      'was not checked, because no public key was given: its contents may have been changed',
    );
  });

  it('takes any of several keys, and refuses the signature of another one', async () => {
    expect((await verify(await signed(), '--public-key', 'their.pub.pem,pub.pem')).exit).toBe(0);
    const { exit, out } = await verify(await signed(), '--public-key', 'their.pub.pem');
    expect(exit).toBe(3);
    expect(out).toContain('which is not one of the given keys');
  });

  it('other annotations, a status and a uid leave it valid', async () => {
    const stored = (await signed()).replace(
      'metadata: {name: bundle-7}',
      'metadata: {name: bundle-7, uid: 0c5b, annotations: {a: b}}\nstatus: {seen: true}',
    );
    expect((await verify(stored, ...trust)).exit).toBe(0);
    const renamed = (await signed()).replace('name: bundle-7', 'name: bundle-8');
    expect((await verify(renamed, ...trust)).exit).toBe(3);
  });

  it('rejects a manifest that is not the one of the bundle', async () => {
    const manifest = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: flux-system}\n';
    const artifact = (digest: string) => `kind: manifest\n          uri: flux.yaml\n          digest: sha256:${digest}`;
    const text = (digest: string) => aBundle().replace(/kind: image\n.*\n.*/, artifact(digest));
    const sha256 = nodeCrypto.sha256(manifest);
    const right = await bundle({ 'd/b.yaml': text(sha256), 'd/flux.yaml': manifest }, 'verify', 'd/b.yaml');
    expect(right.out).toContain('1 manifest beside it');
    const wrong = await bundle({ 'd/b.yaml': text(sha256), 'd/flux.yaml': `${manifest}\n` }, 'verify', 'd/b.yaml');
    expect(wrong.exit).toBe(3);
    expect(wrong.out).toContain('d/flux.yaml differs from the file that the bundle names');
  });

  it('rejects a program that is not the one of the bundle, and names one that is not there', async () => {
    const artifact = (digest: string) => `kind: binary\n          uri: tool.tgz\n          digest: sha256:${digest}`;
    const text = aBundle().replace(/kind: image\n.*\n.*/, artifact(nodeCrypto.sha256('program')));
    const verified = (files: Readonly<Record<string, string>>) =>
      bundle({ 'd/b.yaml': text, ...files }, 'verify', 'd/b.yaml');
    expect((await verified({ 'd/tool.tgz': 'program' })).out).toContain('0 manifests, 1 other file beside it');
    const wrong = await verified({ 'd/tool.tgz': 'another' });
    expect(wrong.exit).toBe(3);
    expect(wrong.out).toContain('d/tool.tgz differs from the file that the bundle names');
    expect((await verified({})).out).toContain('missing, and not verified: tool.tgz');
  });

  it('reports a program or chart whose path leads out of the folder of the bundle, and does not call it missing', async () => {
    const artifact = (kind: string, uri: string) =>
      `name: ${kind}\n          kind: ${kind}\n          uri: ${uri}\n          digest: sha256:${nodeCrypto.sha256(kind)}`;
    const two = [artifact('binary', '../tool.tgz'), artifact('chart', '/etc/chart.tgz')].join('\n        - ');
    const text = aBundle().replace(/name: \S+\n *kind: image\n.*\n.*/, two);
    const { exit, out } = await verify(await signed(text), ...trust, '-o', 'json');
    const { findings, missing } = JSON.parse(out) as {
      readonly missing: readonly string[];
      readonly findings: readonly { readonly rule: string; readonly why: string }[];
    };
    expect({ exit, missing }).toEqual({ exit: 2, missing: [] });
    expect(findings.map(({ rule, why }) => [rule, why])).toEqual([
      ['bundle.outside', '"../tool.tgz" is not a file in the folder of the bundle, so it was not read'],
      ['bundle.outside', '"/etc/chart.tgz" is not a file in the folder of the bundle, so it was not read'],
    ]);
  });

  it('rejects artifacts without a digest, which the signature does not cover', async () => {
    const text = aBundle().replace(/kind: image\n.*\n.*/, 'kind: binary\n          uri: tool.tgz');
    const { exit, out } = await verify(await signed(text), ...trust);
    expect(exit).toBe(3);
    expect(out).toContain('source-controller of flux has no digest');
  });

  it('compares a program with every digest that the bundle has for it, and reports that they contradict each other', async () => {
    const artifact = (name: string, content: string) =>
      `name: ${name}\n          kind: binary\n          uri: tool.tgz\n          digest: sha256:${nodeCrypto.sha256(content)}`;
    const both = `${artifact('a', 'program')}\n        - ${artifact('b', 'another')}`;
    const text = aBundle().replace(/name: \S+\n *kind: image\n.*\n.*/, both);
    const findingsOf = async (files: Readonly<Record<string, string>>) => {
      const { exit, out } = await bundle({ 'd/b.yaml': text, ...files }, 'verify', 'd/b.yaml', '-o', 'json');
      const { findings } = JSON.parse(out) as {
        readonly findings: readonly { readonly rule: string; readonly why: string }[];
      };
      return { exit, whys: findings.filter(({ rule }) => rule === 'bundle.digest').map(({ why }) => why) };
    };
    const contradiction = expect.stringMatching(/^"tool\.tgz" has two digests in the bundle: .*artifacts\[0\]$/);
    expect(await findingsOf({})).toEqual({ exit: 3, whys: [contradiction] });
    for (const content of ['program', 'another']) {
      const { exit, whys } = await findingsOf({ 'd/tool.tgz': content });
      expect({ exit, whys: whys.toSorted() }).toEqual({
        exit: 3,
        whys: [contradiction, expect.stringMatching(/^d\/tool\.tgz differs from the file that the bundle names/)],
      });
    }
  });

  it('names manifests, programs and charts that are not there, in text and in JSON', async () => {
    const artifact = (kind: string, uri: string) =>
      `name: ${kind}\n          kind: ${kind}\n          uri: ${uri}\n          digest: sha256:${nodeCrypto.sha256(kind)}`;
    const three = [artifact('manifest', 'm.yaml'), artifact('binary', 'tool.tgz'), artifact('chart', 'chart.tgz')];
    const text = aBundle().replace(/name: \S+\n *kind: image\n.*\n.*/, three.join('\n        - '));
    const missing = ['m.yaml', 'tool.tgz', 'chart.tgz'];
    expect((await verify(text)).out).toContain(`missing, and not verified: ${missing.join(', ')}\n`);
    expect(JSON.parse((await verify(text, '-o', 'json')).out)).toMatchObject({ missing });
  });

  it.each([
    ['refuse', 3],
    ['warn', 2],
  ])('an expired bundle, policy %s: ends with %i', async (policy, exit) => {
    const expired = aBundle().replace('  channel:', '  expiresAt: 2026-11-20T00:00:00Z\n  channel:');
    const result = await verify(await signed(expired), ...trust, '--expired', policy);
    expect(result.exit).toBe(exit);
    expect(result.out).toContain('it expired at 2026-11-20T00:00:00Z, and it is 2026-11-21T00:00:00.000Z');
  });

  it.each([
    ['the moment at which it expires', '2026-11-21T00:00:00Z', 2],
    ['the second before', '2026-11-21T00:00:01Z', 0],
  ])('takes a bundle for expired from its very time on: at %s', async (_what, expiresAt, exit) => {
    const text = aBundle().replace('  channel:', `  expiresAt: ${expiresAt}\n  channel:`);
    expect((await verify(await signed(text), ...trust)).exit).toBe(exit);
  });

  it('rejects a bundle for another isthmus', async () => {
    const other = aBundle().replace('  channel:', '  engine: {min: "7.0"}\n  channel:');
    const { exit, out } = await verify(await signed(other), ...trust);
    expect(exit).toBe(3);
    expect(out).toContain('the bundle bundle-7 requires isthmus >=7.0, but this is isthmus ');
  });

  it('prints JSON of a fixed shape, with the digest that names the bundle', async () => {
    const text = await signed();
    const { out } = await verify(text, ...trust, '-o', 'json');
    const read = readFile(componentBundle, text, 'b');
    if (read.kind === 'refused') throw new Error('not read');
    expect(JSON.parse(out)).toEqual({
      bundle: 'bundle-7',
      number: 7,
      source: 'b.yaml',
      digest: bundleDigest(read.written, nodeCrypto.sha256),
      keyID: nodeCrypto.keyID(ours.publicKey),
      missing: [],
      findings: [],
    });
  });

  it('ends with 1 for a private key in place of a public one', async () => {
    const { exit, err } = await verify(aBundle(), '--public-key', 'key.pem');
    expect(exit).toBe(1);
    expect(err).toBe(
      'error: key.pem holds a private key; it must contain a public key (SubjectPublicKeyInfo): print it with `openssl pkey -in KEY -pubout`\n',
    );
  });
});
