import { mkdtempSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  readCorrectionNote,
  removeCorrectionNote,
  writeCorrectionNote,
} from "#agent/workspace/correction-note.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";

import { ids } from "../support/harness.ts";

const projectId = ids.project();
let home: string;
const folder = () => projectFolder(home, projectId);
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "gantry-note-"));
  await mkdir(folder().root, { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe("the note of an interrupted correction", () => {
  it("is read back, and removed", async () => {
    const note = { release: 3, marker: "correction-1" };
    await writeCorrectionNote(folder(), note);
    expect(await readCorrectionNote(folder())).toEqual(note);
    await removeCorrectionNote(folder());
    expect(await readCorrectionNote(folder())).toBeNull();
  });
});
