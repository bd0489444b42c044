import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { request as sendPlain, type IncomingHttpHeaders } from "node:http";
import { request as sendSecure } from "node:https";
import { dirname, join } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";

import { ingressFiles } from "#agent/ingress/caddy/load-sites.ts";
import { createPauses, type Pauses } from "#agent/ingress/pauses.ts";
import { writePause } from "#agent/ingress/pause-files.ts";
import { setMaintenance, slotFiles, writeServed, writeSlots } from "#agent/ingress/slots.ts";
import { DEFAULT_RULES, defaultRules, rulesId, type SiteRules } from "#agent/workspace/site-rules.ts";
import type { SiteFile } from "#agent/ingress/site-file.ts";
import { sendRequest } from "#agent/lib/http/send-request.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { TrailingSlash } from "#contract/endpoints/projects/settings.ts";
import { pause } from "#contract/lib/pause.ts";

import { ingressPrograms } from "../../scripts/shared/ingress-programs.ts";
import { ids } from "../agent/support/harness.ts";
import { openSocket, startLoad } from "../support/load/load.ts";
import { type LoadApp, startLoadApp } from "../support/load/load-app.ts";
import { freePort } from "../support/free-port.ts";
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
} from "../support/page-addresses.ts";
import { runShell } from "../support/run-shell.ts";
import {
  catchAllRows,
  catchAllRules,
  earlierFile,
  headerRows,
  redirectRows,
  ruleAnswer,
  type RuleRow,
  ruleSiteFiles,
  siteRules,
} from "../support/site-rules.ts";
import { TestIngress } from "./support/caddy.ts";
import { startHttp3Client } from "./support/http3-client.ts";

const shop = ids.project();
const docs = ids.project();
const shopSite: SiteFile = {
  domain: "shop.localhost",
  aliases: [
    { domain: "www.shop.localhost", redirect: true },
    { domain: "store.localhost", redirect: false },
  ],
  content: { kind: "app" },
};
const docsSite: SiteFile = {
  domain: "docs.localhost",
  aliases: [],
  content: { kind: "files", directory: "dist" },
};

let test: TestIngress;
let apps: LoadApp[];
let heldWithoutAgent: Promise<Answer>;
beforeAll(async () => {
  test = await TestIngress.create();
  apps = [];
});
afterAll(async () => {
  for (const { child } of apps) child.kill("SIGKILL");
  await test.close();
});

async function start(name: string): Promise<LoadApp> {
  const app = await startLoadApp(name);
  apps.push(app);
  return app;
}
const lead = (...to: LoadApp[]) =>
  writeSlots(
    test.slots,
    shop,
    to.map(({ address }) => address),
  );

type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** Sends a request as a browser does, and verifies the certificate. */
function ask(
  domain: string,
  path = "/",
  {
    method = "GET",
    headers = {},
    body = "",
    plain = false,
  }: { method?: string; headers?: Record<string, string>; body?: string; plain?: boolean } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { http_port, https_port } = test.settings;
    const outgoing = (plain ? sendPlain : sendSecure)({
      host: "127.0.0.1",
      port: plain ? http_port : https_port,
      path,
      method,
      agent: false,
      headers: { host: domain, ...headers },
      ...(plain ? {} : { servername: domain, ca: test.authority }),
    });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    outgoing.end(body);
  });
}
const textOf = async (domain: string, path = "/") => (await ask(domain, path)).body.toString();
const secureTarget = () => ({ port: test.settings.https_port, domain: "shop.localhost", ca: test.authority });

/** Waits for the certificate, which Caddy makes after it has accepted the site. */
async function untilServed(domain: string): Promise<void> {
  await expect
    .poll(() =>
      ask(domain).then(
        ({ status }) => status > 0,
        () => false,
      ),
    )
    .toBe(true);
}

