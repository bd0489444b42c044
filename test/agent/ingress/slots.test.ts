import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readSite, writeSite } from "#agent/ingress/site-file.ts";
import { removeSlots, setMaintenance, slotFiles, writeSlots } from "#agent/ingress/slots.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { writeAtomic } from "#node/write-atomic.ts";

import { mkdir } from "node:fs/promises";

import { ids } from "../support/harness.ts";

const id = ids.project();
let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), "gantry-slots-"))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const files = () => slotFiles(home, id);
const slots = () => files().slots.map((path) => readFileSync(path, "utf8"));
const names = () => readdirSync(files().folder).toSorted();

describe("The slots of an app", () => {
  it("share the requests evenly between the instances, where 12 can be divided by their number", async () => {
    for (const count of [1, 2, 3, 4, 6, 12]) {
      const addresses = Array.from({ length: count }, (_, at) => `127.0.0.1:${20_000 + at}`);
      await writeSlots(home, id, addresses);
      const shares = addresses.map((address) => slots().filter((slot) => slot === address).length);
      expect(new Set(shares)).toEqual(new Set([12 / count]));
    }
  });

  it("stay when the app is stopped, beside a mark that is gone after its next start", async () => {
    await writeSlots(home, id, ["127.0.0.1:20000"]);
    const running = names();
    await writeSlots(home, id, []);
    expect(names()).toEqual([...running, "stopped"].toSorted());
    await writeSlots(home, id, ["127.0.0.1:20001"]);
    expect(names()).toEqual(running);
    expect(new Set(slots())).toEqual(new Set(["127.0.0.1:20001"]));
  });

  it("are gone with the project, also if it had none", async () => {
    await setMaintenance(home, id, "<p>Back at noon</p>");
    expect(readFileSync(files().maintenance, "utf8")).toBe("<p>Back at noon</p>");
    await setMaintenance(home, id, null);
    expect(names()).toEqual([]);
    await removeSlots(home, id);
    await removeSlots(home, id);
    expect(readdirSync(home)).toEqual([]);
  });
});

describe("The site file of a project", () => {
  it("is read as it was written", async () => {
    const folder = projectFolder(home, id);
    expect(await readSite(folder)).toEqual({ kind: "missing" });
    await mkdir(folder.root, { recursive: true });
    const site = {
      domain: "shop.example.com",
      aliases: [{ domain: "www.shop.example.com", redirect: true }],
      content: { kind: "files", directory: "dist" },
    } as const;
    await writeSite(folder, { ...site, aliases: [...site.aliases] });
    expect(await readSite(folder)).toEqual({ kind: "site", site });
    await writeSite(folder, null);
    expect(await readSite(folder)).toEqual({ kind: "missing" });
  });

  it.each([
    ["damaged", "{", ""],
    [
      "a domain that is none",
      JSON.stringify({ domain: "*", aliases: [], content: { kind: "app" } }),
      "host name",
    ],
    [
      "a folder outside of the release",
      JSON.stringify({ domain: "a.test", aliases: [], content: { kind: "files", directory: "../.." } }),
      "directory",
    ],
  ])("is refused with the reason: %s", async (_, text, reason) => {
    const folder = projectFolder(home, id);
    await mkdir(folder.root, { recursive: true });
    await writeAtomic(folder.site, text);
    expect(await readSite(folder)).toMatchObject({
      kind: "unreadable",
      reason: expect.stringContaining(reason),
    });
  });
});
