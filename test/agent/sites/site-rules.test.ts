import { afterAll, beforeAll, expect, it } from "vitest";

import {
  catchAllRows,
  catchAllRules,
  earlierFile,
  headerRows,
  redirectRows,
  ruleAnswer,
  ruleSiteFiles,
  siteRules,
} from "../../support/site-rules.ts";
import { createWorkspace, rawRequest, serve, type ServedSite, type Workspace } from "./workspace.ts";

// Caddy does the same: test/server/caddy.test.ts has these cases too.

let workspace: Workspace;
let site: ServedSite;

beforeAll(async () => {
  workspace = await createWorkspace();
  site = await serve(workspace.directory);
  const record = { root_directory: ".", output_directory: ".", site_rules: siteRules };
  await workspace.addRelease(1, ruleSiteFiles, record);
  await workspace.switchTo(1);
});
afterAll(async () => {
  await site.close();
  await workspace.remove();
});

const ask = (path: string, host = "rules.localhost", method = "GET") =>
  rawRequest(site.url, path, { method, headers: { host } });

it.each(redirectRows)("a redirect answers $method $host $ask with $answer", async (row) => {
  const { status, headers, body } = await ask(row.ask, row.host, row.method);
  expect(ruleAnswer(status, headers.location, body)).toBe(row.answer);
});

it.each(headerRows)("$host $ask has the headers of its rules", async (row) => {
  const { status, headers } = await ask(row.ask, row.host);
  const found = Object.keys(row.headers).map((name) => [name, headers[name] ?? null]);
  expect([status, Object.fromEntries(found)]).toEqual([row.status, row.headers]);
});

it("a rule for all paths does not answer for the files of earlier releases", async () => {
  const record = { root_directory: ".", output_directory: ".", site_rules: catchAllRules };
  await workspace.addRelease(2, ruleSiteFiles, record);
  await workspace.addAssets(1, { [earlierFile]: earlierFile });
  await workspace.switchTo(2);
  for (const row of catchAllRows) {
    const { status, headers, body } = await ask(row.ask);
    expect({ ...row, answer: ruleAnswer(status, headers.location, body) }).toEqual(row);
  }
});
