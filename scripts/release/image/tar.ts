/**
 * One entry of a tar archive: a folder, a file or a symbolic link. All belong to root, and were
 * changed at the epoch.
 */
export type TarEntry =
  | { readonly kind: 'folder'; readonly path: string; readonly mode: number }
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly data: Uint8Array }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/**
 * Writes a tar archive (ustar), in the order given. The same entries give the same bytes. Errors:
 * throws where a path has over 100 bytes.
 */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    if (entry.kind !== 'file') return [header(entry, 0)];
    const { data } = entry;
    return [header(entry, data.length), data, Buffer.alloc((block - (data.length % block)) % block)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

/**
 * Reads a tar archive as `dpkg-deb` writes it: ustar, with GNU's long names. Other kinds of entries
 * (hard links, devices) are left out.
 */
export function readTar(bytes: Buffer): readonly TarEntry[] {
  const entries: TarEntry[] = [];
  let longName: string | undefined;
  let longTarget: string | undefined;
  for (let at = 0; at + block <= bytes.length && bytes[at] !== 0;) {
    const text = (from: number, length: number) => textAt(bytes, at + from, length);
    const size = Number.parseInt(text(124, 12).trim() || '0', 8);
    const data = bytes.subarray(at + block, at + block + size);
    const type = text(156, 1);
    if (type === 'L') longName = textAt(data, 0, data.length);
    else if (type === 'K') longTarget = textAt(data, 0, data.length);
    else {
      const prefix = text(345, 155);
      const name = longName ?? (prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`);
      longName = undefined;
      const path = name.replace(/^\.?\//, '').replace(/\/$/, '');
      // Some tools repeat the kind of entry in it.
      const mode = Number.parseInt(text(100, 8).trim(), 8) & 0o7777;
      if (type === '0' || type === '') entries.push({ kind: 'file', path, mode, data });
      if (type === '5') entries.push({ kind: 'folder', path, mode });
      if (type === '2') entries.push({ kind: 'link', path, target: longTarget ?? text(157, 100) });
      longTarget = undefined;
    }
    at += block + Math.ceil(size / block) * block;
  }
  return entries;
}

const block = 512;
const typeOf = { file: '0', link: '2', folder: '5' } as const;

function header(entry: TarEntry, size: number): Buffer {
  const bytes = Buffer.alloc(block);
  const name = entry.kind === 'folder' ? `${entry.path}/` : entry.path;
  for (const one of entry.kind === 'link' ? [name, entry.target] : [name])
    if (Buffer.byteLength(one) > 100) throw new Error(`the path ${one} has more than 100 bytes`);
  const octal = (value: number, from: number, length: number) =>
    bytes.write(`${value.toString(8).padStart(length - 1, '0')}\0`, from);
  bytes.write(name, 0);
  octal(entry.kind === 'link' ? 0o777 : entry.mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  bytes.write(' '.repeat(8), 148);
  bytes.write(typeOf[entry.kind], 156);
  if (entry.kind === 'link') bytes.write(entry.target, 157);
  bytes.write('ustar\x0000', 257);
  octal(
    bytes.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return bytes;
}

function textAt(bytes: Buffer, from: number, length: number): string {
  const end = bytes.indexOf(0, from);
  return bytes.toString('utf8', from, end === -1 ? from + length : Math.min(end, from + length));
}
