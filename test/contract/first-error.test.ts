import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { describe, expect, it } from "vitest";

import { failingLine, firstErrorIn } from "#contract/first-error.ts";

/** Outputs of real tools that failed, with other names of folders. */
const LOGS = join(import.meta.dirname, "error-logs");

async function linesOf(name: string): Promise<string[]> {
  return stripVTControlCharacters(await readFile(join(LOGS, `${name}.txt`), "utf8")).split("\n");
}

describe("the first error", () => {
  it.each([
    ["bundler", "1-2", "Could not find gem 'left-pad-rb' in rubygems repository https://rubyge"],
    ["cargo", "1-6", "error[E0425]: cannot find value `price` in this scope"],
    ["composer", "5-9", "- Root composer.json requires PHP extension ext-intl * but it is missi"],
    ["dotnet", "1-6", "/srv/app/Shop.cs(4,9): error CS0103: The name 'price' does not exist i"],
    ["esbuild", "1-7", '✘ [ERROR] Expected identifier but found "="'],
    ["git", "1-1", "fatal: repository '/nowhere' does not exist"],
    ["go-panic", "1-7", "panic: runtime error: index out of range [3] with length 3"],
    ["go", "1-3", "./main.go:8:14: undefined: price"],
    ["java", "1-5", "[ERROR] /srv/app/src/main/java/Shop.java:[4,9] cannot find symbol"],
    ["make", "1-6", "main.c:2:11: error: ‘price’ undeclared (first use in this function)"],
    ["missing-program", "5-5", "sh: 1: vite: not found"],
    ["next", "8-17", "Type error: Type 'string' is not assignable to type 'number'."],
    ["node-enoent", "5-8", "Error: ENOENT: no such file or directory, open 'config.json'"],
    ["node-module", "5-7", "Error: Cannot find module './prices'"],
    ["node-test", "14-17", "AssertionError [ERR_ASSERTION]: 12.5 == 10"],
    ["node-throw", "2-8", "TypeError: Cannot read properties of undefined (reading 'toFixed')"],
    ["npm-ci", "3-5", "npm error `npm ci` can only install packages when your package.json an"],
    ["npm-peer", "2-12", "npm error ERESOLVE unable to resolve dependency tree"],
    ["npm-script", "1-1", 'npm error Missing script: "build"'],
    ["php", "1-4", "PHP Fatal error:  Uncaught Error: Call to undefined function price() i"],
    ["pip-wheel", "13-16", "Error: pg_config executable not found."],
    ["pip", "1-3", "ERROR: Could not find a version that satisfies the requirement flask-n"],
    ["pnpm", "1-7", 'ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile" beca'],
    ["python-chained", "2-12", "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0"],
    ["python-syntax", "1-4", "SyntaxError: invalid syntax"],
    ["python", "2-9", "KeyError: 'SECRET_KEY'"],
    ["rake", "1-10", "NameError: uninitialized constant Shop::Prices (NameError)"],
    ["rollup", "3-10", "error during build:"],
    ["ruby", "1-6", "build.rb:3:in 'Shop#price': undefined method 'round' for nil (NoMethod"],
    ["tsc-pretty", "1-11", "a.ts:1:14 - error TS2322: Type 'string' is not assignable to type 'num"],
    ["tsc", "1-3", "a.ts(1,14): error TS2322: Type 'string' is not assignable to type 'num"],
    ["vite-syntax", "8-14", "[PARSE_ERROR] Unexpected token"],
    ["vite", "8-18", "[UNRESOLVED_IMPORT] Could not resolve './prices.js' in src/main.js"],
    ["vitest", "10-21", "FAIL  t/a.test.js > rounds prices"],
    ["webpack", "8-17", "ERROR in ./src/index.js 1:0-30"],
    ["yarn", "1-4", "error Your lockfile needs to be updated, but yarn was run with `--froz"],
  ])("in the output of %s is shown with its context, lines %s", async (name, shown, line) => {
    const lines = await linesOf(name);
    const found = firstErrorIn(lines);
    expect(found === null ? null : `${found.first + 1}-${found.end}`).toBe(shown);
    expect(lines[found?.at ?? 0]?.trim().slice(0, 70)).toBe(line);
  });

  it("is not a warning, or a text that only contains such words", () => {
    const quiet = [
      "compiling",
      "npm warn deprecated error-ex@1",
      "Found 0 errors",
      "terrors",
      "Node.js v24.1.0",
    ];
    expect(firstErrorIn(quiet)).toBeNull();
    expect(firstErrorIn([])).toBeNull();
  });

  it("is the line that names it, even below lines that only mention a failure", () => {
    expect(firstErrorIn(["2 tests failed", "x is missing", "TypeError: x is not a function"])).toMatchObject({
      at: 2,
    });
    expect(firstErrorIn(["sh: 1: vite: not found", "done"])).toMatchObject({ at: 0 });
  });

  it("has at most 12 lines", () => {
    const lines = Array.from({ length: 1_000 }, (_, at) => `a.ts(${at},1): error TS2304: Cannot find name.`);
    expect(firstErrorIn(lines)).toEqual({ first: 0, at: 0, end: 12 });
  });

  it("is the head of a traceback that has no exception", () => {
    expect(firstErrorIn(["Traceback (most recent call last):", "  File x"])).toEqual({
      first: 0,
      at: 0,
      end: 2,
    });
  });
});

describe("the failing line", () => {
  it.each<[string, string, string | null]>([
    ["the first error", "compiling\nError: no such recipe\nat x\nError: again\n", "Error: no such recipe"],
    ["the last line without one", "strange\nstranger\n\n", "stranger"],
    ["none without output", "\n", null],
    ["not a warning", "npm warn deprecated error-ex@1\nmake: *** No rule\n", "make: *** No rule"],
    [
      "continued in the next line",
      'error during build:\n\nCould not resolve entry module "index.html".\n    at x\n',
      'error during build: Could not resolve entry module "index.html".',
    ],
    [
      "not what npm prints before it",
      "npm error code EUSAGE\nnpm error\nnpm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.\n",
      "npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.",
    ],
    [
      "the exception of a traceback",
      "Traceback (most recent call last):\n  File \"build.py\", line 1, in <module>\nKeyError: 'SECRET_KEY'\n",
      "KeyError: 'SECRET_KEY'",
    ],
    [
      "the error that ends a program of Node",
      "node:internal/modules/run_main:107\n    triggerUncaughtException(\n    ^\n\nError: connect ECONNREFUSED 127.0.0.1:5432\n    at x\n",
      "Error: connect ECONNREFUSED 127.0.0.1:5432",
    ],
    ["a missing program", "start\nsh: 1: pnpm: not found\nbye\n", "sh: 1: pnpm: not found"],
    [
      "a missing file",
      "cat: data: No such file or directory\nstopped\n",
      "cat: data: No such file or directory",
    ],
  ])("is %s", (_name, output, line) => {
    expect(failingLine(output)).toBe(line);
  });
});
