/**
 * Decides which of `names` to record again, by the environment variable `RECORD`: none if it is
 * absent, all for `1`, otherwise the named ones, separated by commas. A name without a version
 * (`serviceimports`) means all its versions.
 *
 * Errors: throws for an unknown name and lists the known ones. Otherwise the run would silently
 * record nothing.
 */
export function recordWanted(record: string | undefined, names: readonly string[]): (name: string) => boolean {
  if (record === undefined || record === '') return () => false;
  if (record === '1') return () => true;
  const asked = record.split(',');
  const standsFor = (one: string, name: string) =>
    name === one || name.replace(/-v\d+(?:(?:alpha|beta)\d+)?$/, '') === one;
  const unknown = asked.filter((one) => !names.some((name) => standsFor(one, name)));
  if (unknown.length > 0)
    throw new Error(`RECORD=${record}: ${unknown.join(', ')} is none of the names here: ${names.join(', ')}`);
  return (name) => asked.some((one) => standsFor(one, name));
}
