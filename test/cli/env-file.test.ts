import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";

import { describe, expect, it } from "vitest";

import { readEnv } from "#client/read-env.ts";
import { writeEnv } from "#cli/variables/write-env.ts";

const valuesOf = (...lines: string[]) => {
  const { entries, errors } = readEnv(lines.join("\n"));
  expect(errors).toEqual([]);
  return Object.fromEntries(entries.map(({ name, value }) => [name, value]));
};

describe("a .env file", () => {
  it("has names and values, with export, spaces, comments and empty lines", () => {
    const text = ["# shop", "", "  A=1", "export B = two words  ", "\texport\tC=x=y==", "D=", "E= # none"];
    expect(valuesOf(...text)).toEqual({ A: "1", B: "two words", C: "x=y==", D: "", E: "" });
  });

  it("keeps a # in an unquoted value unless a space is before it", () => {
    expect(valuesOf("A=p#ss", "B=p # comment", "C='p # word' # comment", 'D="p # word"')).toEqual({
      A: "p#ss",
      B: "p",
      C: "p # word",
      D: "p # word",
    });
  });

  it("keeps everything in single quotes, and has escapes in double quotes", () => {
    expect(valuesOf(String.raw`A='\n$B"'`, String.raw`B="\n\t\"\\\$C \d"`, "C=${A}", "D=it's")).toEqual({
      A: String.raw`\n$B"`,
      B: '\n\t"\\$C \\d',
      C: "${A}",
      D: "it's",
    });
  });

  it("can have quoted values of several lines, with any line ends and a byte order mark", () => {
    const text = "\uFEFFKEY=\"-----BEGIN-----\nab+/==\n\n-----END-----\"\nB='1\n2'\nC=3\n";
    const expected = { KEY: "-----BEGIN-----\nab+/==\n\n-----END-----", B: "1\n2", C: "3" };
    expect(valuesOf(text)).toEqual(expected);
    expect(valuesOf(text.replaceAll("\n", "\r\n"))).toEqual(expected);
  });

  it("names the line of each error, and quotes no line", () => {
    const text = ["A=1", "hunter2", "B=`hunter2`", 'C="a\nb"hunter2', "D=4", "E='hunter2", "F=6"];
    const { entries, errors } = readEnv(text.join("\n"));
    expect(entries.map(({ name, line }) => [name, line])).toEqual([
      ["A", 1],
      ["D", 6],
    ]);
    expect(errors.map(({ line }) => line)).toEqual([2, 3, 4, 7]);
    expect(JSON.stringify(errors)).not.toContain("hunter2");
    expect(errors[3]?.message).toContain("not closed");
  });

  it("takes time in proportion to its length, also without the closing quote", () => {
    const lines = Array.from({ length: 50_000 }, () => "x".repeat(20)).join("\n");
    const startedAt = process.cpuUsage();
    expect(readEnv(`A="${lines}`).errors).toHaveLength(1);
    expect(readEnv(`A="${lines}"`).entries).toHaveLength(1);
    // CPU time, which other programs on the machine do not lengthen.
    expect(process.cpuUsage(startedAt).user).toBeLessThan(2_000_000);
  });
});

const values = {
  EMPTY: "",
  URL: "https://shop.test:8080/a?b=c&d#e",
  SPACES: "  two words ",
  QUOTE: "it's",
  QUOTES: `'"\\"'`,
  DOLLAR: "$HOME ${HOME} $(id) `id`",
  DOLLAR_QUOTE: "it's $HOME `id` \\n \\",
  LINES: "a\n\nb\n",
  LINES_QUOTE: "it's\n# no comment\nB=2\n",
  JSON: '{"a": [1, "two"]}',
  UNICODE: "grün 日本 👋",
  HASH: "#a #b",
};

describe("an exported .env file", () => {
  const text = Object.entries({ ...values, CR: "a\r\nb'\r" })
    .map(([name, value]) => `${writeEnv(name, value)}\n`)
    .join("");

  it("has the same values when it is imported, whatever its line ends are", () => {
    expect(valuesOf(text)).toEqual({ ...values, CR: "a\r\nb'\r" });
    expect(valuesOf(text.replaceAll("\n", "\r\n"))).toEqual({ ...values, CR: "a\r\nb'\r" });
  });

  it("has the same values in sh", () => {
    const folder = mkdtempSync(join(tmpdir(), "gantry-env-"));
    writeFileSync(join(folder, ".env"), text);
    const shown = execFileSync("env", ["-i", "sh", "-c", `set -a; . ${folder}/.env; exec env -0`], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "" },
    });
    rmSync(folder, { recursive: true });
    const pairs = shown.split("\0").map((pair) => [pair.split("=", 1)[0] ?? "", pair.replace(/^[^=]*=/, "")]);
    // sh has no escape for a carriage return.
    expect(Object.fromEntries(pairs)).toMatchObject(values);
  });

  it("has the same values in Node, except with both kinds of quotes or escapes", () => {
    const { QUOTES: _quotes, DOLLAR_QUOTE: _dollar, ...others } = values;
    expect(parseEnv(text)).toMatchObject(others);
  });
});