describe("Caddy, as the agent configures it", () => {
  it("serves an app by TLS, with a certificate that a client can verify", async () => {
    await test.put(shop, shopSite, [(await start("v1")).address]);
    await untilServed("shop.localhost");
    expect(test.ingress.problem()).toBeNull();
    expect(await textOf("shop.localhost")).toBe("v1 GET 0");
    expect(await textOf("store.localhost")).toBe("v1 GET 0");
    const headers: unknown = JSON.parse(await textOf("shop.localhost", "/headers"));
    expect(headers).toMatchObject({
      host: "shop.localhost",
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "https",
    });
    const { headers: answered } = await ask("shop.localhost");
    expect(answered["alt-svc"]).toContain("h3=");
  });

  it("speaks HTTP/2", async () => {
    const session = connectHttp2(`https://shop.localhost:${test.settings.https_port}`, {
      ca: test.authority,
      host: "127.0.0.1",
      servername: "shop.localhost",
      lookup: (_, __, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
    });
    const stream = session.request({ ":path": "/", ":authority": "shop.localhost" });
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) text += String(chunk);
    expect([session.alpnProtocol, text]).toEqual(["h2", "v1 GET 0"]);
    session.close();
  });

  it("speaks HTTP/3", async () => {
    const port = await freePort();
    const client = await startHttp3Client(port, secureTarget());
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "hello" });
      expect([answer.status, await answer.text()]).toEqual([200, "v1 POST 5"]);
    } finally {
      client.kill("SIGKILL");
    }
  });

  it("redirects an alias and plain HTTP, and keeps the path and the query", async () => {
    const { https_port } = test.settings;
    expect(await ask("www.shop.localhost", "/a/b?c=d")).toMatchObject({
      status: 301,
      headers: { location: `https://shop.localhost:${https_port}/a/b?c=d` },
    });
    expect(await ask("shop.localhost", "/a?b=c", { plain: true })).toMatchObject({
      status: 308,
      headers: { location: `https://shop.localhost:${https_port}/a?b=c` },
    });
    expect((await ask("unknown.localhost", "/", { plain: true })).status).toBe(404);
  });

  it("streams events, and passes on WebSockets", async () => {
    await new Promise<void>((resolve, reject) => {
      sendSecure({
        host: "127.0.0.1",
        port: test.settings.https_port,
        path: "/events",
        headers: { host: "shop.localhost", "accept-encoding": "gzip, zstd" },
        servername: "shop.localhost",
        ca: test.authority,
      })
        .on("error", reject)
        .on("response", (response) => {
          response.once("data", () => void ask("shop.localhost", "/next"));
          response.on("end", resolve).resume();
        })
        .end();
    });
    expect(await openedSocket()).toBeInstanceOf(WebSocket);
  });

  it("serves the files of a release, with the release in their tags", async () => {
    const folder = projectFolder(test.home, docs);
    for (const release of [1, 2])
      writeFiles(join(folder.releases, `${release}`, "dist"), {
        "index.html": `<h1>release ${release}</h1>${"x".repeat(2000)}`,
        "404.html": "our own 404",
        ".env": "secret",
        ".well-known/security.txt": "contact",
        "sub/index.html": "sub",
        "_astro/page.abc.css": "a {}",
        "assets/index-DiwrgTda.css": "b {}",
        "assets/logo-20250101.css": "c {}",
      });
    await test.put(docs, docsSite);
    const serve = (documentRoot: string) =>
      writeServed(test.slots, docs, { rules: DEFAULT_RULES, documentRoot });
    const root = (release: number) => join(folder.releases, `${release}`, "dist");
    await serve(root(1));
    await untilServed("docs.localhost");

    const first = await ask("docs.localhost");
    expect(first).toMatchObject({
      status: 200,
      headers: {
        "cache-control": "no-cache",
        "x-content-type-options": "nosniff",
        "gantry-release": "1",
        etag: expect.stringMatching(/^"1-/),
      },
    });
    expect(first.headers["last-modified"]).toBeUndefined();
    const tag = { headers: { "if-none-match": first.headers.etag ?? "" } };
    expect((await ask("docs.localhost", "/", tag)).status).toBe(304);
    await serve(root(2));
    expect(await ask("docs.localhost", "/", tag)).toMatchObject({
      status: 200,
      headers: { "gantry-release": "2" },
    });

    expect((await ask("docs.localhost", "/_astro/page.abc.css")).headers["cache-control"]).toContain(
      "immutable",
    );
    const cachingOf = async (path: string) => (await ask("docs.localhost", path)).headers["cache-control"];
    expect(await cachingOf("/assets/index-DiwrgTda.css")).toBe("public, max-age=31536000, immutable");
    expect(await cachingOf("/assets/logo-20250101.css")).toBe("no-cache");
    expect(await ask("docs.localhost", "/_astro/none.css")).toMatchObject({
      status: 404,
      headers: { "cache-control": "no-cache" },
      body: Buffer.from("our own 404"),
    });
    expect((await ask("docs.localhost", "/.env")).status).toBe(404);
    expect(await textOf("docs.localhost", "/.well-known/security.txt")).toBe("contact");
    expect(await ask("docs.localhost", "/sub")).toMatchObject({
      status: 308,
      headers: { location: "/sub/" },
    });
    expect(await ask("docs.localhost", "/", { method: "POST" })).toMatchObject({
      status: 405,
      headers: { allow: "GET, HEAD" },
    });
  });

  it("has one address for each page, and a fallback, by the rules of the release that is served", async () => {
    const pages = ids.project();
    const root = join(projectFolder(test.home, pages).releases, "1", "dist");
    writeFiles(root, addressFiles);
    const modes = TrailingSlash.options.map((mode) => ({ ...defaultRules, trailing_slash: mode }));
    const sets = [...modes, fallbackRules].map((rules) => [rulesId(rules), rules] as const);
    const rule_sets = Object.fromEntries(sets.filter(([id]) => id !== DEFAULT_RULES));
    await test.put(pages, {
      domain: "pages.localhost",
      aliases: [],
      content: { kind: "files", directory: "dist", rule_sets },
    });
    await untilServed("pages.localhost");
    const answers = async (rules: SiteRules, rows: readonly AddressRow[]) => {
      await writeServed(test.slots, pages, { rules: rulesId(rules), documentRoot: root });
      const found = [];
      for (const [path, , headers = {}] of rows) {
        const answer = await ask("pages.localhost", path, { headers });
        const location = answer.headers.location ?? null;
        found.push([path, answerOf(answer.status, location, answer.body.toString()), headers]);
      }
      return found;
    };
    const expected = (rows: readonly AddressRow[]) =>
      rows.map(([path, answer, headers = {}]) => [path, answer, headers]);
    for (const rules of modes) {
      const rows = addressRows[rules.trailing_slash];
      expect([rules, await answers(rules, rows)]).toEqual([rules, expected(rows)]);
    }
    expect(await answers(fallbackRules, fallbackRows)).toEqual(expected(fallbackRows));
    // As a power cut may leave it: then nothing else is served instead, such as the folder that Caddy runs in.
    writeFileSync(slotFiles(test.slots, pages).root, "");
    expect((await ask("pages.localhost", "/package.json")).status).toBe(404);
    await symlink(join("releases", "1"), projectFolder(test.home, pages).current);
    expect(await textOf("pages.localhost", "/pricing")).toBe("pricing.html");
    await writeServed(test.slots, pages, { rules: rulesId(fallbackRules), documentRoot: root });
    for (const [path, isKept] of cachedRows) {
      const caching = (await ask("pages.localhost", path)).headers["cache-control"];
      expect([path, caching?.includes("immutable")]).toEqual([path, isKept]);
    }
  });

  it("applies the redirects and headers of a site as the site server does", async () => {
    const project = ids.project();
    const root = join(projectFolder(test.home, project).releases, "1", "dist");
    writeFiles(root, ruleSiteFiles);
    const id = rulesId(siteRules);
    await test.put(project, {
      domain: "rules.localhost",
      aliases: ["other.localhost", "third.localhost"].map((domain) => ({ domain, redirect: false })),
      content: {
        kind: "files",
        directory: "dist",
        rule_sets: { [id]: siteRules, [rulesId(catchAllRules)]: catchAllRules },
      },
    });
    expect(test.ingress.problemOf(project)).toBeNull();
    await writeServed(test.slots, project, { rules: id, documentRoot: root });
    for (const domain of ["rules.localhost", "other.localhost", "third.localhost"]) await untilServed(domain);
    const answers = (rows: readonly RuleRow[]) =>
      Promise.all(
        rows.map(async (row) => {
          const options = { method: row.method ?? "GET" };
          const { status, headers, body } = await ask(row.host ?? "rules.localhost", row.ask, options);
          return { ...row, answer: ruleAnswer(status, headers.location, body.toString()) };
        }),
      );
    expect(await answers(redirectRows)).toEqual(redirectRows);
    for (const row of headerRows) {
      const { status, headers } = await ask(row.host ?? "rules.localhost", row.ask);
      const values = Object.keys(row.headers).map((name) => [name, headers[name] ?? null]);
      expect({ ...row, status, headers: Object.fromEntries(values) }).toEqual(row);
    }
    writeFiles(join(projectFolder(test.home, project).assets, "1"), { [earlierFile]: earlierFile });
    await writeServed(test.slots, project, { rules: rulesId(catchAllRules), documentRoot: root });
    expect(await answers(catchAllRows)).toEqual(catchAllRows);
  });

  it("has the files of earlier releases whose names have a hash, also for apps, which answer first", async () => {
    const earlier = {
      "assets/index-DiwrgTda.js": "yesterday's",
      "assets/app 5a-1a2b3c4d.css": "spaces",
      "assets/page-DiwrgTda.html": "page",
      "missing/app-1a2b3c4d.js": "kept",
      "headers-1a2b3c4d.js": "kept",
      "old.js": "old",
    };
    for (const project of [docs, shop])
      writeFiles(join(projectFolder(test.home, project).assets, "1"), earlier);
    const answer = async (domain: string, path: string) => {
      const { status, headers, body } = await ask(domain, path);
      return [path, status, headers["gantry-release"], headers["cache-control"], body.toString()];
    };
    const forever = "public, max-age=31536000, immutable";
    const kept = (path: string, text: string) => [path, 200, "1", forever, text];
    expect(await answer("docs.localhost", "/assets/app%205a-1a2b3c4d.css")).toEqual(
      kept("/assets/app%205a-1a2b3c4d.css", "spaces"),
    );
    expect(await answer("docs.localhost", "/missing/app-1a2b3c4d.js")).toEqual(
      kept("/missing/app-1a2b3c4d.js", "kept"),
    );
    // The release has this one.
    expect((await answer("docs.localhost", "/assets/index-DiwrgTda.css")).slice(1, 3)).toEqual([200, "2"]);
    for (const path of ["/assets/page-DiwrgTda.html", "/old.js", "/assets/index-DiwrgTdb.js", "/1/old.js"])
      expect((await answer("docs.localhost", path)).slice(0, 2)).toEqual([path, 404]);
    expect((await ask("docs.localhost", "/missing/app-1a2b3c4d.js", { method: "POST" })).status).toBe(405);

    expect(await answer("shop.localhost", "/missing/app-1a2b3c4d.js")).toEqual(
      kept("/missing/app-1a2b3c4d.js", "kept"),
    );
    expect((await answer("shop.localhost", "/headers-1a2b3c4d.js")).at(-1)).toBe("v1 GET 0");
    expect((await answer("shop.localhost", "/missing/old.js")).slice(1, 2)).toEqual([404]);
    expect((await ask("shop.localhost", "/missing/app-1a2b3c4d.js", { method: "POST" })).status).toBe(404);
  });

  it("sets the types that browsers and platforms require, whatever the server has installed", async () => {
    const typed = ids.project();
    const root = join(projectFolder(test.home, typed).releases, "1");
    const paths = Object.keys(typedFiles);
    const files = paths.map((path) => [path === "/a/deep.page" ? "a/deep.page.html" : path.slice(1), "x"]);
    writeFiles(root, Object.fromEntries(files));
    await writeServed(test.slots, typed, { rules: DEFAULT_RULES, documentRoot: root });
    const content = { kind: "files", directory: "." } as const;
    await test.put(typed, { domain: "typed.localhost", aliases: [], content });
    await untilServed("typed.localhost");
    const found: Record<string, string | undefined> = {};
    for (const path of paths) found[path] = (await ask("typed.localhost", path)).headers["content-type"];
    expect(found).toEqual(typedFiles);
  });

  it("says how the files of games are packed, as the site server does", async () => {
    const game = ids.project();
    const root = join(projectFolder(test.home, game).releases, "1");
    writeFiles(root, packedFiles);
    await writeServed(test.slots, game, { rules: DEFAULT_RULES, documentRoot: root });
    await test.put(game, {
      domain: "game.localhost",
      aliases: [],
      content: { kind: "files", directory: "." },
    });
    await untilServed("game.localhost");
    const found = [];
    for (const [path, accept] of packedRows) {
      const { status, headers, body } = await ask("game.localhost", path, {
        headers: { "accept-encoding": accept },
      });
      const { "content-type": type = "", "content-encoding": coding = "-" } = headers;
      found.push([path, accept, status === 200 ? `200 ${type} ${coding}` : `${status}`]);
      if (coding === "br") expect(packedFiles).toHaveProperty([body.toString()]);
    }
    expect(found).toEqual(packedRows);
  });

  it("hides what says how a site is built, if it is served from the sources", async () => {
    const plain = ids.project();
    const folder = join(projectFolder(test.home, plain).releases, "1");
    writeFiles(folder, {
      "index.html": "plain",
      Procfile: "x: y",
      "package.json": "{}",
      "sub/Procfile": "z",
      "sub/node_modules/a/index.js": "",
      "sub/server.key": "secret",
      "sub/page.txt": "page",
      "contact.php": "<?php",
      "requirements-dev.txt": "",
    });
    await writeServed(test.slots, plain, { rules: DEFAULT_RULES, documentRoot: folder });
    const content = { kind: "files", directory: ".", sources: true } as const;
    await test.put(plain, { domain: "plain.localhost", aliases: [], content });
    await untilServed("plain.localhost");
    expect(await textOf("plain.localhost")).toBe("plain");
    expect(await textOf("plain.localhost", "/sub/page.txt")).toBe("page");
    for (const path of [
      ...["/Procfile", "//Procfile", "/sub/..%2fProcfile", "/%50rocfile", "/package.json", "/sub/Procfile"],
      ...["/sub/node_modules/a/index.js", "/sub/server.key", "/contact.php", "/requirements-dev.txt"],
    ])
      expect([path, (await ask("plain.localhost", path)).status]).toEqual([path, 404]);
  });

  it("compresses what a client can read", async () => {
    const plain = await ask("docs.localhost");
    const zstd = await ask("docs.localhost", "/", { headers: { "accept-encoding": "gzip, zstd" } });
    const gzip = await ask("docs.localhost", "/", { headers: { "accept-encoding": "gzip" } });
    expect([zstd.headers["content-encoding"], gzip.headers["content-encoding"]]).toEqual(["zstd", "gzip"]);
    expect(zstd.body.length).toBeLessThan(200);
    expect(zstdDecompressSync(zstd.body)).toEqual(plain.body);
    expect(gunzipSync(gzip.body)).toEqual(plain.body);
  });

  it("answers the agent's check without TLS, as if it came by TLS", async () => {
    const target = test.ingress.targetOf("shop.localhost", "/headers");
    const answer = await sendRequest({
      url: target?.url ?? new URL("http://x"),
      socketPath: target?.socketPath ?? "",
      method: "GET",
      timeoutMs: 5000,
      maxBodyBytes: 4096,
    });
    expect(answer).toMatchObject({ kind: "answered", status: 200 });
    expect(answer.kind === "answered" && JSON.parse(answer.body)).toMatchObject({
      host: "shop.localhost",
      "x-forwarded-proto": "https",
    });
  });

  it("shows the maintenance page, and that an app is stopped or down", async () => {
    const app = await start("v2");
    await lead(app);
    await setMaintenance(test.slots, shop, "<h1>Back {soon}</h1>");
    expect(await ask("shop.localhost")).toMatchObject({
      status: 503,
      headers: { "retry-after": "60" },
      body: Buffer.from("<h1>Back {soon}</h1>"),
    });
    await setMaintenance(test.slots, shop, null);

    await lead();
    expect(await textOf("shop.localhost")).toContain("has been stopped");
    await lead(app);
    await app.end();
    const down = await ask("shop.localhost");
    expect([down.status, down.body.toString()]).toEqual([502, expect.stringContaining("does not answer")]);
  });
});

