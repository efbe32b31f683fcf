import type { Transport } from '@isthmus/kube';
import { httpsTransport, noCredentials } from '@isthmus/kube';
import type { RealApiServer } from './api-server.ts';

/** The transport of the cluster's administrator; the audit log contains its `userAgent`. */
export function adminTransport(
  { url, caData, admin }: Pick<RealApiServer, 'url' | 'caData' | 'admin'>,
  userAgent: string,
): Transport {
  return httpsTransport({
    server: url,
    caPem: caData,
    clientCertificate: { certPem: admin.certData, keyPem: admin.keyData },
    credentials: noCredentials(),
    userAgent,
  });
}
