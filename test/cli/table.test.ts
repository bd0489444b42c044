import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

import * as z from "zod/mini";
import { describe, expect, it } from "vitest";

import { problemCodes } from "#contract/endpoints/endpoint-facts.ts";
import { problems } from "#contract/problems.ts";
import { globalOptions } from "#cli/arguments/command-spec.ts";
import { otherCommandTargets } from "#cli/arguments/other-commands.ts";
import { readArguments } from "#cli/arguments/read-arguments.ts";
import { suggest } from "#contract/lib/suggest.ts";
import { commands } from "#cli/commands.ts";
import { completionScript, shells } from "#cli/completion/script.ts";
import { exitCodes, exitOf } from "#cli/exit-codes.ts";
import { commandHelp, generalHelp } from "#cli/help.ts";
import { printable, printableInColour, printableName } from "#cli/output/printable.ts";
import { nextTimeText, timeByHour } from "#cli/output/times.ts";
import { createStyle } from "#cli/output/style.ts";
import { cut, lengthOf, tableText } from "#cli/output/table.ts";
import { COMMAND_VERSION } from "#cli/version.ts";
import { root } from "../../scripts/shared/root.ts";
import { commandPagePath, withCommandReference } from "../../scripts/reference/command-reference.ts";

const read = (...argv: string[]) => {
  const result = readArguments(argv, commands);
  return result.ok
    ? { command: result.value.command?.name, ...result.value.given }
    : { problem: result.problem.detail };
};

describe("the table of commands", () => {
  it("matches docs/command.md", () => {
    const page = readFileSync(commandPagePath, "utf8");
    expect(withCommandReference(page), "npm run reference updates it").toBe(page);
  });

  it("is in the help with every option", () => {
    const general = generalHelp(commands);
    for (const command of commands) {
      expect(general).toContain(`  ${command.name} `);
      const help = commandHelp(command, commands);
      for (const name of Object.keys(command.options)) expect(help).toContain(`--${name}`);
    }
  });

  it("has the other commands of a group in the help of its default", () => {
    const serversList = commands.find(({ name }) => name === "servers list");
    if (serversList === undefined) throw new Error("There is no servers list");
    const help = commandHelp(serversList, commands);
    for (const { name } of commands.filter(({ name: other }) => other.startsWith("servers ")))
      if (name !== "servers list") expect(help).toContain(`  ${name} `);
    expect(help).not.toContain("webhooks");
  });

  it("takes version as a word, and the help of each group", () => {
    const versionOf = (...argv: string[]) => {
      const result = readArguments(argv, commands);
      return result.ok ? result.value.global.version : result.problem.detail;
    };
    expect(versionOf("version")).toBe(true);
    expect(versionOf("version", "2")).toContain("Unknown command version.");
    for (const { name } of commands.filter((command) => command.name.includes(" "))) {
      const group = name.split(" ")[0] ?? "";
      expect(readArguments([group, "--help"], commands)).toMatchObject({
        ok: true,
        value: { global: { help: true } },
      });
    }
  });

  it("takes help as a word", () => {
    const helpOf = (...argv: string[]) => {
      const result = readArguments(argv, commands);
      return result.ok
        ? [result.value.global.help, result.value.command?.name ?? null]
        : result.problem.detail;
    };
    expect(helpOf("help")).toEqual([true, null]);
    expect(helpOf("help", "servers", "add")).toEqual([true, "servers add"]);
    expect(helpOf("help", "deploi")).toContain("Did you mean deploy?");
  });

  it("gives an option the same kind and letter in every command", () => {
    const kinds = new Map<string, string>();
    const letters = new Map<string, string>();
    const shorts = new Map<string, string | undefined>();
    for (const { name, options } of [{ name: "", options: globalOptions }, ...commands])
      for (const [option, spec] of Object.entries(options)) {
        const taken = kinds.get(option) ?? spec.kind;
        expect(`${name} --${option} ${taken}`).toBe(`${name} --${option} ${spec.kind}`);
        kinds.set(option, spec.kind);
        const short = "short" in spec ? spec.short : undefined;
        // The command line is read with one table for all commands, so a missing letter is missing everywhere.
        const known = shorts.has(option) ? shorts.get(option) : short;
        expect(`${name} --${option} -${known}`).toBe(`${name} --${option} -${short}`);
        shorts.set(option, short);
        if (short === undefined) continue;
        expect(`${name} -${short} ${letters.get(short) ?? option}`).toBe(`${name} -${short} ${option}`);
        letters.set(short, option);
      }
  });

  it("has the version of package.json", () => {
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(`${root}/package.json`, "utf8")));
    expect(COMMAND_VERSION).toBe(version);
  });
});

