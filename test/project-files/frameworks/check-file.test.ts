import { describe, expect, it } from "vitest";

import { checkFile } from "#project-files/frameworks/files/check-file.ts";
import { readPnpmWorkspace } from "#project-files/frameworks/files/read-pnpm-workspace.ts";

const check = (path: string, text: string, isBun = false) =>
  checkFile(path, path.slice(path.lastIndexOf("/") + 1), text, { isBun });
const problemOf = (path: string, text: string) => {
  const checked = check(path, text);
  return checked.ok ? null : checked.problem.message;
};

describe("a file that decides how a project is built", () => {
  it.each([
    [
      "package.json",
      '{\n  "main": "index.js",\n}',
      "package.json is not JSON: there is a comma after the last item, in line 2, column 21",
    ],
    [
      "apps/web/package.json",
      '{\n  // the app\n  "name": "x"\n}',
      "apps/web/package.json is not JSON: comments are not allowed in JSON, in line 2, column 3",
    ],
    ["package.json", "", "package.json is empty"],
    ["package.json", "[]", "package.json has a list in line 1, and not an object in braces"],
    ["package.json", '\n"x"', "package.json has a text in line 2, and not an object in braces"],
    ["package.json", "null", "package.json has null in line 1, and not an object in braces"],
    [
      "package.json",
      '{\n"scripts": "node index.js" }',
      "line 2 of package.json has a text as `scripts`, and not an object in braces",
    ],
    [
      "package.json",
      '{"dependencies": ["express"]}',
      "line 1 of package.json has a list as `dependencies`, and not an object in braces",
    ],
    [
      "package.json",
      '{"workspaces": "packages/*"}',
      "line 1 of package.json has a text as `workspaces`, and not a list",
    ],
    [
      "package.json",
      '{\n<<<<<<< HEAD\n"version": "1"\n=======\n"version": "2"\n>>>>>>> main\n}',
      "line 2 of package.json begins a merge conflict that is not resolved",
    ],
    [
      "requirements.txt",
      "flask\n<<<<<<< HEAD\r\na\r\n=======\r\nb\r\n>>>>>>> main\r\n",
      "line 2 of requirements.txt begins a merge conflict that is not resolved",
    ],
    [
      "composer.json",
      '{"require": {"php": ">=8.2" "ext-intl": "*"}}',
      'composer.json is not JSON: a comma or `}` is expected, not "\\"", in line 1, column 29',
    ],
    [
      "angular.json",
      '{"projects": {',
      "angular.json is not JSON: a name in double quotes is expected, and the file ends, in line 1, column 15",
    ],
    ["turbo.json", "{ /* x ", "turbo.json is not JSON: a comment has no end, in line 1, column 3"],
    [
      "pyproject.toml",
      '[project]\nname = "x"\nname = "y"\n',
      "pyproject.toml is not TOML: trying to redefine an already defined table or value, in line 3, column 1",
    ],
    [
      "mise.toml",
      "[tools]\nnode = 20,\n",
      "mise.toml is not TOML: illegal character in numeric literal, in line 2, column 10",
    ],
    [
      "pnpm-workspace.yaml",
      "packages:\n\t- apps/*\n",
      "pnpm-workspace.yaml cannot be read: YAML allows no tab at the beginning of a line, in line 2",
    ],
    [
      "pnpm-workspace.yaml",
      "packages:\n  -apps/*\n",
      "pnpm-workspace.yaml cannot be read: an item of `packages` begins with a hyphen and a space, in line 2",
    ],
    [
      "pnpm-workspace.yaml",
      "packages: [apps/*\n",
      "pnpm-workspace.yaml cannot be read: the list `packages` does not end with `]`, in line 1",
    ],
    [
      "pnpm-workspace.yaml",
      'packages:\n  - "apps/*\n',
      "pnpm-workspace.yaml cannot be read: an item of `packages` is not a plain text, in line 2",
    ],
  ])("is refused with its line if it cannot be read: %s %j", (path, text, message) => {
    expect(problemOf(path, text)).toBe(message);
  });

  it.each([
    ["package.json", '{"scripts": null, "dependencies": {}}'],
    ["package.json", "\uFEFF{}"],
    ["composer.json", '{"require-dev": [], "require": {"php": "^8"}}'],
    ["angular.json", '{\n  // the app\n  "projects": { "app": {}, }, /* no more */\n}'],
    ["turbo.json", '{\n  "tasks": {}, // all\n}'],
    ["requirements.txt", "flask==3 # =======\n"],
    ["pnpm-workspace.yaml", "packages:\n  - apps/*\n\nonlyBuiltDependencies:\n  - esbuild\n"],
    ["pnpm-workspace.yaml", "minimumReleaseAge: 1440\n"],
    ["pyproject.toml", '[project]\nname = "x"\n[tool.ruff]\nselect = ["E"]\n'],
  ])("is accepted as its tool accepts it: %s %j", (path, text) => {
    expect(check(path, text)).toEqual({ ok: true, value: { notes: [] } });
  });

  it("may have comments as package.json if Bun reads it", () => {
    const text = '{ "name": "x", // the app\n}';
    expect(check("package.json", text, true)).toMatchObject({ ok: true });
    expect(check("package.json", text)).toMatchObject({ ok: false });
  });

  it("has a note about what its tool ignores", () => {
    const text = '{\n"scripts": {\n"//": ["x"],\n"start": 1,\n"build": "a",\n"build": "b" } }';
    expect(check("package.json", text)).toEqual({
      ok: true,
      value: {
        notes: [
          "package.json has the key `build` again in line 6: only the last one counts",
          "line 4 of package.json has a number as the script `start`, and not a text: it is ignored",
        ],
      },
    });
  });

  it("is checked in linear time", () => {
    for (const [name, part] of [
      ["package.json", '"a","'],
      ["package.json", "/*"],
      ["turbo.json", "//x\n"],
      ["turbo.json", "/* */ "],
      ["pnpm-workspace.yaml", "packages: [\n"],
      ["pnpm-workspace.yaml", "packages: \"'#"],
      ["pyproject.toml", "[[a]]\n"],
      ["requirements.txt", "<<<<<<< \n"],
    ] as const)
      expect(() => check(name, part.repeat(60_000))).not.toThrow();
  });
});

describe("the list of pnpm-workspace.yaml", () => {
  it.each([
    [
      "packages:\n  - 'apps/*'\n  - \"packages/**\"\n  - '!**/test/**'\n",
      ["apps/*", "packages/**", "!**/test/**"],
    ],
    ["packages: [\n  'apps/*', # ours\n  docs,\n]\n", ["apps/*", "docs"]],
    ["catalog:\n  a: 1\npackages:\n- apps/*\n- '#x' # no\n", ["apps/*", "#x"]],
    ["packages:\ncatalog:\n  a: 1\n", []],
    ["---\npackages:\r\n  - .\r\n", ["."]],
  ])("is read as people write it: %j", (text, value) => {
    expect(readPnpmWorkspace(text)).toEqual({ ok: true, value });
  });
});
