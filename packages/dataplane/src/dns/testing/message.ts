// Messages as a client writes and reads them. This code is independent of the server's reader and
// writer, and slower.

export interface ReadRecord {
  readonly name: string;
  readonly type: number;
  readonly ttl: number;
  readonly data: string;
}

export interface ReadResponse {
  readonly id: number;
  readonly rcode: number;
  readonly flags: { readonly aa: boolean; readonly tc: boolean; readonly rd: boolean };
  readonly question: string | undefined;
  readonly answers: readonly ReadRecord[];
  readonly authority: readonly ReadRecord[];
  /** The data of OPT, in hexadecimal digits. */
  readonly opt: string | undefined;
}

export interface QueryOptions {
  readonly id?: number;
  readonly type?: number;
  readonly class?: number;
  readonly edns?: { readonly udpBytes: number; readonly version?: number };
}

export const types = { A: 1, SOA: 6, HINFO: 13, TXT: 16, AAAA: 28, SRV: 33, OPT: 41, AXFR: 252, ANY: 255 } as const;

export function queryFor(name: string, { id = 1, type = types.A, class: cls = 1, edns }: QueryOptions = {}): Buffer {
  const header = Buffer.from([id >> 8, id & 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, edns === undefined ? 0 : 1]);
  const labels = name === '' ? [] : name.split('.');
  const wire = Buffer.concat(
    labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
  );
  const tail = Buffer.alloc(5);
  tail.writeUInt16BE(type, 1);
  tail.writeUInt16BE(cls, 3);
  const opt = Buffer.alloc(edns === undefined ? 0 : 11);
  if (edns !== undefined) {
    opt.writeUInt16BE(types.OPT, 1);
    opt.writeUInt16BE(edns.udpBytes, 3);
    opt.writeUInt8(edns.version ?? 0, 6);
  }
  return Buffer.concat([header, wire, tail, opt]);
}

export function readResponse(bytes: Uint8Array): ReadResponse {
  const message = Buffer.from(bytes);
  let at = 12;
  const name = (start: number): { text: string; end: number } => {
    const labels: string[] = [];
    let end: number | undefined;
    for (let from = start, hops = 0; ;) {
      const length = message.readUInt8(from);
      if (length === 0) return { text: labels.join('.'), end: end ?? from + 1 };
      if (length >= 0xc0) {
        end ??= from + 2;
        if (++hops > 10) throw new Error('a loop of pointers');
        from = message.readUInt16BE(from) & 0x3fff;
        continue;
      }
      labels.push(message.subarray(from + 1, from + 1 + length).toString('latin1'));
      from += 1 + length;
    }
  };
  const record = (): ReadRecord => {
    const owner = name(at);
    const type = message.readUInt16BE(owner.end);
    const ttl = message.readUInt32BE(owner.end + 4);
    const length = message.readUInt16BE(owner.end + 8);
    const start = owner.end + 10;
    const data = message.subarray(start, start + length);
    if (data.length < length) throw new Error('a record ends behind its message');
    at = start + length;
    return { name: owner.text, type, ttl, data: shown(type, data, start) };
  };
  const shown = (type: number, data: Buffer, start: number): string => {
    if (type === types.A) return [...data].join('.');
    if (type === types.AAAA)
      return Array.from({ length: 8 }, (_, index) => data.readUInt16BE(2 * index).toString(16)).join(':');
    if (type === types.TXT || type === types.HINFO) return data.subarray(1, 1 + data.readUInt8(0)).toString('latin1');
    if (type === types.SRV)
      return `${data.readUInt16BE(0)} ${data.readUInt16BE(2)} ${data.readUInt16BE(4)} ${name(start + 6).text}`;
    if (type === types.SOA) {
      const primary = name(start);
      const mailbox = name(primary.end);
      return `${primary.text} ${mailbox.text} ${[0, 4, 8, 12, 16].map((offset) => message.readUInt32BE(mailbox.end + offset)).join(' ')}`;
    }
    return data.toString('hex');
  };
  const flags = message.readUInt16BE(2);
  const counts = [4, 6, 8, 10].map((offset) => message.readUInt16BE(offset));
  let question: string | undefined;
  if (counts[0] === 1) {
    const asked = name(12);
    question = asked.text;
    at = asked.end + 4;
  }
  const many = (count: number) => Array.from({ length: count }, record);
  const answers = many(counts[1] ?? 0);
  const authority = many(counts[2] ?? 0);
  const additional = many(counts[3] ?? 0);
  if (at !== message.length) throw new Error('bytes behind the last record');
  return {
    id: message.readUInt16BE(0),
    rcode: flags & 15,
    flags: { aa: (flags & 0x400) !== 0, tc: (flags & 0x200) !== 0, rd: (flags & 0x100) !== 0 },
    question,
    answers,
    authority,
    opt: additional.find(({ type }) => type === types.OPT)?.data,
  };
}
