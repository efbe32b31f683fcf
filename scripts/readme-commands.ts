/** The commands of "Run it on your clusters" in README.md, by what they do. */
export interface RunOnClusters {
  /** Imports the image, on each Node. */
  readonly image: string;
  readonly install: string;
  readonly join: string;
  readonly leave: string;
  readonly uninstall: string;
  /** Without the image: no Pods, and the configuration of controllers on one machine. */
  readonly withoutImage: string;
  /** One line for each controller, which runs until it is interrupted. */
  readonly controllers: string;
  /** The YAML that exports a Service. */
  readonly serviceExport: string;
}

/** Reads them from the text of README.md. Errors: the section does not have these blocks. */
export function runOnClusters(readme: string): RunOnClusters {
  const section = readme.split('## Run it on your clusters\n')[1]?.split(/\n## /)[0] ?? '';
  const blocks = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, text = '']) => text);
  const serviceExport = /\n## Export a Service\n\n```yaml\n(.*?)```/s.exec(readme)?.[1];
  const [image, install, join, leave, uninstall, withoutImage, controllers, ...more] = blocks;
  if (
    image === undefined ||
    install === undefined ||
    join === undefined ||
    leave === undefined ||
    uninstall === undefined ||
    withoutImage === undefined ||
    controllers === undefined ||
    serviceExport === undefined ||
    more.length > 0
  )
    throw new Error(
      `"Run it on your clusters" of README.md has ${blocks.length} blocks of commands instead of 7, or nothing exports a Service`,
    );
  return { image, install, join, leave, uninstall, withoutImage, controllers, serviceExport };
}
