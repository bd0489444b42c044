import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { docsFolder, type GuideGroup, guideGroups } from "./guide-groups.ts";
import { linkAddress } from "./link-address.ts";
import { type RenderedGuide, renderGuide } from "./render-guide.ts";

export type Guide = RenderedGuide & {
  /** Its path below docs/ without the suffix, such as `guides/node`. */
  readonly name: string;
};

export type Guides = {
  readonly groups: readonly GuideGroup[];
  readonly all: ReadonlyMap<string, Guide>;
  /** The images by their paths below the assets. */
  readonly images: ReadonlyMap<string, Buffer>;
};

/** Reads and renders the documents for users. */
export async function readGuides(): Promise<Guides> {
  const groups = await guideGroups();
  const names = groups.flatMap((group) => group.names);
  const images = await readImages();
  const sources = new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(docsFolder, `${name}.md`), "utf8")] as const),
    ),
  );
  const served = new Set(names);
  const all = [...sources].map(([name, source]) => {
    const rendered = renderGuide(source, {
      addressOf: (link) => linkAddress(link, `${name}.md`, served),
      titleOf: (text) => titleOf(sources, text),
      sizeOf: (address) => pngSize(images.get(address.slice(1))),
    });
    return [name, { name, ...rendered }] as const;
  });
  return { groups, all: new Map(all), images };
}

/** The title of a guide that a text names by its file, such as `events.md`. */
function titleOf(sources: ReadonlyMap<string, string>, text: string): string | null {
  const source = text.endsWith(".md") ? sources.get(text.slice(0, -".md".length)) : undefined;
  return /^# (.+)/.exec(source ?? "")?.[1] ?? null;
}

async function readImages(): Promise<Map<string, Buffer>> {
  const names = await readdir(join(docsFolder, "images"));
  const files = names.map(
    async (name) => [`docs/images/${name}`, await readFile(join(docsFolder, "images", name))] as const,
  );
  return new Map(await Promise.all(files));
}

/** Source: the PNG specification, 11.2.1 IHDR. */
function pngSize(file: Buffer | undefined): { readonly width: number; readonly height: number } {
  if (file === undefined) throw new Error("An image of a guide is missing.");
  return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
}
