/** Numbers of RFC 1035, 2782, 3596, 6891, 8482 and 8914 that are used here. */
export const RecordType = {
  A: 1,
  SOA: 6,
  HINFO: 13,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
} as const;

export const RecordClass = { IN: 1, ANY: 255 } as const;

export const Rcode = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
} as const;
export type RcodeName = keyof typeof Rcode;

/** The bits of the second word of a message. */
export const Flag = { response: 0x8000, authoritative: 0x0400, truncated: 0x0200, recursionDesired: 0x0100 } as const;
export const checkingDisabled = 0x0010;

/** The lengths of a header, and of the fields of a record beside its name and data. */
export const headerBytes = 12;
export const recordBytes = 10;
/** The longest label, and the longest name with the bytes for the lengths of its labels. */
export const mostLabelBytes = 63;
export const mostNameBytes = 255;
