import type { Instruments } from '@isthmus/kube';
import { defineMetrics, silentInstruments } from '@isthmus/kube';

/** The metrics of a DNS server. */
export const dnsMetrics = defineMetrics({
  dnsQueries: {
    kind: 'counter',
    name: 'isthmus_dns_query_total',
    stability: 'alpha',
    help: 'Messages from clients by transport (udp, tcp), type of the question (A, AAAA, SRV, TXT, SOA, ANY, other) and code of the response (none: not answered).',
    labels: ['transport', 'type', 'rcode'],
  },
  dnsSeconds: {
    kind: 'histogram',
    name: 'isthmus_dns_query_duration_seconds',
    stability: 'alpha',
    help: 'Time from the arrival of a message in the process to its response.',
    labels: ['transport'],
    buckets: [0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1],
  },
  dnsTruncated: {
    kind: 'counter',
    name: 'isthmus_dns_truncated_response_total',
    stability: 'alpha',
    help: 'Responses that lack records, because the complete response would be too long.',
    labels: ['transport'],
  },
  dnsConnectionsClosed: {
    kind: 'counter',
    name: 'isthmus_dns_connection_closed_total',
    stability: 'alpha',
    help: 'TCP connections that the server closed, by reason: idle, malformed, limit.',
    labels: ['reason'],
  },
});
export type DnsMetrics = Instruments<typeof dnsMetrics>;
export const noDnsMetrics: DnsMetrics = silentInstruments(dnsMetrics);
