import { describe, expect, it } from "vitest";
import * as z from "zod/mini";

import { CreateProjectInput, UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";

const needed = {
  name: "shop",
  server_id: "srv_00000000000000000000000000",
  repository: "https://git.test/shop",
};

describe("a setting of a project", () => {
  it.each([
    [{ root_directory: " ./apps//shop/ " }, { root_directory: "apps/shop" }],
    [{ root_directory: "./" }, { root_directory: "." }],
    [{ output_directory: "my site/" }, { output_directory: "my site" }],
    [{ shared_paths: ["storage/", "./.env"] }, { shared_paths: ["storage", ".env"] }],
    [{ dockerfile: {} }, { dockerfile: { path: "Dockerfile", context: "." } }],
    [
      { dockerfile: { path: "./docker//web.Dockerfile", context: "apps/", target: "web" } },
      { dockerfile: { path: "docker/web.Dockerfile", context: "apps", target: "web" } },
    ],
    // On this machine alone.
    [{ domain: "localhost" }, { domain: "localhost" }],
    [{ branch: " main\n" }, { branch: "main" }],
    [{ repository: " HTTPS://git.test/shop.git/ " }, { repository: "https://git.test/shop.git" }],
  ])("is stored in its one form: %j", (body, stored) => {
    for (const schema of [CreateProjectInput, UpdateProjectInput])
      expect(z.safeParse(schema, { ...needed, ...body }).data).toMatchObject(stored);
  });

  it.each([
    [{ root_directory: "/apps/shop" }, "write apps/shop"],
    [{ root_directory: "/" }, "write ."],
    [{ root_directory: String.raw`apps\shop` }, "write apps/shop"],
    [{ root_directory: "a/../b" }, "write b"],
    [{ root_directory: "../b" }, "must be a relative path inside the repository"],
    [{ root_directory: "   " }, "must be a relative path inside the repository"],
    [{ output_directory: String.raw`C:\site` }, "must be a relative path inside the repository"],
    [{ shared_paths: ["./"] }, "not the repository itself"],
    [{ dockerfile: { path: "." } }, "not the repository itself"],
    [{ dockerfile: { context: "../.." } }, "must be a relative path inside the repository"],
    [{ dockerfile: { target: "--network=host" } }, "the name or the number of a stage"],
    [{ branch: "refs/heads/main" }, "without `refs/heads/`"],
    [{ branch: "origin/main" }, "write main"],
    [{ branch: "release/*" }, "patterns are for `deploy_on`"],
    [{ branch: "main develop" }, "no spaces"],
    [{ domain: "https://Shop.Example.com/" }, "write shop.example.com"],
    [{ domain: "shop.example.com:443" }, "write shop.example.com"],
    [{ domain: "shop.example.com." }, "write shop.example.com"],
    [{ domain: "SHOP.example.com" }, "write shop.example.com"],
    [{ domain: " shop.example.com" }, "write shop.example.com"],
    [{ domain: "bücher.example" }, "write xn--bcher-kva.example"],
    [{ domain: "🛒.example" }, "write xn--e88h.example"],
    [{ domain: "*.example.com" }, "name each host as an alias"],
    [{ domain: "my_shop.example.com" }, "letters, digits and hyphens"],
    [{ domain: "me@example.com" }, "must be a host name in lower case"],
    [{ domain: "shop" }, "write it with its ending, such as shop.example.com"],
    [{ aliases: [{ domain: "shop" }] }, "write it with its ending"],
    [{ aliases: [{ domain: "Bücher.example" }] }, "write xn--bcher-kva.example"],
    [{ health_check: { path: "/gesundheit/ü" } }, "percent-encode it, write /gesundheit/%C3%BC"],
    [{ health_check: { path: "/is it up" } }, "write /is%20it%20up"],
    [{ health_check: { path: "/up?key=ü" } }, "percent-encode other characters"],
    [{ health_check: { path: "health" } }, "write /health"],
    [{ health_check: { path: "https://shop.test/up" } }, "as `url`"],
    [{ health_check: { path: "/up#x" } }, "fragment"],
    [{ health_check: { url: "https://bücher.example/up" } }, "write xn--bcher-kva.example"],
  ])("is refused with what to write: %j", (body, words) => {
    for (const schema of [CreateProjectInput, UpdateProjectInput]) {
      const issues = z.safeParse(schema, { ...needed, ...body }).error?.issues;
      expect(issues).toMatchObject([{ message: expect.stringContaining(words) }]);
    }
  });
});

describe("the patterns of pushes", () => {
  it.each<[deployOn: unknown, pointer: string, words: string]>([
    [{ paths: ["!docs/**"] }, "/paths", 'write "**" before "!docs/**"'],
    [{ branches: ["!main", "!dev"] }, "/branches", 'write "**" before "!main"'],
    [{ ignore_paths: ["!docs"] }, "/ignore_paths", "selects nothing"],
    [{ branches: ["!main", "**"] }, "/branches/0", "move it to the end"],
    [{ paths: ["src", "./lib"] }, "/paths/1", 'write "lib"'],
    [{ paths: ["src/./lib//a/"] }, "/paths/0", 'write "src/lib/a"'],
    [{ paths: ["../shared"] }, "/paths/0", "no `..` part"],
    [{ paths: ["."] }, "/paths/0", 'write "**"'],
    [{ paths: ["/"] }, "/paths/0", 'write "**"'],
    [{ paths: [String.raw`apps\shop`] }, "/paths/0", 'write "apps/shop"'],
    [{ paths: ["docs,src"] }, "/paths/0", 'write "docs" and write "src"'],
    [{ ignore_paths: ["**/*.{md, mdx}"] }, "/ignore_paths/0", 'write "**/*.md" and write "**/*.mdx"'],
    [{ paths: ["^src/"] }, "/paths/0", "regular expression"],
    [{ paths: ["docs "] }, "/paths/0", 'write "docs"'],
    [{ branches: ["refs/heads/main"] }, "/branches/0", 'write "main"'],
    [{ branches: ["**", "!refs/heads/main"] }, "/branches/1", 'write "!main"'],
    [{ branches: ["origin/main"] }, "/branches/0", 'write "main"'],
    [{ branches: [" main"] }, "/branches/0", 'write "main"'],
    [{ branches: ["main,develop"] }, "/branches/0", 'write "main" and write "develop"'],
    [{ branches: ["(main|dev)"] }, "/branches/0", 'write "main" and write "dev"'],
    [{ branches: ["{main,dev}"] }, "/branches/0", 'write "main" and write "dev"'],
    [{ branches: ["^main$"] }, "/branches/0", 'write "main"'],
    [{ branches: ["^refs/heads/main$"] }, "/branches/0", "regular expression"],
    [{ branches: ["feature/.*"] }, "/branches/0", 'write "feature/*"'],
    [{ branches: [".*"] }, "/branches/0", 'write "**"'],
    [{ branches: ["rel[0-9]"] }, "/branches/0", "git allows no such name"],
    [{ branches: ["main:dev"] }, "/branches/0", "git allows no such name"],
    [{ branches: ["!"] }, "/branches/0", "after the !"],
    [{ branches: ["**", "!!main"] }, "/branches/1", 'write "!main"'],
    [{ tags: ["refs/tags/v*"] }, "/tags/0", 'write "v*"'],
    [{ tags: [String.raw`v\d+`] }, "/tags/0", "matches no tag"],
    [{ skip_markers: [" "] }, "/skip_markers/0", "every message has"],
  ])("are refused with what to write if they can never match: %j", (deployOn, pointer, words) => {
    for (const schema of [CreateProjectInput, UpdateProjectInput]) {
      const issues = z.safeParse(schema, { ...needed, deploy_on: deployOn }).error?.issues ?? [];
      expect(issues.map(({ path, message }) => [`/${path.join("/")}`, message])).toEqual([
        [`/deploy_on${pointer}`, expect.stringContaining(words)],
      ]);
    }
  });

  it("may have every other character", () => {
    const given = {
      branches: ["**", "!dependabot/**", "/main/", "v1.*", "a+b", "@me/*"],
      tags: ["v?.?"],
      paths: [
        "/apps/shop",
        "apps/[slug]/{{name}}/$id.tsx",
        "**/*.md",
        ".*",
        "my docs",
        "a**b",
        "!**/*.test.ts",
      ],
      ignore_paths: ["docs/", "docs/"],
    };
    expect(UpdateProjectInput.parse({ deploy_on: given }).deploy_on).toEqual(given);
  });
});
