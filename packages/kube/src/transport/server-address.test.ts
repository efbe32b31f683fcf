import { expect, it } from 'vitest';
import { parseServerAddress } from './server-address.ts';

it.each([
  ['https://10.0.0.1:6443', 'https', '10.0.0.1', 6443, '10.0.0.1:6443', ''],
  ['https://north.example.com', 'https', 'north.example.com', 443, 'north.example.com', ''],
  ['http://localhost/', 'http', 'localhost', 80, 'localhost', ''],
  ['https://[fd00::1]:6443/', 'https', 'fd00::1', 6443, '[fd00::1]:6443', ''],
  ['https://rancher/k8s/clusters/c-1//', 'https', 'rancher', 443, 'rancher', '/k8s/clusters/c-1'],
])('reads %s', (server, scheme, host, port, hostHeader, basePath) => {
  expect(parseServerAddress(server)).toEqual({
    secure: scheme === 'https',
    host,
    port,
    hostHeader,
    basePath,
    name: `${scheme}://${hostHeader}${basePath}`,
  });
});

it.each([
  ['', 'is not a URL; it must look like https://host:6443'],
  ['10.0.0.1:6443', 'is not a URL'],
  ['ftp://host', 'is not a URL'],
  ['https://user:s3cr3t@host', 'contains a user or password; API servers accept tokens or client certificates'],
  ['user:s3cr3t@host//x', 'is not a URL'],
])('refuses %j without repeating a password', (server, message) => {
  expect(() => parseServerAddress(server)).toThrow(message);
  expect(() => parseServerAddress(server)).not.toThrow('s3cr3t');
});
