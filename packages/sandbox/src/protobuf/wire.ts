/** One field of a message on the wire. Lengths are checked: a message that ends early throws. */
export interface WireField {
  readonly number: number;
  /** A varint, or the bytes of a length-delimited or fixed field. */
  readonly value: bigint | Uint8Array;
}

/** Reads the fields of a protobuf message. Errors: throws if the bytes are not a message. */
export function* wireFields(bytes: Uint8Array): Generator<WireField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('unexpected EOF');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new Error('proto: integer overflow');
  };
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new Error('unexpected EOF');
    return bytes.subarray(at, (at += length));
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    switch (Number(tag & 7n)) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        yield { number, value: take(8) };
        break;
      case 2:
        yield { number, value: take(Number(varint())) };
        break;
      case 5:
        yield { number, value: take(4) };
        break;
      default:
        throw new Error(`proto: illegal wireType ${tag & 7n}`);
    }
  }
}
