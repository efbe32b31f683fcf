import type { HttpsTransportOptions, Transport } from '@isthmus/kube';
import type { Authority, Credentials, KeyPair, Sandbox } from '@isthmus/sandbox';
import type { Network } from '../world/io.ts';

/**
 * Serves sandboxes without sockets or cryptography, so that whole fleets run in virtual time. A
 * certificate is a text that names its owner.
 */
export function memoryNetwork(): Pick<Network, 'createAuthority' | 'serve' | 'dial'> {
  const served = new Map<string, Sandbox>();
  const pair = (certData: string): KeyPair => ({ certData, keyData: `key of ${certData}` });
  return {
    createAuthority: async (name): Promise<Authority> => ({
      caData: `authority of ${name}`,
      issueServing: async (commonName) => pair(commonName),
      issueClient: async (subject) => pair(JSON.stringify(subject)),
    }),
    async serve(sandbox, authority) {
      const url = `https://${sandbox.name}.test:6443`;
      served.set(url, sandbox);
      return {
        url,
        caData: authority.caData,
        authority,
        [Symbol.asyncDispose]: async () => void served.delete(url),
      };
    },
    dial(options) {
      let transport: Transport | undefined;
      return {
        async send(request, signal) {
          const sandbox = served.get(options.server);
          if (sandbox === undefined) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
          transport ??= sandbox.transport(await credentialsOf(options, signal), { userAgent: options.userAgent });
          return transport.send(request, signal);
        },
        close: () => transport?.close(),
      };
    },
  };
}

async function credentialsOf(
  { clientCertificate, credentials }: HttpsTransportOptions,
  signal: AbortSignal,
): Promise<Credentials> {
  if (clientCertificate !== undefined) {
    const { user, groups } = JSON.parse(clientCertificate.certPem);
    return { kind: 'user', user: { username: user, groups: [...groups, 'system:authenticated'] } };
  }
  const header = await credentials.authorization(signal);
  return header === undefined ? { kind: 'none' } : { kind: 'token', token: header.replace(/^Bearer /, '') };
}