describe("the docs", () => {
  const pages = ["README.md", "docs/ci.md", "docs/command.md", "src/cli/README.md"];

  it("show only valid command lines", () => {
    for (const page of pages) {
      const text = readFileSync(`${root}/${page}`, "utf8");
      const blocks = [...text.matchAll(/^```\w*\n([^]*?)^```/gm)].map(([, block = ""]) => block);
      const lines = blocks.flatMap((block) => block.split("\n"));
      const calls = lines.flatMap((line) => {
        const [, words] = /(?:^gantry|^ *(?:- )?(?:run: )?npx .*gantry-\S+\.tgz) (.*)$/.exec(line) ?? [];
        return words === undefined ? [] : [words.replace(/ *[#|<>].*$/, "").match(/"[^"]*"|\S+/g) ?? []];
      });
      expect(calls.length, page).toBeGreaterThan(page === "README.md" ? 0 : 2);
      for (const words of calls)
        expect(`${words.join(" ")} ${read(...words).problem}`).toMatch(/ undefined$/);
    }
  });

  it("name the package with its version", () => {
    for (const page of pages)
      for (const [, version] of readFileSync(`${root}/${page}`, "utf8").matchAll(/gantry-(\d\S*)\.tgz/g))
        expect(version).toBe(COMMAND_VERSION);
  });
});

describe("the command line", () => {
  it("accepts options anywhere and in all forms", () => {
    expect(read("-p", "shop", "deploy", "--branch=next", "-f")).toMatchObject({
      command: "deploy",
      options: { branch: "next", commit: null, follow: true },
    });
    expect(read("tokens", "create", "ci", "-s", "projects:read", "--scope", "tokens:read")).toMatchObject({
      command: "tokens create",
      words: { name: "ci" },
      options: { scope: ["projects:read", "tokens:read"] },
    });
    expect(read("projects")).toMatchObject({ command: "projects list" });
    expect(read("logs", "--", "v1")).toMatchObject({ words: { deployment: "v1" } });
    expect(read("variables", "set", "A=1", "--secret", "C", "B=2")).toMatchObject({
      words: { "name=value": ["A=1", "B=2"] },
      options: { secret: ["C"] },
    });
    expect(read("variables", "set")).toMatchObject({ words: { "name=value": [] } });
  });

  it("refuses everything else with a message", () => {
    expect(read("deploy", "now")).toEqual({
      problem: 'gantry deploy takes no argument "now". See gantry deploy --help.',
    });
    expect(read("rollback", "v12")).toEqual({
      problem: 'gantry rollback takes no argument "v12". Did you mean --to v12? See gantry rollback --help.',
    });
    expect(read("deploy", "--yes").problem).toContain("gantry deploy has no option --yes.");
    expect(read("run", "ls", "-l").problem).toContain("options come after --, as in gantry run -- ls -l.");
    expect(read("run", "ls", "--color").problem).toContain("options come after --");
    expect(read("deploy", "--branch").problem).toBe("--branch needs a value: --branch=NAME.");
    expect(read("deploy", "--branch", "--follow").problem).toBe("--branch needs a value: --branch=NAME.");
    expect(read("deploy", "--follow=yes").problem).toBe("--follow takes no value.");
    expect(read("variables", "remove").problem).toContain("needs NAME");
    expect(read("delete").problem).toContain("needs DEPLOYMENT");
    expect(read("maintenance").problem).toContain("needs STATE: on, off.");
    expect(read("tokens", "rm").problem).toContain("list, create, rotate, revoke");
    expect(read("completion", "tcsh").problem).toContain("bash, zsh, fish");
  });

  it("rejects options named like Object.prototype keys", () => {
    for (const name of ["constructor", "toString", "__proto__"])
      expect(read("whoami", `--${name}`).problem).toContain(`gantry whoami has no option --${name}. See`);
  });

  it.each([
    ["rollback --version 3", "Use --to 3."],
    ["rollback --version=v3", "Use --to v3."],
    ["rollback --verison 3", "Use --to 3."],
    ["cancel --version 3", "Use gantry cancel 3."],
    ["deployments show --version", "Use gantry deployments show DEPLOYMENT."],
    ["logs --tail 100", "Use --lines 100."],
    ["logs -n 5", "Use --lines 5."],
    ["deploy --version", "gantry --version prints the program's version."],
    ["deploy --brnach x", "Did you mean --branch?"],
    ["-V", "gantry --version prints the program's version."],
    ["-v", "gantry --version prints the program's version."],
  ])("names what to type instead of %s", (line, hint) => {
    expect(read(...line.split(" ")).problem).toContain(hint);
  });

  it.each([
    ["app logs", "Use gantry logs --app."],
    ["config:set A=1", "Use gantry variables set NAME=VALUE."],
    ["console", "Use gantry run -- COMMAND."],
    ["down", "Use gantry stop PROCESS."],
    ["env", "Use gantry variables."],
    ["exec", "Use gantry run -- COMMAND."],
    ["init", "Use gantry projects create NAME --repository URL --link."],
    ["launch", "Use gantry projects create NAME --repository URL --link."],
    ["ps:scale web=2", "Use gantry scale web=2."],
    ["releases", "Use gantry deployments."],
    ["secrets", "Use gantry variables."],
    ["secrets:set A", "Use gantry variables set --secret NAME."],
    ["setup", "Use gantry servers add NAME IP."],
    ["ssh", "Use gantry run -- COMMAND."],
    ["status", "Use gantry projects show."],
    ["up", "Use gantry deploy --follow."],
  ])("names the command for %s, which other tools have", (line, hint) => {
    expect(read(...line.split(" ")).problem).toContain(hint);
  });

  it("translates commands and options of other tools only to existing ones", () => {
    for (const line of otherCommandTargets)
      expect([line, read(...line.split(" ")).problem]).toEqual([line, undefined]);
  });

  it("suggests a similar name, and none if no name is similar", () => {
    expect(suggest("depoly", ["deploy", "delete"])).toBe("deploy");
    expect(suggest("deployment", ["deploy", "deployments"])).toBe("deployments");
    expect(suggest("frobnicate", ["deploy", "delete"])).toBeNull();
  });
});

describe("times at a terminal", () => {
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  it("are now for what is due, and no minutes for what is written once an hour", () => {
    const terminal = { form: "terminal" } as const;
    expect(nextTimeText(ago(720_000), terminal)).toBe("now");
    expect(nextTimeText(ago(-720_500), terminal)).toBe("in 12 minutes");
    expect(nextTimeText(ago(-7 * 86_400_000 + 2_000), terminal)).toBe("in 7 days");
    expect(nextTimeText(ago(-86_400_000 + 2_000), terminal)).toBe("in 1 day");
    expect(timeByHour(ago(1_680_000), terminal)).toBe("within the last hour");
    expect(timeByHour(ago(7_300_000), terminal)).toBe("2 hours ago");
  });
});

describe("exit codes", () => {
  const exit = (code: string, status: number) =>
    exitOf({ type: "", title: "", status, detail: "", code, request_id: "" });

  it("are 3, 4 or 5 for every problem of the control plane", () => {
    for (const code of problemCodes) {
      const { status } = problems[code];
      const isUnauthorised = status === 401 || status === 403 || code === "invalid_identity_token";
      const expected = isUnauthorised
        ? "not_authorised"
        : status === 429 || status >= 500
          ? "unreachable"
          : "refused";
      expect(`${code} ${exit(code, status)}`).toBe(`${code} ${expected}`);
    }
  });

  it("follow the status of a code that only a newer control plane has", () => {
    expect(exit("token_frozen", 403)).toBe("not_authorised");
    expect(exit("moon_full", 409)).toBe("refused");
    expect(exit("moon_gone", 502)).toBe("unreachable");
  });

  it("are 0 to 6 and 130, each with one meaning", () => {
    const codes = Object.values(exitCodes).map(({ code }) => code);
    expect(codes).toEqual([0, 1, 2, 3, 4, 5, 6, 130]);
  });
});

describe("untrusted text", () => {
  it("loses sequences that move the cursor or rename the window", () => {
    expect(printable("a\u001b[2Jb\u001b]0;title\u0007c\rd\te")).toBe("abcd  e");
    expect(printableInColour("\u001b[31mred\u001b[5Aup\u001b[0m")).toBe("\u001b[31mredup\u001b[0m");
    expect(printableInColour("plain")).toBe("plain");
  });

  it("loses bidirectional controls and line breaks, and keeps right-to-left letters", () => {
    expect(printable("safe\u202egnp.exe\u2066\u2028x\u200f\u061c\u200b")).toBe("safegnp.exex");
    expect(printableName("main\u200b")).toBe("main[U+200B]");
    expect(printableName("\u001b[31mfix\u202etxt.exe")).toBe("fix[U+202E]txt.exe");
    expect(printable("שלום")).toBe("שלום");
  });
});

describe("a table at a terminal", () => {
  it("aligns columns with accents, wide letters and colours, and truncates at the edge", () => {
    const style = createStyle(true);
    const text = tableText(
      ["NAME", "ID"],
      [
        ["日本", "1"],
        [style.green("é"), "2"],
      ],
      createStyle(false),
      80,
    );
    expect(text.split("\n").map((line) => lengthOf(line.replace(/\S+$/, "")))).toEqual([6, 6, 6]);
    expect(cut(style.green("abcdef"), 4)).toBe("\u001b[32mabc…\u001b[0m");
  });
});

describe("a table with a long cell", () => {
  it("keeps the other columns visible and short cells complete", () => {
    const plain = createStyle(false);
    const rows = [
      ["v2", "x".repeat(200), "8e8412f"],
      ["v1", "feature/sign-in", "1c0ffee"],
    ];
    const text = tableText(["VERSION", "BRANCH", "COMMIT"], rows, plain, 60);
    expect(text).toMatch(/v2 {7}x+… {2}8e8412f\nv1 {7}feature\/sign-in +1c0ffee$/);
    expect(text.split("\n").map(lengthOf)).toEqual([59, 60, 60]);
    const narrow = tableText(["BRANCH", "COMMIT"], [["feature/sign-in", "1c0ffee"]], plain, 20);
    expect(narrow).toContain("feature/sign-in");
  });
});

describe("a table with ids", () => {
  const plain = createStyle(false);
  const id = (digit: string) => `push_${digit.repeat(26)}`;
  const rows = ["1", "2"].map((digit) => ["main", "x".repeat(60), plain.dim(id(digit))]);

  it("shrinks other columns instead", () => {
    const text = tableText(["REF", "MESSAGE", "ID"], rows, plain, 80);
    expect(text.split("\n").map(lengthOf)).toEqual([51, 80, 80]);
    for (const digit of ["1", "2"]) expect(text).toContain(id(digit));
  });

  it("puts the ids below their rows if the terminal is too narrow", () => {
    const text = tableText(["REF", "MESSAGE", "ID"], rows, createStyle(true), 48);
    expect(stripVTControlCharacters(text).split("\n")).toEqual([
      "REF   MESSAGE",
      `main  ${"x".repeat(41)}…`,
      `  ${id("1")}`,
      `main  ${"x".repeat(41)}…`,
      `  ${id("2")}`,
    ]);
  });

  it("cuts the columns after the ids", () => {
    const text = tableText(["PROJECT", "MESSAGE"], [[id("3"), "x".repeat(60)]], plain, 40);
    expect(text).toContain(`${id("3")}  ${"x".repeat(6)}…`);
  });
});

describe("completion", () => {
  /** The candidates that bash offers for the last of `words`. */
  const inBash = (...words: string[]): string[] => {
    const script = `${completionScript("bash", commands)}
COMP_WORDS=(gantry "$@"); COMP_CWORD=$#; _gantry; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["--norc", "-c", script, "bash", ...words], { encoding: "utf8" })
      .split("\n")
      .filter((line) => line !== "");
  };

  it("offers commands, commands of a group, options and their values in bash", () => {
    expect(inBash("dep")).toEqual(["deploy", "deployments"]);
    expect(inBash("tokens", "r")).toEqual(["rotate", "revoke"]);
    expect(inBash("deploy", "--f")).toEqual(["--follow"]);
    expect(inBash("-p", "shop", "deploy", "--b")).toEqual(["--branch"]);
    expect(inBash("deployments", "--status", "s")).toEqual(["superseded"]);
    expect(inBash("tokens", "create", "ci", "--scope", "deployments:w")).toEqual(["write"]);
    expect(inBash("completion", "")).toEqual(expect.arrayContaining([...shells]));
  });

  it("has every command and option in every shell", () => {
    for (const shell of shells) {
      const script = completionScript(shell, commands);
      for (const { name, options } of commands) {
        expect(script).toContain(name);
        const form = (option: string) => (shell === "fish" ? `-l ${option}` : `--${option}`);
        for (const option of Object.keys(options)) expect(script).toContain(form(option));
      }
    }
  });
});
