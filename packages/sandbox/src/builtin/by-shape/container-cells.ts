import type { PodTemplate } from '../pods/pod-template.ts';

/** The names and the images of the containers of a template, as two cells. */
export function containerCells(template: PodTemplate | undefined): readonly [names: string, images: string] {
  const containers = (template?.spec?.containers ?? []) as readonly {
    readonly name?: string | undefined;
    readonly image?: string | undefined;
  }[];
  return [containers.map(({ name = '' }) => name).join(','), containers.map(({ image = '' }) => image).join(',')];
}
