/** The cryptography that bundles need, as an argument: this package touches no module of Node. */
export interface BundleCrypto {
  /** Hex SHA-256 of the UTF-8 bytes of a text. */
  sha256(text: string): string;
  /** Hex SHA-256 of bytes. */
  sha256OfBytes(bytes: Uint8Array): string;
  /** Hex SHA-256 of bytes as they come, of any length. Rejects as the source does. */
  sha256OfChunks(chunks: AsyncIterable<Uint8Array>): Promise<string>;
  /**
   * `sha256:…` of the SubjectPublicKeyInfo (DER) of a key, by the PEM of either half. Throws where
   * it is no P-256 key in PKCS#8 or SPKI.
   */
  keyID(pem: string): string;
  /**
   * ECDSA P-256 over SHA-256, ASN.1 DER in base64. Throws as {@link keyID} does; messages never
   * hold the key.
   */
  sign(privateKeyPem: string, text: string): string;
  verify(publicKeyPem: string, text: string, signature: string): boolean;
}
