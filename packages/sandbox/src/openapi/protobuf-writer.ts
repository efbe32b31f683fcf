/**
 * Writes protobuf messages in their wire format: as much as OpenAPI v2 needs
 * (docs/spec/sandbox.md §1).
 */
export class ProtobufWriter {
  readonly #chunks: Uint8Array[] = [];

  /** A string; the empty one is the default and is left out. */
  text(field: number, value: string | undefined): void {
    if (value !== undefined && value !== '') this.bytes(field, new TextEncoder().encode(value));
  }

  /** A string in a list: the empty one counts. */
  item(field: number, value: string): void {
    this.bytes(field, new TextEncoder().encode(value));
  }

  flag(field: number, value: boolean): void {
    if (value) this.#chunks.push(varint(field * 8), varint(1));
  }

  integer(field: number, value: number): void {
    if (value !== 0) this.#chunks.push(varint(field * 8), varint(value));
  }

  double(field: number, value: number): void {
    if (value === 0) return;
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value, true);
    this.#chunks.push(varint(field * 8 + 1), bytes);
  }

  message(field: number, write: (writer: ProtobufWriter) => void): void {
    const inner = new ProtobufWriter();
    write(inner);
    this.bytes(field, inner.finish());
  }

  bytes(field: number, value: Uint8Array): void {
    this.#chunks.push(varint(field * 8 + 2), varint(value.length), value);
  }

  finish(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Uint8Array.from([...bytes, rest]);
}
