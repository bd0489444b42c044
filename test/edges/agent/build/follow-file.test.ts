import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { followFile } from "#build/process/follow-file.ts";
import { createOutputFiles, type OutputFiles } from "#build/process/output-files.ts";

let folder: string;
let files: OutputFiles;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gantry-follow-"));
  files = createOutputFiles(join(folder, "output"), "1");
});
afterEach(() => {
  files.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("a followed file", () => {
  it("stays short when it grows faster than it is read, without blocking the agent", async () => {
    let read = 0;
    let dropped = 0;
    let turns = 0;
    const take = (chunk: Buffer) => {
      for (const until = performance.now() + 2; performance.now() < until;);
      read += chunk.length;
      return null;
    };
    const onDropped = (bytes: number) => void (dropped += bytes);
    const reader = followFile(files.stdout, take, { pollMs: 10, maxBytes: 1e6, onDropped });
    const printing = spawn("yes", [], { stdio: ["ignore", files.stdout.fd, "ignore"] });
    // It ends by itself, because a blocked event loop could not end it.
    const end = spawn("sh", ["-c", `sleep 4; kill -9 ${printing.pid}`]);
    const timer = setInterval(() => (turns += 1), 10);
    await once(end, "exit");
    clearInterval(timer);
    expect(turns).toBeGreaterThan(20);
    expect(dropped).toBeGreaterThan(read);
    await reader.finish(0);
  });
});
