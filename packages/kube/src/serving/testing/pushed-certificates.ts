import type { CertificateSource, ServingCertificate } from '../certificates.ts';

/** A source of certificates that a test feeds. */
export interface PushedCertificates {
  readonly source: CertificateSource;
  push(certificate: ServingCertificate): void;
}

export function pushedCertificates(...first: readonly ServingCertificate[]): PushedCertificates {
  const waiting = [...first];
  let wake = (): void => {};
  return {
    push(certificate) {
      waiting.push(certificate);
      wake();
    },
    async *source(signal) {
      signal.addEventListener('abort', () => wake(), { once: true });
      while (!signal.aborted) {
        const next = waiting.shift();
        if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else yield next;
      }
    },
  };
}
