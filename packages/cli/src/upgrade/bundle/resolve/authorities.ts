import type { Io } from '../../../world/io.ts';
import { UsageError } from '../../../command/usage-error.ts';
import { readText } from '../../input/read-input.ts';
import type { AuthorityFor } from './web.ts';

/**
 * Reads `ca.pem`, or `mirror.example:5000=ca.pem,…`. Errors: {@link UsageError} for a file that
 * cannot be read or has no certificate.
 */
export async function authoritiesIn(io: Pick<Io, 'readFile'>, text: string | undefined): Promise<AuthorityFor> {
  const byHost = new Map<string, string>();
  for (const one of text?.split(',') ?? []) {
    const equals = one.indexOf('=');
    const [host, file] = equals < 0 ? ['', one] : [one.slice(0, equals), one.slice(equals + 1)];
    if (byHost.has(host)) {
      throw new UsageError(
        `--certificate-authority ${one}: ${host === '' ? 'a file for all hosts' : host} is given twice`,
      );
    }
    const pem = await readText(io, file);
    if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new UsageError(`${file} contains no PEM certificate`);
    byHost.set(host, pem);
  }
  return (host) => byHost.get(host) ?? byHost.get('');
}
