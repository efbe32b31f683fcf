/**
 * Which of `names` are to be recorded anew, by the environment variable `RECORD`: none where it is absent, all of them for `1`, otherwise those that it
 * names, separated by commas. A name without its version (`serviceimports`) stands for all its versions.
 *
 * Errors: throws for a name that stands for none, naming those that exist: nothing would be recorded, and nothing would say so.
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
