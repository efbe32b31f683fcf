/**
 * A host or address and a port as URLs have them: an IPv6 address is in brackets.
 */
export function hostPort(host: string, port: number | string): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The host or address in a URL. An IPv6 address is without its brackets. */
export function urlHost({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