describe("A pause behind Caddy", () => {
  let hold: Pauses["hold"];
  beforeAll(() => {
    const clock = { now: () => Date.now(), monotonic: () => performance.now() };
    const log = (line: string) => void test.log.push(line);
    const pauses = createPauses({ slots: test.slots, clock, log }, new AbortController().signal);
    hold = (project, seconds) => pauses.hold(project, seconds);
  });
  const isHeld = async (answer: Promise<unknown>, ms: number) =>
    (await Promise.race([answer, pause(ms).then(() => "held")])) === "held";

  it("holds requests with their bodies and new WebSockets until it is ended, and keeps open ones", async () => {
    await lead(await start("p0"));
    const open = await openedSocket();
    await hold(shop, 20);
    await hold(docs, 20);
    const body = "x".repeat(300_000);
    const held = [
      ask("shop.localhost", "/", { method: "POST", body }),
      ask("docs.localhost"),
      openedSocket(),
    ];
    expect(await isHeld(Promise.race(held), 1200)).toBe(true);
    const echoed = new Promise((resolve) => open.once("message", resolve));
    open.send("still here");
    await echoed;
    await hold(shop, 0);
    await hold(docs, 0);
    const [posted, file, socket] = await Promise.all(held);
    expect(posted).toMatchObject({ status: 200, body: Buffer.from(`p0 POST ${body.length}`) });
    expect(file).toMatchObject({ status: 200, headers: { "gantry-release": "2" } });
    expect(socket).toBeInstanceOf(WebSocket);
    expect(await textOf("shop.localhost")).toBe("p0 GET 0");
  });

  it("ends after its time, and a pause that begins during it lasts longer", async () => {
    // A slow machine may take seconds for each step.
    await hold(shop, 6);
    const held = ask("shop.localhost");
    await pause(500);
    await hold(shop, 15);
    expect(await isHeld(held, 6000)).toBe(true);
    const heldFor = performance.now();
    expect((await held).status).toBe(200);
    expect(performance.now() - heldFor).toBeLessThan(25_000);
  });

  it("is without effect during maintenance, whose page is shown at once", async () => {
    await hold(shop, 10);
    const held = ask("shop.localhost");
    expect(await isHeld(held, 500)).toBe(true);
    await setMaintenance(test.slots, shop, "<h1>Back soon</h1>");
    expect((await ask("shop.localhost")).status).toBe(503);
    await hold(shop, 0);
    expect((await held).status).toBe(503);
    await setMaintenance(test.slots, shop, null);
  });

  it("ends by itself if the agent dies: new requests pass then, and held ones after 30 s", async () => {
    // The last test of this file waits for it.
    const now = Date.now();
    await writePause(slotFiles(test.slots, shop), now, now + 4000);
    heldWithoutAgent = ask("shop.localhost", "/", { method: "POST", body: "hello" });
    expect(await isHeld(heldWithoutAgent, 300)).toBe(true);
    await pause(5000 - (Date.now() - now));
    expect(await textOf("shop.localhost")).toBe("p0 GET 0");
  });
});

