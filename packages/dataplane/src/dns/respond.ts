import { answerQuestion } from './answer.ts';
import type { Zone } from './answer.ts';
import type { RcodeName } from './codes.ts';
import { RecordClass, RecordType } from './codes.ts';
import type { Query } from './read-query.ts';
import { readQuery } from './read-query.ts';
import type { Response } from './write-response.ts';
import { leastRecordBytes, mostTcpBytes, udpBytesFor, writeRefusal, writeResponse } from './write-response.ts';

/** The data that a server answers from. */
export interface Served {
  /** For example `clusterset.local`. */
  readonly zoneName: string;
  /**
   * Undefined until the imports have been read once. Until then the server answers with SERVFAIL.
   */
  readonly zone: Zone | undefined;
  /** The serial of the SOA record, which increases with changes. */
  readonly serial: number;
}

/** The response with its values for metrics. */
export interface Responded {
  /** Undefined: the message is not answered. */
  readonly message: Uint8Array | undefined;
  readonly rcode: RcodeName | 'none';
  readonly type: CountedType;
  readonly isTruncated: boolean;
  /** The name in question; undefined: the message is not a query. */
  readonly name?: string | undefined;
}

const countedTypes = ['A', 'AAAA', 'SRV', 'TXT', 'SOA', 'ANY'] as const;
/** The type of a question, for metrics: a closed set. */
export type CountedType = (typeof countedTypes)[number] | 'other';

/**
 * How long clients remember that a name does not exist, in seconds. A new import is found within
 * this time.
 */
const negativeTTL = 5;
/** The code of RFC 8914 for a server that is up, but not ready. */
const notReady = 14;

/**
 * The response to one message from a client. Total: it returns for any bytes. Its work is limited
 * by their length and by the number of endpoints of one Service.
 *
 * The zone is answered with authority. Other names, classes and zone transfers are refused. ANY has
 * one small record (RFC 8482). The first of several records depends on the ID of the query, so
 * clients that use the first record are spread. Equal queries have equal answers.
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
  return { ...writeResponse(query, response, { limit, isUdp }), name: query.name, rcode: response.rcode, type };
}

/**
 * `limit`: the most bytes of the response. One record more than could fit is taken, which shows
 * that the response is not complete.
 */
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
