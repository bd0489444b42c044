import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { AgentWorld } from "../../../agent/support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

/** Commits links with long paths, so that few of them make a large index. Without a work tree, which would be slow. */
function commitLargeTree(): void {
  const git = (...args: string[]) => world.repository.git(...args);
  const write = (text: string) => {
    writeFileSync(join(world.repository.path, "blob"), text);
    return git("hash-object", "-w", "blob");
  };
  const [page, target] = [write("page"), write("link-0")];
  const folder = Array.from({ length: 12 }, (_, depth) => `${depth}`.padEnd(200, "f")).join("/");
  const links = Array.from({ length: 500 }, (_, at) => `120000 ${target}\t${folder}/link-${at + 1}`);
  const files = [`100644 ${page}\tindex.html`, `100644 ${page}\t${folder}/link-0`];
  writeFileSync(join(world.repository.path, "entries"), [...files, ...links, ""].join("\n"));
  git("read-tree", "--empty");
  git("-c", "alias.add-entries=!git update-index --index-info < entries", "add-entries");
  git("commit", "--quiet", "--message=many links");
}

describe("a release without commands", () => {
  it("asks for its permit after the check of its links if its tree is large, so that it can be canceled until then", async () => {
    commitLargeTree();
    await world.startAgent();
    const complete: (readonly number[])[] = [];
    world.control.faultOf = ({ events }) => {
      if (events.some(({ type }) => type === "ready")) complete.push(world.releases);
      return null;
    };
    expect((await world.deploy()).result.outcome).toBe("live");
    expect(complete).toEqual([[1]]);
  });
});
