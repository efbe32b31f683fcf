import { anyTextFlag, numberFlag, switchFlag } from '../command/flag.ts';
import type { FlagTable, GivenFlags } from '../command/flag.ts';

const group =
  'Flags of klog, accepted so that manifests written for Antrea work; only --v has an effect, and all logs go to stderr';

/** The flags of klog v2 and Antrea's own addition to them (docs/spec/process.md §1). */
export const klogFlags = {
  v: numberFlag({
    short: 'v',
    placeholder: 'level',
    summary: 'the log level; 4 and higher add debug messages',
    absent: '0',
    group,
  }),
  add_dir_header: switchFlag({ summary: 'no effect', group }),
  alsologtostderr: switchFlag({ summary: 'no effect', group }),
  log_backtrace_at: anyTextFlag({ placeholder: 'place', summary: 'no effect', group }),
  log_dir: anyTextFlag({ placeholder: 'folder', summary: 'no effect', group }),
  log_file: anyTextFlag({ placeholder: 'file', summary: 'no effect', group }),
  log_file_max_num: numberFlag({ placeholder: 'count', summary: 'no effect', group }),
  log_file_max_size: numberFlag({ placeholder: 'MB', summary: 'no effect', group }),
  logtostderr: switchFlag({ summary: 'no effect', group }),
  one_output: switchFlag({ summary: 'no effect', group }),
  skip_headers: switchFlag({ summary: 'no effect', group }),
  skip_log_headers: switchFlag({ summary: 'no effect', group }),
  stderrthreshold: anyTextFlag({ placeholder: 'severity', summary: 'no effect', group }),
  vmodule: anyTextFlag({ placeholder: 'patterns', summary: 'no effect', group }),
} as const satisfies FlagTable;

/** The klog flags that were given and change nothing, as they are typed. */
export function flagsWithoutEffect(given: GivenFlags<typeof klogFlags>): readonly string[] {
  const names = Object.keys(klogFlags) as (keyof typeof klogFlags)[];
  return names.filter((name) => name !== 'v' && given[name] !== undefined).map((name) => `--${name}`);
}
