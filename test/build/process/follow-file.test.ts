import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { followFile, type FollowOptions } from "#build/process/follow-file.ts";
import { createOutputFiles, type OutputFiles } from "#build/process/output-files.ts";
import { pause } from "#contract/lib/pause.ts";

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

const append = (text: string) => appendFileSync(files.stdout.path, text);

function follow(options: Partial<FollowOptions> = {}) {
  const seen = { text: "", dropped: 0, room: null as Promise<void> | null };
  const take = (chunk: Buffer) => {
    seen.text += chunk.toString();
    return seen.room;
  };
  const onDropped = (bytes: number) => void (seen.dropped += bytes);
  const reader = followFile(files.stdout, take, { pollMs: 10, maxBytes: 1e6, onDropped, ...options });
  return { seen, reader };
}

describe("a followed file", () => {
  it("is read as it grows, without waiting for the next poll", async () => {
    const { seen, reader } = follow({ pollMs: 600_000 });
    for (const word of ["one", "two", "three"]) {
      append(word);
      await expect.poll(() => seen.text, { interval: 5 }).toMatch(new RegExp(`${word}$`));
    }
    await reader.finish(0);
    expect(seen.text).toBe("onetwothree");
  });

  it("is also read when the system allows no more watches", async () => {
    const { seen, reader } = follow({
      watch: () => {
        throw new Error("ENOSPC: System limit for number of file watchers reached");
      },
    });
    append("one");
    await expect.poll(() => seen.text).toBe("one");
    await reader.finish(0);
  });

  it("is read to its end when it is finished, and not further", async () => {
    const { seen, reader } = follow({ maxBytes: 1e7 });
    append("x".repeat(5_000_000));
    await reader.finish(0);
    append("more");
    await pause(50);
    expect(seen.text).toHaveLength(5_000_000);
  });

  it("is not read while there is no room, and its end is read when there is", async () => {
    const { seen, reader } = follow();
    const room = Promise.withResolvers<void>();
    seen.room = room.promise;
    append("one");
    await expect.poll(() => seen.text).toBe("one");
    append("two");
    await pause(50);
    expect(seen.text).toBe("one");
    seen.room = null;
    const finished = reader.finish(0);
    room.resolve();
    await finished;
    expect(seen.text).toBe("onetwo");
  });

  it("is emptied when it is too long, and the bytes that were not read are counted", async () => {
    const { seen, reader } = follow({ maxBytes: 1_000 });
    append("a".repeat(1_500));
    await expect.poll(() => statSync(files.stdout.path).size).toBe(0);
    const room = Promise.withResolvers<void>();
    seen.room = room.promise;
    append("b");
    await expect.poll(() => seen.text).toHaveLength(1_501);
    append("c".repeat(2_000));
    await expect.poll(() => seen.dropped).toBe(2_000);
    seen.room = null;
    room.resolve();
    append("d");
    await reader.finish(0);
    expect(seen.text).toBe(`${"a".repeat(1_500)}bd`);
    expect(readFileSync(files.stdout.path, "utf8")).toBe("d");
  });

  it("is read from its beginning after another process empties it", async () => {
    const { seen, reader } = follow();
    append("one two three");
    await expect.poll(() => seen.text).toBe("one two three");
    truncateSync(files.stdout.path);
    await pause(50);
    append("four");
    await reader.finish(0);
    expect(seen.text).toBe("one two threefour");
  });

  it("is read to an end when it is emptied during the last read", async () => {
    const { seen, reader } = follow({ pollMs: 600_000 });
    const room = Promise.withResolvers<void>();
    seen.room = room.promise;
    append("one");
    await expect.poll(() => seen.text).toBe("one");
    append("two");
    const finished = reader.finish(0);
    truncateSync(files.stdout.path);
    seen.room = null;
    room.resolve();
    await finished;
  });
});
