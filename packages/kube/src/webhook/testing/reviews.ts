/**
 * An AdmissionReview as an API server sends it, with some fields of its request replaced; undefined
 * leaves one out.
 */
export function admissionReview(request: Readonly<Record<string, unknown>> = {}): string {
  const resource = { group: 'example.io', version: 'v1', resource: 'gadgets' };
  const kind = { group: 'example.io', version: 'v1', kind: 'Gadget' };
  return JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: 'review-1',
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      name: 'cart',
      namespace: 'shop',
      operation: 'CREATE',
      userInfo: { username: 'ada', groups: ['system:authenticated'], extra: { scopes: ['a', 'b'] } },
      object: { apiVersion: 'example.io/v1', kind: 'Gadget', metadata: { name: 'cart', namespace: 'shop' } },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
      ...request,
    },
  });
}

/** A ConversionReview as an API server sends it. */
export function conversionReview(desiredAPIVersion: string, objects: readonly unknown[]): string {
  return JSON.stringify({
    kind: 'ConversionReview',
    apiVersion: 'apiextensions.k8s.io/v1',
    request: { uid: 'review-2', desiredAPIVersion, objects },
  });
}
