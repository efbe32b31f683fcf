import type { KubernetesObject } from '@isthmus/machinery';
import type { Fields } from './review-fields.ts';
import { readReview, recordOf, requiredFields, requiredList, requiredText } from './review-fields.ts';

const conversionReviewVersion = 'apiextensions.k8s.io/v1';

/**
 * Objects of one kind that the API server wants in another version (apiextensions.k8s.io/v1
 * ConversionRequest).
 */
export interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  /**
   * Objects of any version of the kind; `apiVersion`, `kind` and `metadata` are present, the rest
   * is unchecked.
   */
  readonly objects: readonly ConvertibleObject[];
}

/** An object with its apiVersion and kind. */
export type ConvertibleObject = KubernetesObject & { readonly apiVersion: string; readonly kind: string };

/**
 * All objects in the order of the request, or why there are none: the API server takes all or
 * nothing.
 */
export type ConversionResult =
  | { readonly kind: 'converted'; readonly objects: readonly KubernetesObject[] }
  | { readonly kind: 'failed'; readonly message: string };

/** Reads a ConversionReview of the API server. Errors: {@link MalformedReview}. */
export function readConversionReview(body: string): ConversionRequest {
  const request = requiredFields(readReview(body, conversionReviewVersion, 'ConversionReview'), 'request');
  return {
    uid: requiredText(request, 'uid'),
    desiredAPIVersion: requiredText(request, 'desiredAPIVersion'),
    objects: requiredList(request, 'objects').map((value, index) => convertible(value, `request.objects[${index}]`)),
  };
}

/** The ConversionReview that answers the request with this uid, as JSON. */
export function conversionAnswer(uid: string, result: ConversionResult): string {
  const response =
    result.kind === 'converted'
      ? { uid, convertedObjects: result.objects, result: { status: 'Success' } }
      : { uid, convertedObjects: [], result: { status: 'Failed', message: result.message } };
  return JSON.stringify({ apiVersion: conversionReviewVersion, kind: 'ConversionReview', response });
}

function convertible(value: unknown, path: string): ConvertibleObject {
  const fields: Fields = { path, values: recordOf(value, path) };
  requiredText(fields, 'apiVersion');
  requiredText(fields, 'kind');
  requiredFields(fields, 'metadata');
  return fields.values as unknown as ConvertibleObject;
}
