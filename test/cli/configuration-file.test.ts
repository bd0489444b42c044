import { readFile } from "node:fs/promises";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { commentsOf } from "#cli/configuration/comments.ts";
import { parseDocument, printDocument } from "#cli/configuration/document.ts";
import { readSource, suggestedSource } from "#cli/configuration/environment-values.ts";
import { exportState } from "#cli/configuration/export-state.ts";
import { kindNames } from "#cli/configuration/item.ts";
import { type Fields, isFields, isSame, type Json } from "#cli/configuration/json.ts";
import { documentFields } from "#cli/configuration/kind.ts";
import { keepText } from "#cli/configuration/keep-text.ts";
import { Names } from "#cli/configuration/names.ts";
import { readWanted } from "#cli/configuration/read-wanted.ts";
import { CreateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import { everySetting } from "../support/every-setting.ts";

const names = new Names({ server: new Map([["web-1", "srv_1"]]), project: new Map() });

/** The fields of the only project of a file. */
function projectOf(document: Fields): Fields {
  const wanted = readWanted(document, {
    path: "x.toml",
    names,
    environment: {},
    url: "https://gantry.example.com",
  });
  if (!wanted.ok) throw new Error(JSON.stringify(wanted.problem.errors));
  return wanted.value.state.get("projects")?.[0]?.fields ?? {};
}

function read(text: string, path = "x.toml"): Fields {
  const document = parseDocument(text, path.endsWith("json") ? "json" : "toml", path);
  if (!document.ok) throw new Error(document.problem.detail);
  return document.value;
}

const scalar = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", "a # b", "=", "'''", '"""', "\u007f", "\u0000", "env:A", "\n", "[x]"),
  fc.boolean(),
  fc.integer(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((number) => !Object.is(number, -0) && Number.isSafeInteger(number) === Number.isInteger(number)),
);
const key = fc.oneof(fc.string(), fc.constantFrom("a.b", "#1", "", "__proto__", "from", '"', "ключ"));
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const document = fc
  .array(fc.tuple(key, value), { maxLength: 5 })
  .map((entries): Fields => Object.fromEntries(entries));

describe("a configuration file", () => {
  it("has the same content in TOML and JSON, whatever is in it", () => {
    fc.assert(
      fc.property(document, (written) => {
        expect(isSame(read(printDocument(written, "toml")), written)).toBe(true);
        expect(isSame(read(printDocument(written, "json"), "x.json"), written)).toBe(true);
      }),
    );
  });

  it("keeps comments before tables and fields, and makes one of a comment at the end of a line", () => {
    const text = `# The file.

# Of the project.
[projects."a.b"]
# Of the field.
branch = "x # y" # after it
list = [ # inside of it is lost
  1,
]

# Of the next table.
[projects."a.b".cron]
text = """
# not a comment
"""
# The end.
`;
    expect(printDocument(read(text), "toml", commentsOf(text))).toBe(`# The file.


# Of the project.
[projects."a.b"]
# Of the field.
# after it
branch = "x # y"
list = [1]

# Of the next table.
[projects."a.b".cron]
text = "# not a comment\\n"
# The end.
`);
  });

  it("escapes what a terminal would run or hide, and keeps it", () => {
    const hidden = { "a\u202e": "\u001b[31m\u009b \u200b \u202e é" };
    const text = printDocument(hidden, "toml");
    expect(text).toBe('"a\\u202e" = "\\u001b[31m\\u009b \\u200b \\u202e é"\n');
    expect(read(text)).toEqual(hidden);
  });

  it("is refused if it is nested too deeply", () => {
    const text = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    expect(parseDocument(text, "json", "x.json")).toMatchObject({
      ok: false,
      problem: { code: "invalid_file" },
    });
  });

  it("takes the short forms and TOML's dates", () => {
    const common = { repository: "https://example.com/shop.git" };
    const long = { ...common, servers: [{ server: "web-1", cron: false }] };
    for (const short of [
      { ...common, server: "web-1" },
      { ...common, servers: ["web-1"] },
    ])
      expect(projectOf({ projects: { shop: short } })).toEqual(projectOf({ projects: { shop: long } }));
    expect(read("at = 2090-12-31T18:00:00Z")).toEqual({ at: "2090-12-31T18:00:00.000Z" });
  });

  it("writes null as an empty text, where null has a meaning", () => {
    const of = (settings: Fields) =>
      projectOf({
        projects: { shop: { server: "web-1", repository: "https://example.com/x.git", ...settings } },
      });
    expect(of({ build_command: "" })["build_command"]).toBeNull();
    expect(of({ build_command: null })["build_command"]).toBeNull();
    expect(of({})).not.toHaveProperty("build_command");
  });
});

describe("the text of a file after a change", () => {
  const text = `# The file.

"servers" = [ "web-1" ]   # all of them

# The shop.
[projects.shop]
'branch' = "main" # after it
cron = { a = { schedule = "@daily" } }

[projects."my.blog"]
"branch" = "x"
[projects.shop.variables]
A = { from = "env:A" }
# The end.
`;
  const change = (file: string, edit: (next: Fields) => Fields): string => {
    const before = read(file);
    const next = edit(before);
    const printed = printDocument(next, "toml", commentsOf(file));
    const kept = keepText(file, { before, next, printed });
    expect(read(kept)).toEqual(next);
    return kept;
  };
  const projectsOf = ({ projects = {} }: Fields) => (isFields(projects) ? projects : {});

  it("is the same in each table that is the same", () => {
    expect(change(text, (next) => next)).toBe(
      text
        .replace('\n[projects."my.blog"]\n"branch" = "x"\n', "")
        .replace("# The end.", '\n[projects."my.blog"]\n"branch" = "x"\n# The end.'),
    );
    const changed = change(text, (next) => ({
      ...next,
      projects: { ...projectsOf(next), "my.blog": { branch: "y" }, new: { branch: "z" } },
    }));
    expect(changed).toContain("'branch' = \"main\" # after it\ncron = { a");
    expect(changed).toContain('# The file.\n\n"servers" = [ "web-1" ]   # all of them\n\n# The shop.\n');
    expect(changed).toMatch(
      /\[projects\."my\.blog"\]\nbranch = "y"\n\n\[projects\.new\]\nbranch = "z"\n# The end\.\n$/,
    );
    expect(change(text, (next) => ({ ...next, projects: { "my.blog": { branch: "x" } } }))).toMatch(
      /^# The file\.\n\n"servers".*\n\n\[projects\."my\.blog"\]\n"branch" = "x"\n# The end\.\n$/,
    );
  });

  it("is printed again if its tables are in lines of others", () => {
    const inline = 'projects = { shop = { branch = "main" } }\n';
    expect(change(inline, (next) => ({ ...next, servers: [] }))).toBe(
      'servers = []\n\n[projects.shop]\nbranch = "main"\n',
    );
  });
});

describe("a mistake in the servers of a project", () => {
  it.each([
    [["web-9"], ['projects.shop.servers.0 names the server "web-9", which does not exist']],
    [["web-1", "web-9"], ['projects.shop.servers.1 names the server "web-9", which does not exist']],
    [
      [{ server: "web-9" }],
      ['projects.shop.servers.0.server names the server "web-9", which does not exist'],
    ],
    [[], ["projects.shop.server is required"]],
  ])("is reported alone, with the path of the file: %j", (servers, errors) => {
    const shop = { repository: "https://example.com/shop.git", servers };
    const url = "https://gantry.example.com";
    const wanted = readWanted({ projects: { shop } }, { path: "x.toml", names, environment: {}, url });
    const found = wanted.ok ? [] : (wanted.problem.errors ?? []);
    expect(found.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual(errors);
  });
});

describe("an earlier name of a project", () => {
  it("is reported if it renames nothing", () => {
    const installed = (...projects: readonly string[]) =>
      new Names({
        server: new Map([["web-1", "srv_1"]]),
        project: new Map(projects.map((name) => [name, `proj_${name}`])),
      });
    const store = { repository: "https://example.com/shop.git", server: "web-1", was: "shop" };
    const noticesFor = (...projects: readonly string[]) => {
      const url = "https://gantry.example.com";
      const given = { path: "x.toml", names: installed(...projects), environment: {}, url };
      const wanted = readWanted({ projects: { store } }, given);
      return wanted.ok ? wanted.value.notices : wanted.problem.errors;
    };
    expect(noticesFor("shop")).toEqual([]);
    expect(noticesFor("store")).toEqual([]);
    expect(noticesFor("shop", "store")).toEqual([
      "projects.store.was has no effect: the installation has both shop and store.",
    ]);
    expect(noticesFor()).toEqual([
      "projects.store.was has no effect: the installation has no project shop, so store is created without a history.",
    ]);
  });
});

describe("an export", () => {
  const { name: _, servers: __, ...settings } = { servers: [], ...everySetting };
  const all = new Names({
    server: new Map([
      ["web-1", `srv_${"0".repeat(26)}`],
      ["#2", `srv_${"0".repeat(25)}1`],
    ]),
    project: new Map([["shop", `proj_${"0".repeat(26)}`]]),
  });
  const common = { repository: "https://example.com/shop.git", servers: [{ id: all.idOf("server", "#2") }] };
  const surroundings = { names: all, environment: {}, url: "https://gantry.example.com" };

  /** A project with these settings, as an export has it. */
  const exportOf = (given: object): Fields => {
    const fields = documentFields(CreateProjectInput, { ...common, ...given }, all);
    const item = {
      kind: "projects",
      key: "shop",
      name: "shop",
      identity: "shop",
      sources: new Map(),
    } as const;
    const more = { id: "x", mark: "", masked: [], given: [] };
    const wanted = readWanted({ projects: { shop: fields } }, { ...surroundings, path: "x" });
    if (!wanted.ok) throw new Error(JSON.stringify(wanted.problem.errors));
    const [own] = wanted.value.state.get("projects") ?? [];
    return exportState(
      new Map([["projects", [{ ...item, ...more, fields: own?.fields ?? {} }]]]),
      surroundings,
    );
  };
  const meaningOf = (file: Fields) => {
    const wanted = readWanted(file, { ...surroundings, path: "x" });
    return wanted.ok ? wanted.value.state.get("projects")?.[0]?.fields : wanted.problem.errors;
  };

  it("of any settings means these settings, in TOML and JSON, and has nothing that it could leave out", () => {
    const some = fc.subarray(Object.keys(settings), { minLength: 0 });
    fc.assert(
      fc.property(some, (chosen) => {
        const given = Object.fromEntries(
          Object.entries({ ...settings, ...common }).filter(([one]) => chosen.includes(one) || one in common),
        );
        const exported = exportOf(given);
        const fields = documentFields(CreateProjectInput, given, all);
        expect(meaningOf(exported)).toEqual(meaningOf({ projects: { shop: fields } }));
        expect(meaningOf(read(printDocument(exported, "toml")))).toEqual(meaningOf(exported));
        const table = exported["projects"];
        const shop = isFields(table) && isFields(table["shop"]) ? table["shop"] : {};
        for (const name of Object.keys(shop)) {
          const { [name]: left, ...others } = shop;
          expect(meaningOf({ projects: { shop: others } }), `${name} ${JSON.stringify(left)}`).not.toEqual(
            meaningOf(exported),
          );
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe("docs/configuration.md", () => {
  it("has an example that is a valid file", async () => {
    const page = await readFile(new URL("../../docs/configuration.md", import.meta.url), "utf8");
    const [, example = ""] = /```toml\n([^]*?)```/.exec(page) ?? [];
    const all = new Names({
      server: new Map([
        ["web-1", "srv_1"],
        ["jobs-1", "srv_2"],
      ]),
      project: new Map(),
    });
    const given = { path: "gantry.toml", names: all, environment: {}, url: "https://gantry.example.com" };
    const wanted = readWanted(read(example), given);
    expect(wanted.ok ? [] : wanted.problem.errors).toEqual([]);
    expect(wanted.ok ? [...wanted.value.state.keys()] : []).toEqual(kindNames);
  });
});

describe("the names of environment variables", () => {
  it("are made of any names", () => {
    expect(suggestedSource("my.shop #2", "API_KEY")).toBe("MY_SHOP_2_API_KEY");
    expect(suggestedSource("Café", "x")).toBe("CAFE_X");
    expect(suggestedSource("2nd")).toBe("_2ND");
    expect(suggestedSource("gantry", "token")).toBe("_GANTRY_TOKEN");
    for (const name of [
      "GANTRY_TOKEN",
      "gantry_token",
      "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
      "BUILDKITE_AGENT_ACCESS_TOKEN",
    ])
      expect(readSource(`env:${name}`)).toBeNull();
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(readSource(`env:${suggestedSource(one, other)}`)).not.toBeNull();
      }),
    );
  });
});
