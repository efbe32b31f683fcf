import type { Secret } from '@isthmus/api';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { memoryLog } from '../log/log.ts';
import type { CertificateSource, ServingCertificate } from './certificates.ts';
import { certificateFiles, certificateSecret } from './certificates.ts';

/** What a source has brought so far. */
function followed(source: CertificateSource) {
  const stop = new AbortController();
  const seen: ServingCertificate[] = [];
  const ended = (async () => {
    for await (const certificate of source(stop.signal)) seen.push(certificate);
  })();
  return { seen, ended, stop: () => stop.abort(new Error('stop')) };
}

describe('certificateFiles', () => {
  it('brings the pair at once and whenever one of the files changes, and waits for files that are not there yet', async () => {
    const clock = createVirtualClock({ startMs: 0 });
    const log = memoryLog();
    const files = new Map<string, string>();
    const readFile = async (path: string) => {
      const text = files.get(path);
      if (text === undefined) throw new Error(`cannot read ${path}: no such file`);
      return { text, mode: 0o600 };
    };
    const source = certificateFiles({ certPath: '/tls.crt', keyPath: '/tls.key', readFile, clock, log });
    const { seen, ended, stop } = followed(source);
    await clock.advance(30_000);
    expect(seen).toEqual([]);
    expect(log.entries.map(({ fields }) => fields['why'])).toEqual(['cannot read /tls.crt: no such file']);
    files.set('/tls.crt', 'cert 1').set('/tls.key', 'key 1');
    await clock.advance(30_000);
    files.set('/tls.crt', 'cert 2');
    await clock.advance(10_000);
    files.delete('/tls.key');
    await clock.advance(10_000);
    files.set('/tls.key', 'key 2');
    await clock.advance(10_000);
    expect(seen.map(({ certPem, keyPem }) => `${certPem}, ${keyPem}`)).toEqual([
      'cert 1, key 1',
      'cert 2, key 1',
      'cert 2, key 2',
    ]);
    stop();
    await ended;
    expect(clock.pending).toBe(0);
  });
});

describe('certificateSecret', () => {
  it('brings the pair of a Secret at once and at each change, and nothing while one of the two is missing', async () => {
    const clock = createVirtualClock({ startMs: 0 });
    let secret: Secret | undefined;
    const listeners = new Set<() => void>();
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const set = async (data: Readonly<Record<string, string>> | undefined) => {
      secret = data === undefined ? undefined : { metadata: { name: 'tls' }, data };
      listeners.forEach((listener) => listener());
      await clock.settle();
    };
    const cache = {
      get: () => secret,
      subscribe: (listener: () => void) => (listeners.add(listener), () => listeners.delete(listener)),
    };
    const { seen, ended, stop } = followed(certificateSecret(cache, { namespace: 'isthmus', name: 'tls' }));
    await set(undefined);
    await set({ 'tls.crt': base64('cert 1') });
    await set({ 'tls.crt': base64('cert 1'), 'tls.key': base64('key 1') });
    await set({ 'tls.crt': base64('cert 1'), 'tls.key': base64('key 1'), other: '' });
    await set(undefined);
    await set({ 'tls.crt': base64('cert 2'), 'tls.key': base64('key 2') });
    expect(seen).toEqual([
      { certPem: 'cert 1', keyPem: 'key 1' },
      { certPem: 'cert 2', keyPem: 'key 2' },
    ]);
    stop();
    await ended;
    expect(listeners.size).toBe(0);
  });
});
