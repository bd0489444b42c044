import { execFileSync } from "node:child_process";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { commandWords } from "#agent/containers/command-words.ts";

describe("the words of a command in a container", () => {
  it.each([
    ["bundle exec sidekiq", ["bundle", "exec", "sidekiq"]],
    ["node server.js --name 'a b' \"c d\"", ["node", "server.js", "--name", "a b", "c d"]],
    ["  npm   run worker ", ["npm", "run", "worker"]],
    ["app --flag=''", ["app", "--flag="]],
  ])("%s replace the command of the image", (line, words) => {
    expect(commandWords(line)).toEqual(words);
  });

  it.each([
    "npm run a && npm run b",
    "echo $PORT",
    "A=1 app",
    "app > out",
    "ls *.js",
    "a; b",
    "~/app",
    "echo 'a",
    "a # b",
    "a\\ b",
  ])("%s needs a shell", (line) => {
    expect(commandWords(line)).toEqual(["/bin/sh", "-c", line]);
  });

  it("are what a shell makes of the line", () => {
    const word = fc.string({
      unit: fc.constantFrom("a", "b", "1", ".", "-", "_", "/", ":", "=", " ", "'", '"', "\t"),
      maxLength: 12,
    });
    fc.assert(
      fc.property(word, (line) => {
        const words = commandWords(line);
        if (words[0] === "/bin/sh") return;
        const script = `set -- ${line}\nfor word; do printf '%s\\0' "$word"; done`;
        const read = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
        expect(words).toEqual(read);
      }),
      { numRuns: 200 },
    );
  });
});
