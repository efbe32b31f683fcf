import type { Transport } from '@isthmus/kube';

/**
 * A {@link Transport} that is opened with its first request, so that a command without requests
 * does not load the modules of HTTPS. They take two thirds of the processor time that
 * `isthmus --version` needs beyond that of Node. If it cannot be opened, each request is rejected
 * with the reason.
 */
export function lazyTransport(open: () => Promise<Transport>): Transport {
  let opening: Promise<Transport> | undefined;
  let closed = false;
  return {
    async send(request, signal) {
      opening ??= open();
      const transport = await opening;
      // A transport that is opened after it was closed rejects everything.
      if (closed) transport.close();
      return transport.send(request, signal);
    },
    close() {
      closed = true;
      // A transport that cannot be opened rejects its requests, and nothing of it is open.
      opening?.then(
        (transport) => transport.close(),
        () => {},
      );
    },
  };
}
