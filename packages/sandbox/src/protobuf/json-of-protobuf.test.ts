import { describe, expect, it } from 'vitest';
import { jsonOfProtobuf } from './json-of-protobuf.ts';

/** Objects as a real kube-apiserver 1.36 encodes them. */
const service =
  'azhzAAoNCgJ2MRIHU2VydmljZRKGBQrwAwoCcGISABoHZGVmYXVsdCIAKiRiMjNlMjBlMS1mMGVjLTRjODAtOGZkMi1iNmJlNmIzZGZiOWUyADgAQggIzKeF2AYQAFoICgNhcHASAXiKAZ0DCgJwYhIGVXBkYXRlGgJ2MSIICMynhdgGEAAyCEZpZWxkc1YxOvQCCvECeyJmOm1ldGFkYXRhIjp7ImY6bGFiZWxzIjp7Ii4iOnt9LCJmOmFwcCI6e319fSwiZjpzcGVjIjp7ImY6aW50ZXJuYWxUcmFmZmljUG9saWN5Ijp7fSwiZjpwb3J0cyI6eyIuIjp7fSwiazp7XCJwb3J0XCI6ODAsXCJwcm90b2NvbFwiOlwiVENQXCJ9Ijp7Ii4iOnt9LCJmOm5hbWUiOnt9LCJmOnBvcnQiOnt9LCJmOnByb3RvY29sIjp7fSwiZjp0YXJnZXRQb3J0Ijp7fX0sIms6e1wicG9ydFwiOjgxLFwicHJvdG9jb2xcIjpcIlRDUFwifSI6eyIuIjp7fSwiZjpuYW1lIjp7fSwiZjpwb3J0Ijp7fSwiZjpwcm90b2NvbCI6e30sImY6dGFyZ2V0UG9ydCI6e319fSwiZjpzZWxlY3RvciI6e30sImY6c2Vzc2lvbkFmZmluaXR5Ijp7fSwiZjp0eXBlIjp7fX19QgASjAEKGAoBYRIDVENQGFAiCggBEAAaBGh0dHAoAAoVCgFiEgNUQ1AYUSIHCAAQkT8aACgAEggKA2FwcBIBeBoJMTAuOTYuMC4wIglDbHVzdGVySVA6BE5vbmVCAFIAWgBgAGgAigELU2luZ2xlU3RhY2uSAQkxMC45Ni4wLjCaAQRJUHY0sgEHQ2x1c3RlchoCCgAaACIA';
const lease =
  'azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRKlAgqOAgoCcGISABoHZGVmYXVsdCIAKiQxMGFlMjQ0ZS0yMWE4LTRmY2UtYmVlYy0yNjNmZTFiZDczOTQyADgAQggIzaeF2AYQAFoICgNhcHASAXiKAbsBCgJwYhIGVXBkYXRlGhZjb29yZGluYXRpb24uazhzLmlvL3YxIggIzaeF2AYQADIIRmllbGRzVjE6fwp9eyJmOm1ldGFkYXRhIjp7ImY6bGFiZWxzIjp7Ii4iOnt9LCJmOmFwcCI6e319fSwiZjpzcGVjIjp7ImY6aG9sZGVySWRlbnRpdHkiOnt9LCJmOmxlYXNlRHVyYXRpb25TZWNvbmRzIjp7fSwiZjpyZW5ld1RpbWUiOnt9fX1CABISCgF4EA8iCwiA8tbKBhCAlO86GgAiAA==';

/** A message of these fields: a number as a varint, all else by its length. */
function message(...fields: readonly (readonly [number: number, value: string | number | Uint8Array])[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(number << 3), varint(value)];
      const bytes = Buffer.from(value);
      return [varint((number << 3) | 2), varint(bytes.length), bytes];
    }),
  );
}

function varint(value: number): Buffer {
  return value < 0x80 ? Buffer.of(value) : Buffer.concat([Buffer.of((value & 0x7f) | 0x80), varint(value >> 7)]);
}

const read = (base64: string) => JSON.parse(jsonOfProtobuf(Buffer.from(base64, 'base64')) ?? 'null');

