import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { imagesSize, recordImagesSize } from "#agent/workspace/images-size.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";

import { ids } from "../support/harness.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "gantry-images-"));
});
afterEach(() => rmSync(home, { recursive: true }));

function projectWithImages() {
  const folder = projectFolder(home, ids.project());
  mkdirSync(folder.containers, { recursive: true });
  return folder;
}

it("is the sum of what the images of each project took last", async () => {
  expect(await imagesSize(home)).toBe(0);
  const [shop, blog] = [projectWithImages(), projectWithImages()];
  await recordImagesSize(shop, 5);
  await recordImagesSize(shop, 7);
  await recordImagesSize(blog, 20);
  expect(await imagesSize(home)).toBe(27);
});

it("leaves out images that were never measured or are gone, and a damaged file", async () => {
  await recordImagesSize(projectWithImages(), 7);
  projectWithImages();
  const gone = projectWithImages();
  await recordImagesSize(gone, 100);
  rmSync(gone.containers, { recursive: true });
  writeFileSync(projectWithImages().imagesSize, "{");
  expect(await imagesSize(home)).toBe(7);
});
