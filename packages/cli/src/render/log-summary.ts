/**
 * Warnings and errors of a log as a few lines for users: each message once, the most frequent
 * first, with its number and the fields of the last one. Reads lines of `createLog`, as JSON or as
 * text; leaves out others. Empty if there is nothing to report.
 */
export function logSummary(lines: readonly string[]): readonly string[] {
  const byMessage = new Map<string, { count: number; fields: string }>();
  for (const line of lines) {
    const [, message = '', fields = ''] = textForm.exec(line) ?? [];
    const [, jsonFields = fields, jsonMessage = message] = jsonForm.exec(line) ?? [];
    if (jsonMessage === '') continue;
    byMessage.set(jsonMessage, { count: (byMessage.get(jsonMessage)?.count ?? 0) + 1, fields: jsonFields });
  }
  const messages = [...byMessage].toSorted(([, a], [, b]) => b.count - a.count);
  const shown = messages.slice(0, mostShown).map(([message, { count, fields }]) => {
    const last = fields.length > mostFields ? `${fields.slice(0, mostFields)}…` : fields;
    return `  ${count} × ${message}${last === '' ? '' : ` (last: ${last})`}`;
  });
  const others = messages.length - shown.length;
  return [
    ...(shown.length === 0 ? [] : ['warnings of the controllers:']),
    ...shown,
    ...(others > 0 ? [`  and ${others} other messages`] : []),
  ];
}

const mostShown = 5;
const mostFields = 200;
/** `12:30:05.123 warn  the message name=value`. */
const textForm = /^\S+ (?:warn|error) +(.+?)(?: ([\w.]+=.*))?$/m;
/** `{"level":"warn","time":"…","name":"value","message":"the message"}`. */
const jsonForm = /^\{"level":"(?:warn|error)","time":"[^"]*",(.*?),?"message":"(.*)"\}$/m;
