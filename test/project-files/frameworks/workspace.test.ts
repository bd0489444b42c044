import { describe, expect, it } from "vitest";

import { isMember } from "#project-files/frameworks/workspace-members.ts";
import { workspaceOf } from "#project-files/frameworks/workspace.ts";

type Files = Readonly<Record<string, string>>;

const above = (inside: string, files: Files, path = ".") => ({
  path,
  inside,
  files: new Map(Object.entries(files)),
});
const npm = (workspaces: unknown, more: Files = {}): Files => ({
  "package.json": JSON.stringify({ workspaces }),
  ...more,
});

describe("a workspace", () => {
  it.each<[string, Files, string, boolean]>([
    ["npm", npm(["apps/*"], { "package-lock.json": "" }), "npm", true],
    ["npm", npm(["apps/web"]), "npm", false],
    ["yarn-classic", npm({ packages: ["apps/*"] }, { "yarn.lock": "" }), "yarn-classic", true],
    ["yarn", npm(["apps/*"], { "yarn.lock": "", ".yarnrc.yml": "nodeLinker: node-modules" }), "yarn", true],
    ["bun", npm(["apps/*"], { "bun.lock": "" }), "bun", true],
    ["pnpm", { "pnpm-workspace.yaml": "packages:\n  - apps/*\n", "pnpm-lock.yaml": "" }, "pnpm", true],
    [
      "pnpm",
      { "pnpm-workspace.yaml": 'packages:\n# all\n- "apps/*" # of ours\n\ncatalog:\n  - x\n' },
      "pnpm",
      false,
    ],
    ["pnpm", { "pnpm-workspace.yaml": "packages: ['apps/*', other]\r\n" }, "pnpm", false],
  ])("of %s is found above its package: %j", (_name, files, name, isLocked) => {
    expect(workspaceOf([above("apps/web", files)])).toEqual({
      path: ".",
      packageManager: { name, isLocked },
    });
  });

  it.each<[string, Files]>([
    ["does not include the folder", npm(["packages/*"])],
    ["excludes the folder", npm(["apps/*", "!apps/web"])],
    ["has no list", { "package.json": "{}", "package-lock.json": "" }],
    ["has another list", { "pnpm-workspace.yaml": "catalog:\n  - apps/*\npackages:\n" }],
    ["cannot be read", { "package.json": "{", "pnpm-workspace.yaml": ":" }],
  ])("is not found if it %s", (_why, files) => {
    expect(workspaceOf([above("apps/web", files)])).toBeNull();
  });

  it("is the nearest one that includes the folder", () => {
    const folders = [
      above("web", npm(["docs"]), "group/apps"),
      above("apps/web", npm(["apps/*"]), "group"),
      above("group/apps/web", npm(["**"])),
    ];
    expect(workspaceOf(folders)?.path).toBe("group");
  });

  it.each([
    ["apps/web", "apps/*", true],
    ["apps/web", "./apps/*/", true],
    ["apps/web/docs", "apps/*", false],
    ["apps/web/docs", "apps/**", true],
    ["apps", "apps/**", true],
    ["apps/web/docs", "**/docs", true],
    ["apps/my-web-app", "apps/my-*-app", true],
    ["apps/my-app", "apps/my-*-app", false],
    ["apps/web", "apps/w*b*", true],
    ["apps/web", "other/*", false],
  ])("with %s and the pattern %s", (path, pattern, expected) => {
    expect(isMember(path, [pattern])).toBe(expected);
  });

  it("is found in linear time, whatever its patterns are", () => {
    const path = Array.from({ length: 300 }, () => "a".repeat(200)).join("/");
    const patterns = [
      `${"**/".repeat(300)}b`,
      `${"*a".repeat(300)}b`,
      Array.from({ length: 300 }, () => "*a*a*b").join("/"),
    ];
    expect(isMember(path, patterns)).toBe(false);
    for (const part of ["- a\n", "[", "#", " #\r", "packages: ["]) {
      const yaml = `packages:\n${part.repeat(100_000)}`;
      expect(workspaceOf([above("apps/web", { "pnpm-workspace.yaml": yaml })])).toBeNull();
    }
  });

  it.each(["**/", "**/*/", "*/**/", "a/"])(
    "is looked for soon in long lists of long patterns of %j",
    (part) => {
      const patterns = Array.from({ length: 5_000 }, () => part.repeat(1_000));
      expect(isMember("a/".repeat(500), [part.repeat(200_000)])).toBe(false);
      expect(isMember(`${"a/".repeat(40)}b`, patterns)).toBe(part === "**/");
    },
  );
});
