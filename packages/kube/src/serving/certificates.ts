import type { Secret } from '@isthmus/api';
import type { Clock, ObjectRef } from '@isthmus/machinery';
import { errorMessage, sleep } from '@isthmus/machinery';
import type { Log } from '../log/log.ts';
import type { ReadFile } from '../world/read-file.ts';

/** A certificate, with those between it and its authority behind it, and its key; both PEM. */
export interface ServingCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

/**
 * The certificate of a server: the present one as soon as there is one, then each later one, until
 * `signal` aborts.
 */
export type CertificateSource = (signal: AbortSignal) => AsyncIterable<ServingCertificate>;

/** Options of {@link certificateFiles}. */
export interface CertificateFilesOptions {
  readonly certPath: string;
  readonly keyPath: string;
  readonly readFile: ReadFile;
  readonly clock: Clock;
  readonly log: Log;
  /** How often the files are read. Default 10 s. */
  readonly rereadMs?: number | undefined;
}

/**
 * A certificate that another process keeps fresh in two files, as the kubelet does with a mounted
 * Secret: read again and again, because it replaces the directory behind a link, which a file
 * watcher does not see. Files that cannot be read are logged once and tried again.
 */
export function certificateFiles(options: CertificateFilesOptions): CertificateSource {
  const { certPath, keyPath, readFile, clock, log, rereadMs = 10_000 } = options;
  return async function* (signal) {
    let known: ServingCertificate | undefined;
    let shown: string | undefined;
    while (!signal.aborted) {
      try {
        const [cert, key] = await Promise.all([readFile(certPath), readFile(keyPath)]);
        shown = undefined;
        if (signal.aborted) return;
        const found = { certPem: cert.text, keyPem: key.text };
        if (!isSame(known, found)) yield (known = found);
      } catch (error) {
        const why = errorMessage(error);
        if (shown !== why) log.warn('cannot read the serving certificate; trying again', { why });
        shown = why;
      }
      await sleep(clock, rereadMs, signal).catch(() => {});
    }
  };
}

/** The part of a cache that {@link certificateSecret} needs. */
export interface SecretReader {
  get(ref: ObjectRef): Secret | undefined;
  subscribe(listener: () => void): () => void;
}

/**
 * A certificate in a Secret of type `kubernetes.io/tls`: `tls.crt` and `tls.key`. One without them
 * changes nothing.
 */
export function certificateSecret(cache: SecretReader, ref: ObjectRef): CertificateSource {
  return async function* (signal) {
    let wake = (): void => {};
    let changed = true;
    const onChange = () => ((changed = true), wake());
    const unsubscribe = cache.subscribe(onChange);
    signal.addEventListener('abort', onChange, { once: true });
    try {
      let known: ServingCertificate | undefined;
      while (!signal.aborted) {
        if (!changed) await new Promise<void>((resolve) => (wake = resolve));
        changed = false;
        const found = certificateOf(cache.get(ref));
        if (!signal.aborted && found !== undefined && !isSame(known, found)) yield (known = found);
      }
    } finally {
      unsubscribe();
      signal.removeEventListener('abort', onChange);
    }
  };
}

function certificateOf(secret: Secret | undefined): ServingCertificate | undefined {
  const { 'tls.crt': cert, 'tls.key': key } = secret?.data ?? {};
  if (cert === undefined || key === undefined) return undefined;
  return { certPem: textOf(cert), keyPem: textOf(key) };
}

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

function isSame(known: ServingCertificate | undefined, found: ServingCertificate): boolean {
  return known?.certPem === found.certPem && known.keyPem === found.keyPem;
}
