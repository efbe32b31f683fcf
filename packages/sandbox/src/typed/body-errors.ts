/** The most of a body that an error shows, in bytes. */
const shownBytes = 30;

/**
 * The API server's answer (400 BadRequest) to a body whose kind it cannot read. It is
 * `the object provided is unrecognized (must be of type Service)`, the error, and the start of the
 * body, in hexadecimal if this does not look like JSON.
 */
export function unrecognizedBody(expectedKind: string, message: string, body: Uint8Array): string {
  return `the object provided is unrecognized (must be of type ${expectedKind}): ${message} (${summary(body)})`;
}

/** The same for a body whose kind is known and that cannot be read as that kind. */
export function unhandledBody(
  given: { readonly kind: string; readonly version: string },
  expectedKind: string,
  message: string,
): string {
  return `${given.kind} in version ${JSON.stringify(given.version)} cannot be handled as a ${expectedKind}: ${message}`;
}

/**
 * The API server's error for an unknown kind or version. Its text contains a line number of its
 * source.
 */
export function unregisteredKind(kind: string, apiVersion: string): string {
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
}

/** The errors of the strict decoder in one message: `fieldValidation=Strict`. */
export function strictDecodingError(errors: readonly string[]): string {
  return `strict decoding error: ${errors.join(', ')}`;
}

function summary(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const shown = Buffer.from(body.subarray(0, shownBytes)).toString(body[0] === 0x7b ? 'utf8' : 'hex');
  return body.length > shownBytes ? `${shown} ...` : shown;
}
