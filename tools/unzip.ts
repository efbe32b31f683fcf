import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

/**
 * The content of one file of a zip archive (stored or deflated, no zip64, no encryption: as npm
 * packages carry them). Errors name the archive and the file: the file is missing, or the archive
 * is not valid.
 */
export function readFromZip(archive: string, name: string): Buffer {
  const size = statSync(archive).size;
  const file = openSync(archive, 'r');
  try {
    const read = (position: number, length: number): Buffer => {
      const buffer = Buffer.alloc(length);
      readSync(file, buffer, 0, length, position);
      return buffer;
    };
    const tailLength = Math.min(size, 65_557);
    const tail = read(size - tailLength, tailLength);
    const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
    if (end === -1) throw new Error(`${archive}: no zip archive`);
    const directory = read(tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
    for (let at = 0; at + 46 <= directory.length;) {
      const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field));
      const found = directory.subarray(at + 46, at + 46 + (nameLength ?? 0)).toString();
      if (found === name) {
        const method = directory.readUInt16LE(at + 10);
        const local = read(directory.readUInt32LE(at + 42), 30);
        const start = directory.readUInt32LE(at + 42) + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
        const data = read(start, directory.readUInt32LE(at + 20));
        if (method === 0) return data;
        if (method === 8) return inflateRawSync(data);
        throw new Error(`${archive}: ${name} is compressed by method ${method}, which is neither 0 nor 8`);
      }
      at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
    }
    throw new Error(`${archive}: has no ${name}`);
  } finally {
    closeSync(file);
  }
}
