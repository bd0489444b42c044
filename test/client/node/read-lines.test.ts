import { createServer, type ServerResponse } from "node:http";

import { expect, it, onTestFinished } from "vitest";
import * as z from "zod/mini";

import { readLines } from "#client/read-lines.ts";
import { auditEndpoints } from "#contract/endpoints/audit/endpoints.ts";
import { parseJson } from "#contract/parse-json.ts";
import { parseKnown } from "#contract/tolerant.ts";

import { listenLocally } from "../../support/listen.ts";

const Line = z.strictObject({ name: z.string() });
const parse = (line: string) => {
  const parsed = parseKnown(Line, parseJson(line));
  return parsed.success ? parsed.data : null;
};
const request = { query: { action: "deploy" } };

/** Reads from a server that answers each request in this way. @returns the result, and the requests to the server */
async function readFrom(answer: (response: ServerResponse) => void) {
  const asked: (string | undefined)[][] = [];
  const server = createServer(({ url, headers }, response) => {
    asked.push([url, headers.accept, headers.authorization]);
    answer(response);
  });
  const port = await listenLocally(server);
  onTestFinished(() => void server.close());
  const transport = { baseUrl: `http://127.0.0.1:${port}`, token: "t", fetch };
  const { signal } = new AbortController();
  return {
    asked,
    result: await readLines(auditEndpoints.listAuditEntries, request, parse, transport, signal),
  };
}

const rows = ["ä", "日本", "c"].map((name) => ({ name }));
const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");

it("reads lines with one request, wherever the parts of the answer end", async () => {
  const { asked, result } = await readFrom((response) => {
    for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
    response.end();
  });
  expect(result).toMatchObject({ ok: true, status: 200, value: rows });
  expect(asked).toEqual([["/v1/audit?action=deploy", "application/x-ndjson", "Bearer t"]]);
});

it("ignores fields that a newer control plane has added", async () => {
  const { result } = await readFrom((response) => response.end(`{"name":"a","later":1}\n`));
  expect(result).toMatchObject({ ok: true, value: [{ name: "a" }] });
});

it("fails if the answer breaks off, also at the end of a line", async () => {
  const { result } = await readFrom((response) => response.write(text, () => response.destroy()));
  expect(result).toMatchObject({ ok: false, problem: { code: "unreachable" } });
});

it("fails if a line is another one, or if it is not complete", async () => {
  for (const body of [`${text}{"title":1}\n`, `${text}{"name":`]) {
    const { result } = await readFrom((response) => response.end(body));
    expect(result).toMatchObject({ ok: false, problem: { code: "unexpected_answer" } });
  }
});

it("returns a problem", async () => {
  const problem = {
    ...{ type: "about:blank", title: "Forbidden", status: 403, detail: "No.", code: "forbidden" },
    request_id: "req_1",
  };
  const { result } = await readFrom((response) => {
    response.writeHead(403, { "content-type": "application/problem+json" }).end(JSON.stringify(problem));
  });
  expect(result).toMatchObject({ ok: false, problem: { code: "forbidden" } });
});