describe("The load of 16 clients on Caddy", () => {
  afterEach(() => pause(100));

  it("has no failure while the slots change and the old instances end", async () => {
    let now = await start("a0");
    await lead(now);
    const load = startLoad(secureTarget());
    await load.answeredBy("a0");
    for (let turn = 1; turn <= 6; turn += 1) {
      const next = await start(`a${turn}`);
      await lead(next);
      await load.answeredBy(next.name);
      // As the agent does: an instance ends once nobody is connected to it.
      await Promise.all([now.end(), pause(500)]);
      now = next;
    }
    await load.echoedBy("a6");
    const { failures, cutSockets } = await load.stop();
    expect(failures).toEqual({});
    expect(cutSockets).toBe(0);
  });

  it("has failures when the configuration is changed instead: so it would notice them", async () => {
    const app = await start("b0");
    await lead(app);
    const load = startLoad(secureTarget(), 0);
    await load.answeredBy("b0");
    for (let turn = 0; turn < 20 && load.failures() === 0; turn += 1) {
      await test.put(ids.project(), { ...docsSite, domain: `reload-${turn}.localhost` });
      await pause(100);
    }
    const { failures } = await load.stop();
    expect(Object.keys(failures)).not.toEqual([]);
  });

  it("keeps a WebSocket open when a new domain changes the configuration", async () => {
    const socket = await openedSocket();
    let isClosed = false;
    socket.once("close", () => (isClosed = true));
    const added = ids.project();
    await test.put(added, { ...docsSite, domain: "added.localhost" });
    await untilServed("added.localhost");
    await pause(500);
    const echoed = new Promise((resolve) => socket.once("message", resolve));
    socket.send("still here");
    await echoed;
    expect(isClosed).toBe(false);
    socket.close();
  });

  it("does not end a request that was held before, which an app of now gets", async () => {
    expect((await heldWithoutAgent).body.toString()).toMatch(/^[ab]\d POST 5$/);
  });
});

