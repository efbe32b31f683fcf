// The cryptography of bundles, from Node. It touches the process.
import type { KeyObject } from 'node:crypto';
import type { BundleCrypto } from '@isthmus/upgrade';

/** Loaded with its first use: most commands need none. */
const crypto = () => process.getBuiltinModule('node:crypto');

/**
 * {@link BundleCrypto} by Node. Its errors name the kind of a PEM and the kind that is needed
 * instead, and never contain any of it.
 */
export const nodeCrypto: BundleCrypto = {
  sha256: (text) => crypto().createHash('sha256').update(text).digest('hex'),
  sha256OfBytes: (bytes) => crypto().createHash('sha256').update(bytes).digest('hex'),
  async sha256OfChunks(chunks) {
    const hash = crypto().createHash('sha256');
    for await (const chunk of chunks) hash.update(chunk);
    return hash.digest('hex');
  },
  keyID(pem) {
    const key = pem.includes('-----BEGIN PUBLIC KEY-----') ? publicKey(pem) : crypto().createPublicKey(privateKey(pem));
    const der = key.export({ type: 'spki', format: 'der' });
    return `sha256:${crypto().createHash('sha256').update(der).digest('hex')}`;
  },
  sign: (pem, text) => crypto().sign('sha256', Buffer.from(text), privateKey(pem)).toString('base64'),
  verify: (pem, text, signature) =>
    crypto().verify('sha256', Buffer.from(text), publicKey(pem), Buffer.from(signature, 'base64')),
};

const howToConvert = 'convert it with `openssl pkcs8 -topk8 -nocrypt -in KEY`';

function privateKey(pem: string): KeyObject {
  demandLabel(pem, 'PRIVATE KEY', 'a private key in PKCS#8');
  return demandP256(parse(() => crypto().createPrivateKey({ key: pem, format: 'pem', type: 'pkcs8' }), 'private key'));
}

function publicKey(pem: string): KeyObject {
  demandLabel(pem, 'PUBLIC KEY', 'a public key (SubjectPublicKeyInfo)');
  return demandP256(parse(() => crypto().createPublicKey({ key: pem, format: 'pem', type: 'spki' }), 'public key'));
}

/**
 * Names the kind of a PEM by its label, so that the error for a wrong file is clear: OpenSSL's own
 * errors do not name it.
 */
function demandLabel(pem: string, label: string, wanted: string): void {
  const [, found] = /-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(pem) ?? [];
  if (found === label) return;
  switch (found) {
    case undefined:
      throw new Error(`not PEM; it must contain ${wanted}`);
    case 'ENCRYPTED PRIVATE KEY':
      throw new Error(`an encrypted private key; it must contain ${wanted} that is not encrypted: ${howToConvert}`);
    case 'EC PRIVATE KEY':
      throw new Error(`a private key in SEC 1; it must contain ${wanted}: ${howToConvert}`);
    case 'EC PARAMETERS':
      throw new Error(
        `the parameters of a curve, and perhaps a key in SEC 1; it must contain ${wanted}: ${howToConvert}`,
      );
    case 'PRIVATE KEY':
      throw new Error(`a private key; it must contain ${wanted}: print it with \`openssl pkey -in KEY -pubout\``);
    default:
      throw new Error(`a PEM of ${found}; it must contain ${wanted}`);
  }
}

function parse(read: () => KeyObject, what: string): KeyObject {
  try {
    return read();
  } catch {
    // The cause is left out: a parser's message about a key may quote it.
    throw new Error(`a ${what} that cannot be read: its content is damaged or not a key`);
  }
}

function demandP256(key: KeyObject): KeyObject {
  const { asymmetricKeyType = 'unknown', asymmetricKeyDetails } = key;
  const curve = asymmetricKeyDetails?.namedCurve;
  if (asymmetricKeyType === 'ec' && curve === 'prime256v1') return key;
  const found =
    asymmetricKeyType === 'ec' ? `a key on the curve ${curve ?? 'unknown'}` : `a key of type ${asymmetricKeyType}`;
  throw new Error(
    `${found}; bundles must be signed with ECDSA on P-256 (prime256v1): create a key with \`openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256\``,
  );
}
