/** A host or address and a port, as URLs and people write them: an IPv6 address stands in brackets. */
export function hostPort(host: string, port: number | string): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
