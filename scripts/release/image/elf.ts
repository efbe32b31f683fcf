/**
 * The requests of a program or a library (ELF, 64 bits, little-endian) to the dynamic linker.
 */
export interface Linked {
  /** The names of libraries, such as `libc.so.6`. */
  readonly libraries: readonly string[];
  /** The dynamic linker of a program, by its path. */
  readonly interpreter: string | undefined;
}

/** Reads the program headers of `bytes`. Returns undefined where it is not such a file. */
export function readLinked(bytes: Buffer): Linked | undefined {
  if (bytes.length < 64 || bytes.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') return undefined;
  const [first, size, count] = [Number(bytes.readBigUInt64LE(32)), bytes.readUInt16LE(54), bytes.readUInt16LE(56)];
  const segments = Array.from({ length: count }, (_, index) => {
    const at = first + index * size;
    const word = (from: number) => Number(bytes.readBigUInt64LE(at + from));
    return { type: bytes.readUInt32LE(at), offset: word(8), address: word(16), length: word(32) };
  });
  const textAt = (offset: number) => bytes.toString('utf8', offset, bytes.indexOf(0, offset));
  const offsetOf = (address: number) => {
    const loaded = segments.find(
      (one) => one.type === load && address >= one.address && address < one.address + one.length,
    );
    if (loaded === undefined) throw new Error(`no segment holds the address ${address}`);
    return address - loaded.address + loaded.offset;
  };
  const interpreter = segments.find(({ type }) => type === interp);
  const tags = segments
    .filter(({ type }) => type === dynamic)
    .flatMap(({ offset, length }) =>
      Array.from({ length: Math.floor(length / 16) }, (_, index) => ({
        tag: Number(bytes.readBigUInt64LE(offset + index * 16)),
        value: Number(bytes.readBigUInt64LE(offset + index * 16 + 8)),
      })),
    );
  const names = tags.find(({ tag }) => tag === stringTable);
  return {
    libraries:
      names === undefined
        ? []
        : tags.filter(({ tag }) => tag === needed).map(({ value }) => textAt(offsetOf(names.value) + value)),
    interpreter: interpreter && textAt(interpreter.offset),
  };
}

// Types of segments and tags of the dynamic one, as the format numbers them.
const [load, dynamic, interp] = [1, 2, 3];
const [needed, stringTable] = [1, 5];
