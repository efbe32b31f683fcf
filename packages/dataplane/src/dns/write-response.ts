import { parseAddress } from '@isthmus/machinery';
import type { DnsRecord } from './answer.ts';
import type { RcodeName } from './codes.ts';
import {
  Flag,
  Rcode,
  RecordClass,
  RecordType,
  checkingDisabled,
  headerBytes,
  mostLabelBytes,
  mostNameBytes,
  recordBytes,
} from './codes.ts';
import type { Edns, Query } from './read-query.ts';

/** A record to be written, also of types that Services do not have. */
export type WrittenRecord =
  | DnsRecord
  | { readonly type: 'HINFO'; readonly ttl: number; readonly data: string }
  | { readonly type: 'SOA'; readonly ttl: number; readonly data: SoaRecord };

/** The content of a response, beside the parts that it repeats from its query. */
export interface Response {
  readonly rcode: RcodeName;
  /** The answers. All have the name that was asked for. */
  readonly answers: readonly WrittenRecord[];
  /**
   * For responses without answers: the SOA record of the zone, which has the TTL for negative
   * answers.
   */
  readonly negative?: SoaRecord | undefined;
  /** The code of an extended error (RFC 8914). */
  readonly extendedError?: number | undefined;
}

export interface SoaRecord {
  readonly zone: string;
  readonly serial: number;
  readonly ttl: number;
}

export interface WrittenResponse {
  readonly message: Uint8Array;
  readonly isTruncated: boolean;
}

/** The length of a record with an IPv4 address, and a pointer as its name. */
export const leastRecordBytes = 2 + recordBytes + 4;
/** The largest message over TCP. */
export const mostTcpBytes = 65_535;
/** The most bytes that a client without EDNS can receive in one datagram. */
const leastUdpBytes = 512;
/**
 * The most bytes that are sent in one datagram, so that no network fragments it: the recommendation
 * of DNS flag day 2020.
 */
const mostUdpBytes = 1_232;

/** The most bytes of a datagram to the client. */
export function udpBytesFor(edns: Edns | undefined): number {
  return Math.min(mostUdpBytes, Math.max(leastUdpBytes, edns?.udpBytes ?? 0));
}

/**
 * Writes the response to a query in at most `limit` bytes. Records that do not fit are left out
 * from the end. Then `isTruncated` is true, and over UDP the flag TC makes the client ask again
 * over TCP. Over TCP the records that fit are a subset, which the specification allows.
 *
 * Names are compressed if they repeat the question. A target of SRV is not compressed (RFC 2782). A
 * record whose target is not a valid name is left out.
 */
export function writeResponse(
  query: Query,
  { rcode, answers, negative, extendedError }: Response,
  { limit, isUdp }: { readonly limit: number; readonly isUdp: boolean },
): WrittenResponse {
  const writer = new Writer(limit);
  writer.skip(headerBytes);
  writer.bytes(query.question);
  // Reserved, so that OPT fits whatever the answers are.
  const optBytes = query.edns === undefined ? 0 : 11 + (extendedError === undefined ? 0 : 6);
  writer.reserve(optBytes);
  let count = 0;
  let isTruncated = false;
  for (const record of answers) {
    const data = dataOf(record);
    if (data === undefined) continue;
    const isWritten = writer.record({ type: RecordType[record.type], ttl: record.ttl, data });
    if (!isWritten) {
      isTruncated = true;
      break;
    }
    count++;
  }
  const hasAuthority = negative !== undefined && writeSoa(writer, query, negative);
  writer.reserve(0);
  if (query.edns !== undefined) writeOpt(writer, Rcode[rcode] >> 4, extendedError);
  const flags =
    Flag.response |
    (rcode === 'NOERROR' || rcode === 'NXDOMAIN' ? Flag.authoritative : 0) |
    (isTruncated && isUdp ? Flag.truncated : 0) |
    (query.flags & (Flag.recursionDesired | checkingDisabled)) |
    (Rcode[rcode] & 0xf);
  writer.header([query.id, flags, 1, count, hasAuthority ? 1 : 0, query.edns === undefined ? 0 : 1]);
  return { message: writer.done(), isTruncated };
}

/** A response to a message that cannot be read: only a header. */
export function writeRefusal(id: number, flags: number, rcode: 'FORMERR' | 'NOTIMP'): Uint8Array {
  const writer = new Writer(headerBytes);
  writer.skip(headerBytes);
  const kept = flags & (0x7800 | Flag.recursionDesired | checkingDisabled);
  writer.header([id, Flag.response | kept | Rcode[rcode], 0, 0, 0, 0]);
  return writer.done();
}

