import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createWorkspace, serve, type ServedSite, type Workspace } from "../../../agent/sites/workspace.ts";

const SWITCHES = 300;
const CLIENTS = 8;

let workspace: Workspace;
let site: ServedSite;

beforeEach(async () => {
  workspace = await createWorkspace();
  site = await serve(workspace.directory);
});
afterEach(async () => {
  await site.close();
  await workspace.remove();
});

/** A page that is larger than one read of a file, so that a mixture of two releases is noticed. */
const page = (version: number) => `release ${version}\n`.repeat(6_000);

describe("a site while releases are switched", () => {
  it("answers every request from one release, and never from an older one than was live at the request", async () => {
    await workspace.addRelease(1, { "index.html": page(1) });
    await workspace.switchTo(1);
    let newest = 1;
    let isSwitching = true;
    const wrong: string[] = [];
    let requests = 0;

    async function client(): Promise<void> {
      while (isSwitching) {
        const least = newest;
        const answer = await fetch(site.url);
        const body = await answer.text();
        requests += 1;
        const version = Number(answer.headers.get("gantry-release"));
        if (answer.status !== 200) wrong.push(`status ${answer.status}`);
        else if (version < least) wrong.push(`${version} after ${least}`);
        else if (body !== page(version)) wrong.push(`mixed body under ${version}`);
      }
    }

    const clients = Array.from({ length: CLIENTS }, client);
    for (let version = 2; version <= SWITCHES; version += 1) {
      await workspace.addRelease(version, { "index.html": page(version) });
      await workspace.switchTo(version);
      newest = version;
      if (version > 5) await workspace.removeRelease(version - 5);
      // Each release answers at least a few requests.
      const enough = version * 7;
      while (requests < enough && wrong.length === 0) await fetch(site.url).then((a) => a.text());
    }
    isSwitching = false;
    await Promise.all(clients);
    expect(wrong).toEqual([]);
    expect(requests).toBeGreaterThan(2000);
  });

  it("answers from the earlier release when a failed one is removed immediately", async () => {
    await workspace.addRelease(1, { "index.html": page(1) });
    await workspace.switchTo(1);
    let isSwitching = true;
    const statuses = new Set<number>();
    async function client(): Promise<void> {
      while (isSwitching) {
        const answer = await fetch(site.url);
        await answer.text();
        statuses.add(answer.status);
      }
    }
    const clients = Array.from({ length: CLIENTS }, client);
    for (let version = 2; version <= 200; version += 1) {
      await workspace.addRelease(version, { "index.html": page(version) });
      await workspace.switchTo(version);
      await workspace.switchTo(1);
      await workspace.removeRelease(version);
    }
    isSwitching = false;
    await Promise.all(clients);
    expect([...statuses]).toEqual([200]);
  });
});