describe('an object in protobuf', () => {
  it('has the fields of its JSON: a Service with ports by number and by name', () => {
    expect(read(service)).toMatchObject({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'pb', labels: { app: 'x' }, creationTimestamp: expect.stringMatching(/^\d{4}-.*:\d\dZ$/) },
      spec: {
        selector: { app: 'x' },
        type: 'ClusterIP',
        ports: [
          { name: 'a', port: 80, targetPort: 'http', protocol: 'TCP' },
          { name: 'b', port: 81, targetPort: 8081, protocol: 'TCP' },
        ],
      },
    });
  });

  it('has times of microseconds where the JSON has them: a Lease', () => {
    expect(read(lease)).toMatchObject({
      kind: 'Lease',
      spec: { holderIdentity: 'x', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.123456Z' },
    });
  });

  it.each([
    [
      'the UID of a bound object',
      ['authentication.k8s.io/v1', 'TokenRequest'],
      message([2, message([3, message([4, 'u-1'])])]),
      { spec: { boundObjectRef: { uid: 'u-1' } } },
    ],
    [
      "the port of a Node's kubelet",
      ['v1', 'Node'],
      message([3, message([6, message([1, message([1, 10250])])])]),
      { status: { daemonEndpoints: { kubeletEndpoint: { Port: 10250 } } } },
    ],
    [
      "the group of an IngressClass's parameters",
      ['networking.k8s.io/v1', 'IngressClass'],
      message([2, message([2, message([1, 'example.com'])])]),
      { spec: { parameters: { apiGroup: 'example.com' } } },
    ],
    [
      'the paths of a rule of an Ingress',
      ['networking.k8s.io/v1', 'Ingress'],
      message([2, message([3, message([1, 'a.example'], [2, message([1, message([1, message([1, '/x'])])])])])]),
      { spec: { rules: [{ host: 'a.example', http: { paths: [{ path: '/x' }] } }] } },
    ],
  ] as const)(
    'has the names of its JSON where those of protobuf differ: %s',
    (_, [apiVersion, kind], raw, expected) => {
      const typeMeta = message([1, apiVersion], [2, kind]);
      const bytes = Buffer.concat([Buffer.from('k8s\0', 'latin1'), message([1, typeMeta], [2, raw])]);
      expect(JSON.parse(jsonOfProtobuf(bytes) ?? 'null')).toEqual({ apiVersion, kind, ...expected });
    },
  );

  it('of a kind without a form here is left to be refused', () => {
    // apiVersion example.com/v1, kind Widget.
    const unknown = Buffer.from('k8s\0\x0a\x18\x0a\x0eexample.com/v1\x12\x06Widget', 'latin1');
    expect(jsonOfProtobuf(unknown)).toBeUndefined();
  });

  it('that ends anywhere early throws or is a shorter object, and never hangs', () => {
    const whole = Buffer.from(service, 'base64');
    for (let length = 0; length < whole.length; length++) {
      try {
        jsonOfProtobuf(whole.subarray(0, length));
      } catch (error) {
        expect((error as Error).message).toMatch(/k8s|EOF|proto/);
      }
    }
  });

  /**
   * If each item copied the previous ones, the most items that fit into a request would exceed the
   * time of a test.
   */
  it('of very many items is read, and each item once', { timeout: 30_000 }, () => {
    const many = 100_000;
    const items = Array.from({ length: many }, () => [14, ''] as const);
    const labels = Array.from({ length: many / 2 }, (_, index) => [11, message([1, `k${index}`])] as const);
    const unknown = message([1, message([1, 'v1'], [2, 'ConfigMap'])], [2, message([1, message(...items, ...labels)])]);
    const text = jsonOfProtobuf(Buffer.concat([Buffer.from('k8s\0'), unknown])) ?? '';
    const { metadata } = JSON.parse(text) as {
      readonly metadata: { readonly finalizers: []; readonly labels: object };
    };
    expect([metadata.finalizers.length, Object.keys(metadata.labels).length]).toEqual([many, many / 2]);
  });
});