describe("A fault of Caddy", () => {
  it("in one site does not take away the others", async () => {
    const bad = ids.project();
    const folder = await test.put(bad, { ...docsSite, domain: "bad.localhost" });
    writeFileSync(folder.site, '{"domain": "*.localhost"}');
    const later = ids.project();
    await test.put(later, { ...docsSite, domain: "later.localhost" });
    await untilServed("later.localhost");
    expect(test.ingress.problemOf(bad)).toContain("site.json cannot be used");
    expect([test.ingress.problem(), test.ingress.problemOf(later)]).toEqual([null, null]);
  });

  it("such as its end is noticed, and after its start it serves what it served", async () => {
    const watching = new AbortController();
    void test.ingress.watch(watching.signal, () => undefined);
    await test.kill();
    await expect.poll(() => test.ingress.problem()).toContain("does not answer");
    const added = ids.project();
    await test.put(added, { ...docsSite, domain: "meanwhile.localhost" });
    await test.start();
    await lead(await start("c0"));
    // Only then is the last change of the configuration over: Caddy can drop a request during one.
    await untilServed("meanwhile.localhost");
    await expect.poll(() => test.ingress.problem()).toBeNull();
    expect(await textOf("shop.localhost")).toBe("c0 GET 0");
    watching.abort();
  });

  it("cannot come from its file, which is valid", async () => {
    const file = ingressFiles(test.home).config;
    const env = { HOME: join(test.home, "validate"), PATH: "/usr/bin:/bin" };
    const validated = await runShell([ingressPrograms().caddy, "validate", "--config", file], { env });
    expect(validated).toMatchObject({ code: 0, output: expect.stringContaining("Valid configuration") });
    for (const name of ["caddy-with-tls", "caddy-behind"]) {
      const snapshot = join(import.meta.dirname, "../agent/ingress/snapshots", `${name}.snap`);
      const copy = join(test.home, `${name}.json`);
      writeFileSync(copy, readFileSync(snapshot, "utf8"));
      expect(await runShell([ingressPrograms().caddy, "validate", "--config", copy], { env })).toMatchObject({
        code: 0,
      });
    }
  });
});

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function openedSocket(): Promise<WebSocket> {
  const socket = openSocket(secureTarget());
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return socket;
}
