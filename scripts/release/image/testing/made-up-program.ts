/**
 * A program or, without an interpreter, a library: an ELF file with one segment for everything,
 * which is loaded at `address`.
 */
export function madeUpProgram(address: number, libraries: readonly string[], interpreter?: string): Buffer {
  const bytes = Buffer.alloc(1024);
  bytes.write('\x7fELF\x02\x01', 'latin1');
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(interpreter === undefined ? 2 : 3, 56);
  const segment = (index: number, type: number, offset: number, length: number) => {
    bytes.writeUInt32LE(type, 64 + index * 56);
    bytes.writeBigUInt64LE(BigInt(offset), 64 + index * 56 + 8);
    bytes.writeBigUInt64LE(BigInt(address + offset), 64 + index * 56 + 16);
    bytes.writeBigUInt64LE(BigInt(length), 64 + index * 56 + 32);
  };
  const [strings, tags, path] = [256, 512, 768];
  segment(0, 1, 0, bytes.length);
  segment(1, 2, tags, 16 * (libraries.length + 1));
  if (interpreter !== undefined) {
    segment(2, 3, path, interpreter.length + 1);
    bytes.write(interpreter, path);
  }
  let at = 1;
  libraries.forEach((name, index) => {
    bytes.write(name, strings + at);
    bytes.writeBigUInt64LE(1n, tags + index * 16);
    bytes.writeBigUInt64LE(BigInt(at), tags + index * 16 + 8);
    at += name.length + 1;
  });
  bytes.writeBigUInt64LE(5n, tags + libraries.length * 16);
  bytes.writeBigUInt64LE(BigInt(address + strings), tags + libraries.length * 16 + 8);
  return bytes;
}
