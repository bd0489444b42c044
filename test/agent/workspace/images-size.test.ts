import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { imageSizes, recordImagesSize, sumOf } from "#agent/workspace/images-size.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";

import { ids } from "../support/harness.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "gantry-images-"));
});
afterEach(() => rmSync(home, { recursive: true }));

function projectWithImages() {
  const id = ids.project();
  const folder = projectFolder(home, id);
  mkdirSync(folder.containers, { recursive: true });
  return { id, folder };
}

it("is what the images of each project took last, the most first", async () => {
  expect(await imageSizes(home)).toEqual([]);
  const [shop, blog] = [projectWithImages(), projectWithImages()];
  await recordImagesSize(shop.folder, 5);
  await recordImagesSize(shop.folder, 7);
  await recordImagesSize(blog.folder, 20);
  const sizes = await imageSizes(home);
  expect(sizes).toEqual([
    { project_id: blog.id, bytes: 20 },
    { project_id: shop.id, bytes: 7 },
  ]);
  expect(sumOf(sizes)).toBe(27);
});

it("leaves out images that were never measured or are gone, and a damaged file", async () => {
  const measured = projectWithImages();
  await recordImagesSize(measured.folder, 7);
  projectWithImages();
  await recordImagesSize(projectWithImages().folder, 0);
  const gone = projectWithImages().folder;
  await recordImagesSize(gone, 100);
  rmSync(gone.containers, { recursive: true });
  writeFileSync(projectWithImages().folder.imagesSize, "{");
  expect(await imageSizes(home)).toEqual([{ project_id: measured.id, bytes: 7 }]);
});
