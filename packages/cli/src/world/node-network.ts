// Loaded with the first connection or server: commands that need none start without the client.
export { connect, httpsTransport, openWebSocket, startHealthServer, startSecureServer } from '@isthmus/kube';