function dataOf(record: WrittenRecord): Uint8Array | undefined {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return addressBytes(record.data);
    case 'TXT':
      return joined([characterString(record.data)]);
    case 'HINFO':
      return joined([characterString(record.data), [0]]);
    case 'SOA':
      return soaData(record.data);
    case 'SRV': {
      const { priority, weight, port, target } = record.data;
      const name = nameBytes(target);
      return name && joined([[...words(priority, weight, port)], name]);
    }
  }
}

function addressBytes(text: string): Uint8Array | undefined {
  // A response may have thousands of records. A text without a colon is an IPv4 address.
  if (!text.includes(':')) return Uint8Array.from(text.split('.', 4), Number);
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  const bytes = new Uint8Array(address.family === 'IPv4' ? 4 : 16);
  let { value } = address;
  for (let index = bytes.length - 1; index >= 0; index--, value >>= 8n) bytes[index] = Number(value & 0xffn);
  return bytes;
}

const characterString = (text: string) => [text.length, ...Array.from(text, (character) => character.charCodeAt(0))];
const words = (...all: readonly number[]) => all.flatMap((one) => [(one >> 8) & 0xff, one & 0xff]);
const longWords = (...all: readonly number[]) => all.flatMap((one) => words(Math.floor(one / 0x1_0000), one));
const joined = (parts: readonly (readonly number[] | Uint8Array)[]) =>
  Uint8Array.from(parts.flatMap((one) => [...one]));

/** For secondary servers, which do not exist here. */
const refreshSeconds = 7_200;
const retrySeconds = 1_800;
const expireSeconds = 86_400;

function soaData({ zone, serial, ttl }: SoaRecord): Uint8Array | undefined {
  const [primary, mailbox] = [nameBytes(`ns.dns.${zone}`), nameBytes(`hostmaster.${zone}`)];
  if (primary === undefined || mailbox === undefined) return undefined;
  return joined([primary, mailbox, longWords(serial, refreshSeconds, retrySeconds, expireSeconds, ttl)]);
}

function writeSoa(writer: Writer, query: Query, soa: SoaRecord): boolean {
  const data = soaData(soa);
  const labels = query.name.split('.').length - soa.zone.split('.').length;
  // The zone is the end of the question's name. The labels of the name are as long as they were
  // sent.
  let pointer = headerBytes;
  for (let index = 0; index < labels; index++) pointer += 1 + (query.question[pointer - headerBytes] ?? 0);
  return data !== undefined && writer.record({ type: RecordType.SOA, ttl: soa.ttl, data, pointer });
}

function writeOpt(writer: Writer, highRcode: number, extendedError: number | undefined): void {
  const option = extendedError === undefined ? [] : words(15, 2, extendedError);
  writer.bytes(
    Uint8Array.from([0, ...words(RecordType.OPT, mostUdpBytes), highRcode, 0, ...words(0, option.length), ...option]),
  );
}

/** The bytes of a name of plain labels. Undefined: the name or a label is too long. */
function nameBytes(name: string): Uint8Array | undefined {
  const labels = name.split('.');
  if (labels.some(({ length }) => length === 0 || length > mostLabelBytes) || name.length + 2 > mostNameBytes)
    return undefined;
  return joined([...labels.map(characterString), [0]]);
}

/** Bytes of a message, up to a limit. */
class Writer {
  private readonly buffer: Uint8Array;
  private readonly view: DataView;
  private length = 0;
  private reserved = 0;

  constructor(limit: number) {
    this.buffer = new Uint8Array(limit);
    this.view = new DataView(this.buffer.buffer);
  }

  reserve(bytes: number): void {
    this.reserved = bytes;
  }

  skip(bytes: number): void {
    this.length += bytes;
  }

  bytes(all: Uint8Array): void {
    this.buffer.set(all, this.length);
    this.length += all.length;
  }

  /**
   * Writes a record, by default with the name of the question. False: it does not fit, and nothing
   * was written.
   */
  record(record: {
    readonly type: number;
    readonly ttl: number;
    readonly data: Uint8Array;
    readonly pointer?: number | undefined;
  }): boolean {
    const { type, ttl, data, pointer = headerBytes } = record;
    if (this.length + 12 + data.length + this.reserved > this.buffer.length) return false;
    const { view, length } = this;
    view.setUint16(length, 0xc000 | pointer);
    view.setUint16(length + 2, type);
    view.setUint16(length + 4, RecordClass.IN);
    view.setUint32(length + 6, ttl);
    view.setUint16(length + 10, data.length);
    this.length += 12;
    this.bytes(data);
    return true;
  }

  header(all: readonly number[]): void {
    all.forEach((word, index) => this.view.setUint16(2 * index, word));
  }

  done(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }
}
