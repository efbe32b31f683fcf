import { answerQuestion } from './answer.ts';
import type { Zone } from './answer.ts';
import type { RcodeName } from './codes.ts';
import { RecordClass, RecordType } from './codes.ts';
import type { Query } from './read-query.ts';
import { readQuery } from './read-query.ts';
import type { Response } from './write-response.ts';
import { leastRecordBytes, mostTcpBytes, udpBytesFor, writeRefusal, writeResponse } from './write-response.ts';

/** What a server knows. */
export interface Served {
  /** `clusterset.local`. */
  readonly zoneName: string;
  /** Undefined as long as the imports were never read: the server then says that it does not know. */
  readonly zone: Zone | undefined;
  /** Of the SOA record: it grows with changes. */
  readonly serial: number;
}

/** How an answer is counted. */
export interface Responded {
  /** Undefined: the message is not answered. */
  readonly message: Uint8Array | undefined;
  readonly rcode: RcodeName | 'none';
  readonly type: CountedType;
  readonly isTruncated: boolean;
}

const countedTypes = ['A', 'AAAA', 'SRV', 'TXT', 'SOA', 'ANY'] as const;
/** Of a question, for metrics: a closed set. */
export type CountedType = (typeof countedTypes)[number] | 'other';

/** For how long clients remember that a name does not exist, in seconds: a new import is found so soon. */
const negativeTTL = 5;
/** Of RFC 8914: the server is up, and not ready. */
const notReady = 14;

/**
 * The response to one message from a client. Total: whatever the bytes are, it returns, after work that their length and the number of endpoints of one Service bound.
 *
 * The zone is answered with authority; other names, classes and zone transfers are refused. ANY has one small record (RFC 8482). Answers with several records begin with another one for
 * other IDs of queries, so that clients which use the first spread; equal queries have equal answers.
 */
export function respond(message: Uint8Array, transport: 'udp' | 'tcp', served: Served): Responded {
  const read = readQuery(message);
  if (read.kind === 'ignored') return { message: undefined, rcode: 'none', type: 'other', isTruncated: false };
  if (read.kind === 'refused') {
    const { id, flags, rcode } = read;
    return { message: writeRefusal(id, flags, rcode), rcode, type: 'other', isTruncated: false };
  }
  const { query } = read;
  const isUdp = transport === 'udp';
  const limit = isUdp ? udpBytesFor(query.edns) : mostTcpBytes;
  const response = responseTo(query, served, limit);
  const type = countedTypes.find((name) => RecordType[name] === query.type) ?? 'other';
  return { ...writeResponse(query, response, { limit, isUdp }), rcode: response.rcode, type };
}

/** `limit`: of the response, in bytes. One record more than could fit shows that it is not complete. */
function responseTo(query: Query, { zoneName, zone, serial }: Served, limit: number): Response {
  const { type, name, edns } = query;
  if (edns !== undefined && edns.version > 0) return failure('BADVERS');
  const isTransfer = type === RecordType.AXFR || type === RecordType.IXFR;
  if (isTransfer || (query.class !== RecordClass.IN && query.class !== RecordClass.ANY)) return failure('REFUSED');
  const asked = recordTypeNames.get(type) ?? 'other';
  if (!isInZone(name, zoneName)) return failure('REFUSED');
  if (zone === undefined) return { ...failure('SERVFAIL'), extendedError: notReady };
  const soa = { zone: zoneName, serial, ttl: negativeTTL };
  if (asked === 'SOA' && name.toLowerCase() === zoneName)
    return { rcode: 'NOERROR', answers: [{ type: 'SOA', ttl: negativeTTL, data: soa }] };
  const part = { first: query.id, most: Math.ceil(limit / leastRecordBytes) };
  const { rcode, answers } = answerQuestion({ name, type: asked }, zone, part);
  if (asked === 'ANY' && rcode === 'NOERROR')
    return { rcode, answers: [{ type: 'HINFO', ttl: negativeTTL, data: 'RFC8482' }] };
  if (answers.length === 0) return { rcode, answers, negative: soa };
  return { rcode, answers };
}

const failure = (rcode: RcodeName): Response => ({ rcode, answers: [] });

const recordTypeNames: ReadonlyMap<number, string> = new Map(
  Object.entries(RecordType).map(([name, number]) => [number, name]),
);

function isInZone(name: string, zoneName: string): boolean {
  const lower = name.toLowerCase();
  return lower === zoneName || lower.endsWith(`.${zoneName}`);
}
