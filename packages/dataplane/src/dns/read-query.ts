import { Flag, RecordType, headerBytes, mostNameBytes, recordBytes } from './codes.ts';

/** The parts of a query that a server of one zone uses. */
export interface Query {
  readonly id: number;
  /** The word of flags in the query. */
  readonly flags: number;
  /** The question in the bytes of the query, for the answer: name, type and class. */
  readonly question: Uint8Array;
  /**
   * The name in its presentation form, without a dot at the end. Inside a label, each character
   * except letters, digits, `-` and `_` is escaped, dots included.
   */
  readonly name: string;
  readonly type: number;
  readonly class: number;
  readonly edns: Edns | undefined;
}

export interface Edns {
  readonly version: number;
  /** The most bytes that the client can receive in one datagram. */
  readonly udpBytes: number;
}

/** The result of reading a message that should be a query. */
export type ReadQuery =
  | { readonly kind: 'query'; readonly query: Query }
  /** Answered without a question: the message has a header, but is not a valid query. */
  | { readonly kind: 'refused'; readonly id: number; readonly flags: number; readonly rcode: 'FORMERR' | 'NOTIMP' }
  /**
   * Not answered: the message is shorter than a header, or a response. Responses to responses would
   * be exchanged without end.
   */
  | { readonly kind: 'ignored' };

/**
 * Reads a query (RFC 1035 §4, RFC 6891 §6). Total, and its work is limited by the length of the
 * message. It follows no pointers in names, because a name in a question has nothing before it that
 * it could point to. Records beside the question are skipped, except OPT.
 */
export function readQuery(message: Uint8Array): ReadQuery {
  if (message.length < headerBytes) return { kind: 'ignored' };
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const id = view.getUint16(0);
  const flags = view.getUint16(2);
  if ((flags & Flag.response) !== 0) return { kind: 'ignored' };
  if ((flags & opcodeBits) !== 0) return { kind: 'refused', id, flags, rcode: 'NOTIMP' };
  const malformed = { kind: 'refused', id, flags, rcode: 'FORMERR' } as const;
  if (view.getUint16(4) !== 1) return malformed;
  const name = readName(message, headerBytes);
  if (name === undefined || name.end + 4 > message.length) return malformed;
  const end = name.end + 4;
  const edns = readEdns(view, { at: end, before: view.getUint16(6) + view.getUint16(8), count: view.getUint16(10) });
  if (edns === 'malformed') return malformed;
  return {
    kind: 'query',
    query: {
      id,
      flags,
      question: message.subarray(headerBytes, end),
      name: name.text,
      type: view.getUint16(name.end),
      class: view.getUint16(name.end + 2),
      edns,
    },
  };
}

const opcodeBits = 0x7800;

/** A name of labels without pointers. Undefined: it is too long, not complete, or has a pointer. */
function readName(message: Uint8Array, start: number): { readonly text: string; readonly end: number } | undefined {
  let text = '';
  for (let at = start; at < message.length && at - start < mostNameBytes;) {
    const length = message[at] ?? 0;
    if (length === 0) return { text, end: at + 1 };
    // The two highest bits mark a pointer, or an unused kind of label.
    if (length > 63 || at + 1 + length > message.length) return undefined;
    if (text !== '') text += '.';
    for (let i = at + 1; i <= at + length; i++) text += textOf(message[i] ?? 0);
    at += 1 + length;
  }
  return undefined;
}

const dot = 0x2e;

function textOf(byte: number): string {
  const character = String.fromCharCode(byte);
  if (/[\w-]/.test(character)) return character;
  // A dot is written as its number, so that each dot in the text is between two labels.
  return byte > 0x20 && byte < 0x7f && byte !== dot ? `\\${character}` : `\\${String(byte).padStart(3, '0')}`;
}

/**
 * The OPT record among those after the question; 'malformed' if records are not complete, or there
 * are two OPT records.
 */
function readEdns(
  view: DataView,
  { at: start, before, count }: { readonly at: number; readonly before: number; readonly count: number },
): Edns | undefined | 'malformed' {
  let found: Edns | undefined;
  let at = start;
  // Each record is at least eleven bytes long, so the message ends before the counts do.
  for (let index = 0; index < before + count; index++) {
    const fields = skipName(view, at);
    if (fields === undefined || fields + recordBytes > view.byteLength) return 'malformed';
    const end = fields + recordBytes + view.getUint16(fields + 8);
    if (end > view.byteLength) return 'malformed';
    if (view.getUint16(fields) === RecordType.OPT) {
      const isRoot = fields === at + 1;
      if (found !== undefined || !isRoot || index < before) return 'malformed';
      found = { udpBytes: view.getUint16(fields + 2), version: view.getUint8(fields + 5) };
    }
    at = end;
  }
  return found;
}

/** The end of a name that is skipped. */
function skipName(view: DataView, start: number): number | undefined {
  for (let at = start; at < view.byteLength;) {
    const length = view.getUint8(at);
    if (length === 0) return at + 1;
    if (length >= 0xc0) return at + 2;
    if (length > 63) return undefined;
    at += 1 + length;
  }
  return undefined;
}
