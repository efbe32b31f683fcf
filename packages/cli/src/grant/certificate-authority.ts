import { ConfigMap } from '@isthmus/api';
import { orNotFound } from '@isthmus/kube';
import type { Io } from '../world/io.ts';
import type { Leader } from './leader.ts';

/**
 * The certificate authority of the leader's API server, PEM: that of the kubeconfig, or else the
 * one that the leader publishes for its own Pods.
 */
export async function certificateAuthority(io: Io, { client, connection, namespace }: Leader): Promise<string> {
  const { certificateAuthority: source } = connection;
  switch (source?.kind) {
    case 'inline':
      return source.pem;
    case 'file':
      return (await io.readFile(source.path)).text;
    case undefined: {
      const ref = { namespace, name: 'kube-root-ca.crt' };
      const pem = (await orNotFound(client.get(ConfigMap, ref)))?.data?.['ca.crt'];
      if (pem === undefined)
        throw new Error(
          `cannot find the certificate authority of the leader: the kubeconfig has none, and ConfigMap ${namespace}/${ref.name} does not exist. Use a kubeconfig with certificate-authority-data`,
        );
      return pem;
    }
  }
}
