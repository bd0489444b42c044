import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { TrailingSlash } from "#contract/endpoints/projects/settings.ts";
import { defaultRules, type SiteRules } from "#agent/workspace/site-rules.ts";

import {
  addressFiles,
  addressRows,
  type AddressRow,
  answerOf,
  cachedRows,
  fallbackRows,
  fallbackRules,
  packedFiles,
  packedRows,
  typedFiles,
} from "../../support/page-addresses.ts";
import { createWorkspace, rawRequest, serve, type ServedSite, type Workspace } from "./workspace.ts";

let workspace: Workspace;
let site: ServedSite;

beforeEach(async () => {
  workspace = await createWorkspace();
  site = await serve(workspace.directory);
});
afterEach(async () => {
  await site.close();
  await workspace.remove();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(site.url + path, { headers, redirect: "manual" });

describe("a site without a release", () => {
  it("answers 503 and says that no release is deployed", async () => {
    const answer = await get("/");
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain("Nothing has been deployed");
  });
});

describe("an app that runs as a server", () => {
  it("is not served from its files, and the page says what starts it", async () => {
    const record = { root_directory: ".", output_directory: ".", published: false } as const;
    await workspace.addRelease(1, { "index.html": "page", "app.js": "source" }, record);
    await workspace.switchTo(1);
    for (const path of ["/", "/index.html", "/app.js", "/404.html"]) {
      const answer = await get(path);
      expect(answer.status).toBe(503);
      expect(await answer.text()).toContain("it has no process named web");
    }
    await workspace.addRelease(2, { "index.html": "page" });
    await workspace.switchTo(2);
    expect(await (await get("/")).text()).toBe("page");
  });
});

/** Secrets, copies and programs that people commit beside a site. */
const leftFiles = [
  ...["KEY.PEM", "ID_RSA", "dump.SQL", "Contact.PHP", "AuthKey_A1.p8"],
  ...["dump.sql.bz2", "mysql.dump.gz", "data.sqlite-wal", "shop.db-journal", "access.log.1", "error_log"],
  ...["serviceAccountKey.json", "shop-firebase-adminsdk-a1.json", "client_secret_1.json", "sftp-config.json"],
  ...["web.config", "config/database.yml", "config/secrets.yml", "ecosystem.config.js", "app.yaml"],
  ...[
    "config.php.old",
    "main.php.txt",
    "lib.php7",
    "cgi-bin/run.pl",
    "page.aspx",
    "page.jsp",
    "prod.tfvars.json",
  ],
  ...["bot.rb", "cmd/main.go", "src/lib.rs", "lib/shop.ex", "Views/Index.cshtml", "netlify/functions/a.js"],
  ...["netlify/edge-functions/b.ts", "_worker.js", "_routes.json"],
];

describe("a site with a release", () => {
  beforeEach(async () => {
    await workspace.addRelease(3, {
      "index.html": "<h1>three</h1>",
      "style.css": "body{}",
      "docs/index.html": "docs",
      "docs/a b ü.txt": "spaces",
      "empty.txt": "",
      "pictures/one.svg": "<svg/>",
      ".env": "SECRET=1",
      ".well-known/security.txt": "contact",
      ".git/config": "secret",
      Procfile: "worker: node worker.js",
      "package.json": "{}",
      "docs/package.json": "{}",
      "docs/node_modules/left-pad/index.js": "",
      "contact.php": "<?php",
      "keys/server.key": "secret",
      "data.sqlite3": "",
      "requirements-dev.txt": "",
      "docs/readme.txt": "read me",
      "docs/sign.asc": "signature",
      ...Object.fromEntries(leftFiles.map((name) => [name, "secret"])),
    });
    await workspace.switchTo(3);
  });

  it("serves the index with its release, type and caching header", async () => {
    const answer = await get("/");
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe("<h1>three</h1>");
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "gantry-release": "3",
      "x-content-type-options": "nosniff",
    });
    expect(answer.headers.get("last-modified")).toBeNull();
  });

  it("answers 304 to its own ETag, and 200 once another release is served", async () => {
    const etag = (await get("/style.css")).headers.get("etag") ?? "";
    // Not with fetch, which does not allow a 304 to a condition set by hand.
    const ask = () => rawRequest(site.url, "/style.css", { headers: { "if-none-match": etag } });
    const again = await ask();
    expect([again.status, again.headers["gantry-release"], again.body]).toEqual([304, "3", ""]);
    await workspace.addRelease(4, { "style.css": "body{}" });
    await workspace.switchTo(4);
    expect((await ask()).status).toBe(200);
  });

  it("redirects a directory to its path with a slash, never to another host", async () => {
    const answer = await get("/docs?a=1");
    expect([answer.status, answer.headers.get("location")]).toEqual([308, "/docs/?a=1"]);
    const sneaky = await rawRequest(site.url, "//docs");
    expect([sneaky.status, sneaky.headers.location]).toEqual([308, "/docs/"]);
    expect(await (await get("/docs/")).text()).toBe("docs");
  });

  it("serves names with spaces and letters beyond ASCII, and empty files", async () => {
    expect(await (await get(`/docs/${encodeURIComponent("a b ü.txt")}`)).text()).toBe("spaces");
    const empty = await get("/empty.txt");
    expect([empty.status, await empty.text()]).toEqual([200, ""]);
  });

  it("serves a range of a file, and answers 416 for an invalid range", async () => {
    const part = await get("/", { range: "bytes=4-8" });
    expect([part.status, await part.text()]).toEqual([206, "three"]);
    const beyond = await get("/", { range: "bytes=900-" });
    expect(beyond.status).toBe(416);
    // A client that resumes a download detects the end by it.
    expect(beyond.headers.get("content-range")).toMatch(/^bytes \*\/\d+$/);
  });

  it("answers HEAD without a body", async () => {
    const answer = await fetch(`${site.url}/style.css`, { method: "HEAD" });
    expect([answer.status, answer.headers.get("content-length")]).toEqual([200, "6"]);
  });

  it("refuses writing methods", async () => {
    const answer = await fetch(site.url, { method: "POST", body: "x" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  it.each(["/.env", "/.git/config", "/%2egit/config", "/pictures", "/pictures/"])(
    "does not serve %s",
    async (path) => {
      expect((await rawRequest(site.url, path)).status).toBe(404);
    },
  );

  it("does not serve what says how it is built, keys and databases from the sources alone", async () => {
    for (const path of [
      ...["/Procfile", "/package.json", "//package.json", "/%70ackage.json", "/Procfile/"],
      ...["/docs/package.json", "/docs/node_modules/left-pad/index.js", "/docs/node_modules", "/contact.php"],
      ...["/keys/server.key", "/data.sqlite3", "/requirements-dev.txt"],
      ...leftFiles.map((name) => `/${name}`),
    ])
      expect([path, (await rawRequest(site.url, path)).status]).toEqual([path, 404]);
    expect((await get("/docs/readme.txt")).status).toBe(200);
    expect((await get("/docs/sign.asc")).status).toBe(200);
    const record = { root_directory: ".", output_directory: "dist" };
    await workspace.addRelease(4, { "dist/package.json": "{}" }, record);
    await workspace.switchTo(4);
    expect((await get("/package.json")).status).toBe(200);
  });

  it("serves .well-known", async () => {
    expect(await (await get("/.well-known/security.txt")).text()).toBe("contact");
  });

  it.each(["/%", "/a%00b", "/docs/../.env", "/..%2f..%2f..%2fetc%2fpasswd", "/../../etc/passwd", "*"])(
    "answers 400 or 404 to %s",
    async (path) => {
      const answer = await rawRequest(site.url, path);
      expect([400, 404]).toContain(answer.status);
      expect(answer.headers["gantry-release"]).toBe("3");
    },
  );

  it("answers 404 with a default page, or with the site's 404.html if it has one", async () => {
    const plain = await get("/nothing");
    expect([plain.status, await plain.text()]).toEqual([404, expect.stringContaining("Not found")]);
    await workspace.addRelease(4, { "404.html": "<p>ours" });
    await workspace.switchTo(4);
    const own = await get("/nothing", { "if-none-match": "*", range: "bytes=0-1" });
    expect([own.status, await own.text(), own.headers.get("gantry-release")]).toEqual([404, "<p>ours", "4"]);
  });
});

describe("a release with its own root and output directories", () => {
  it("serves only the output, even below a folder with a dot", async () => {
    const paths = { root_directory: "web", output_directory: ".output/public" };
    const files = { "web/.output/public/index.html": "built", "web/source.html": "source" };
    await workspace.addRelease(1, files, paths);
    await workspace.switchTo(1);
    expect(await (await get("/")).text()).toBe("built");
    expect((await get("/source.html")).status).toBe(404);
  });
});

describe("a page", () => {
  const serveBy = async (rules: SiteRules) => {
    const record = { root_directory: ".", output_directory: "dist", site_rules: rules };
    const files = Object.entries(addressFiles).map(([path, text]) => [`dist/${path}`, text]);
    await workspace.addRelease(1, Object.fromEntries(files), record);
    await workspace.switchTo(1);
  };
  const answers = (rows: readonly AddressRow[]) =>
    Promise.all(
      rows.map(async ([path, , headers = {}]) => {
        const answer = await rawRequest(site.url, path, { headers });
        const location = answer.headers.location ?? null;
        return [path, answerOf(answer.status, location, answer.body), headers];
      }),
    );
  const expected = (rows: readonly AddressRow[]) =>
    rows.map(([path, answer, headers = {}]) => [path, answer, headers]);

  it.each(TrailingSlash.options)("has one address, as trailing_slash %s says", async (mode) => {
    await serveBy({ ...defaultRules, trailing_slash: mode });
    expect(await answers(addressRows[mode])).toEqual(expected(addressRows[mode]));
  });

  it("that does not exist is the fallback, if it is no file's name", async () => {
    await serveBy(fallbackRules);
    expect(await answers(fallbackRows)).toEqual(expected(fallbackRows));
    for (const [path, isKept] of cachedRows)
      expect([path, (await get(path)).headers.get("cache-control")?.includes("immutable")]).toEqual([
        path,
        isKept,
      ]);
  });
});

describe("a file", () => {
  it("has the type that browsers and platforms require, also without an extension", async () => {
    const paths = Object.keys(typedFiles);
    const files = paths.map((path) => [path === "/a/deep.page" ? "a/deep.page.html" : path.slice(1), "x"]);
    await workspace.addRelease(1, Object.fromEntries(files));
    await workspace.switchTo(1);
    const types = paths.map(async (path) => [path, (await get(path)).headers.get("content-type")]);
    expect(Object.fromEntries(await Promise.all(types))).toEqual(typedFiles);
  });

  it.each(packedRows)("%s that is packed, asked for with %s, is %s", async (path, accept, answer) => {
    await workspace.addRelease(1, packedFiles);
    await workspace.switchTo(1);
    const { status, headers } = await rawRequest(site.url, path, { headers: { "accept-encoding": accept } });
    const { "content-type": type = "", "content-encoding": coding = "-" } = headers;
    expect(status === 200 ? `200 ${type} ${coding}` : `${status}`).toBe(answer);
  });
});

describe("a missing file", () => {
  const assets = {
    "assets/index-DiwrgTda.js": "yesterday's",
    "assets/page-DiwrgTda.html": "page",
    "old.js": "old",
  };
  beforeEach(async () => {
    await workspace.addAssets(1, assets);
    await workspace.addRelease(2, { "index.html": "two", "404.html": "ours" });
    await workspace.switchTo(2);
  });

  it("is an earlier release's, if its name has a hash and it is no page", async () => {
    const answer = await get("/assets/index-DiwrgTda.js");
    expect([answer.status, await answer.text(), Object.fromEntries(answer.headers)]).toMatchObject([
      200,
      "yesterday's",
      { "content-type": "text/javascript; charset=utf-8", "gantry-release": "1" },
    ]);
    expect(answer.headers.get("cache-control")).toContain("immutable");
    for (const path of [
      "/assets/page-DiwrgTda.html",
      "/assets/page-DiwrgTda",
      "/old.js",
      "/assets/index-DiwrgTdb.js",
    ])
      expect([path, (await rawRequest(site.url, path)).body]).toEqual([path, "ours"]);
  });
});

describe("links in a release", () => {
  beforeEach(async () => {
    await workspace.addRelease(1, { "index.html": "one", ".env": "SECRET=1" });
    await workspace.switchTo(1);
  });
  const link = (target: string, name: string) =>
    symlink(target, join(workspace.directory, "releases", "1", name));

  it("are followed inside the release and into the shared folder", async () => {
    await link("index.html", "home.html");
    await mkdir(join(workspace.directory, "shared", "uploads"), { recursive: true });
    await writeFile(join(workspace.directory, "shared", "uploads", "cat.txt"), "meow");
    await link("../../shared/uploads", "uploads");
    expect(await (await get("/home")).text()).toBe("one");
    expect(await (await get("/uploads/cat.txt")).text()).toBe("meow");
  });

  it("are not followed out of the project, to hidden files, or to its git mirror", async () => {
    await mkdir(join(workspace.directory, "mirror.git"));
    await writeFile(join(workspace.directory, "mirror.git", "config"), "https://me:pw@host");
    await link("/etc/passwd", "passwd.txt");
    await link("/etc", "etc");
    await link("../../mirror.git", "mirror");
    await link(".env", "env.txt");
    await link("loop", "loop");
    for (const path of ["/passwd.txt", "/etc/passwd", "/mirror/config", "/env.txt", "/loop"])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });

  it("are not followed when the document root itself leads out of the project", async () => {
    const paths = { root_directory: ".", output_directory: "out" };
    await workspace.addRelease(2, { "index.html": "two" }, paths);
    await symlink("/etc", join(workspace.directory, "releases", "2", "out"));
    await workspace.switchTo(2);
    expect((await get("/passwd")).status).toBe(404);
  });
});
