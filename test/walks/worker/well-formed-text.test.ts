import { describe, expect, it } from "vitest";
import * as z from "zod";

import { type Endpoint } from "#contract/endpoints/endpoint.ts";
import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { share } from "../../support/worker/storage.ts";
import { createWorld, operationNames, requests, senderOf, type World } from "../../support/worker/world.ts";

const withBody = operationNames.filter((name) => endpoints[name].body !== null);
const withQuery = operationNames.filter((name) => endpoints[name].query !== null);
const table: Record<OperationName, Endpoint> = endpoints;

type JsonSchema = z.core.JSONSchema.BaseSchema;
const jsonSchemaOf = (schema: z.core.$ZodType) =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });

/** The JSON paths of all text fields, also of optional ones. */
function textPaths(schema: JsonSchema | boolean | undefined): string[][] {
  if (typeof schema !== "object") return [];
  const own = schema.type === "string" || schema.enum !== undefined || schema.const !== undefined ? [[]] : [];
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap(
    textPaths,
  );
  const items = Array.isArray(schema.items) ? [] : textPaths(schema.items).map((path) => ["0", ...path]);
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    textPaths(field).map((path) => [name, ...path]),
  );
  return [...own, ...inner, ...items, ...fields];
}

const textFieldsOf = (name: OperationName) => [
  ...new Set(textPaths(jsonSchemaOf(table[name].body ?? z.null())).map((path) => `/${path.join("/")}`)),
];

/** The value with a text at a path. Creates missing objects on the way. */
function planted(value: unknown, path: readonly string[], text: string): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return text;
  if (key === "0") return [planted(Array.isArray(value) ? value[0] : undefined, rest, text)];
  const record = z.record(z.string(), z.unknown()).safeParse(value).data ?? {};
  return { ...record, [key]: planted(record[key], rest, text) };
}

const send = (name: OperationName, world: World, sent: Parameters<typeof call>[1], query = "") =>
  call(requests[name](world).path + query, {
    method: table[name].method,
    token: senderOf(name, world),
    ...sent,
  });

async function expectRefused(response: Response, pointer: string) {
  expect(response.status).toBe(422);
  const { code, errors } = await problemOf(response);
  expect(code).toBe("invalid_request");
  expect(errors?.map((error) => error.pointer)).toContain(pointer);
  return errors?.find((error) => error.pointer === pointer)?.message;
}

describe("text in a body that is not well-formed Unicode", () => {
  const world = share(createWorld);

  it.each(withBody)("is refused in every text field of the body of %s", async (name) => {
    const { body } = requests[name](world());
    for (const pointer of textFieldsOf(name))
      for (const text of ["\ud800", "shop \udc00", "\udc00\ud800 reversed", `${"x".repeat(20)}\udbff`]) {
        const raw = JSON.stringify(planted(body, pointer.slice(1).split("/"), text));
        const headers = { "content-type": "application/json" };
        const message = await expectRefused(await send(name, world(), { raw, headers }), pointer);
        expect(message).toMatch(/well-formed Unicode/);
      }
  });

  it("is tested in the important fields", () => {
    expect(textFieldsOf("createProject")).toEqual(
      expect.arrayContaining(["/name", "/repository", "/shared_paths/0", "/health_check/url"]),
    );
    expect(textFieldsOf("reportRunEvents")).toEqual(
      expect.arrayContaining(["/events/0/lines/0/message", "/events/0/commit_message"]),
    );
    expect(textFieldsOf("enrollAgent")).toContain("/hostname");
  });

  it.each(withBody)("is refused in the name of a field of %s", async (name) => {
    const body = z.record(z.string(), z.unknown()).parse(requests[name](world()).body);
    const raw = JSON.stringify({ ...body, "\ud800": 1 });
    const headers = { "content-type": "application/json" };
    await expectRefused(await send(name, world(), { raw, headers }), "/\ufffd");
  });

  it("is refused at any depth, without a stack overflow", async () => {
    const { maxBodyBytes } = endpoints.startDeployment;
    const depth = Math.floor(maxBodyBytes / 2) - 100;
    const raw = `${"[".repeat(depth)}"\\ud800"${"]".repeat(depth)}`;
    const headers = { "content-type": "application/json" };
    expect((await send("startDeployment", world(), { raw, headers })).status).toBe(422);
  });

  it("is refused with a limited number of errors", async () => {
    const raw = `[${Array.from({ length: 5_000 }, () => '"\\ud800"').join(",")}]`;
    const headers = { "content-type": "application/json" };
    const response = await send("startDeployment", world(), { raw, headers });
    expect((await response.text()).length).toBeLessThan(10_000);
  });
});

// With tokens of their own: the requests above are as many as a token may send in a minute.
describe("a field named __proto__", () => {
  const world = share(createWorld);
  const headers = { "content-type": "application/json" };

  it.each([
    ["updateProject", '{"processes":{"__proto__":{"command":"x"}}}', "/processes/__proto__"],
    ["updateWebhook", '{"headers":{"X-Key":"1","\\u005f_proto__":"2"}}', "/headers/__proto__"],
  ] as const)("is refused in a record of %s, which would drop it", async (name, raw, pointer) => {
    await expectRefused(await send(name, world(), { raw, headers }), pointer);
  });
});

describe("text beside the body that is not well-formed Unicode", () => {
  const world = share(createWorld);

  it.each(withQuery)("is refused in every parameter of the query of %s", async (name) => {
    const schema = jsonSchemaOf(table[name].query ?? z.null());
    const names = Object.keys(schema.properties ?? {});
    expect(names).not.toEqual([]);
    // Half a surrogate pair in CESU-8, a byte that UTF-8 never contains, and a truncated sequence.
    for (const parameter of names)
      for (const value of ["%ED%A0%80", "main%ff", "%e2%82"]) {
        const answer = await send(name, world(), {}, `?${parameter}=${value}`);
        expect(await expectRefused(answer, `?${parameter}`)).toMatch(/well-formed Unicode/);
      }
  });

  it("does not include a literal percent sign", async () => {
    expect((await send("listDeployments", world(), {}, "?branch=100%")).status).toBe(200);
    expect((await send("listDeployments", world(), {}, "?branch=%zz")).status).toBe(200);
  });

  it.each([
    ["startDeployment", "Idempotency-Key"],
    ["startDeployment", "If-Live"],
    ["startDeployment", "Gantry-Bookmark"],
    ["getDeploymentLog", "Last-Event-ID"],
  ] as const)("is refused by %s in the header %s", async (name, header) => {
    const { body } = requests[name](world());
    // The bytes of half a surrogate pair, as a header.
    await expectRefused(await send(name, world(), { body, headers: { [header]: "\xed\xa0\x80" } }), header);
  });
});

describe("well-formed text", () => {
  it("may contain surrogate pairs", async () => {
    const world = await createWorld();
    const raw = '{"name":"\\ud83d\\ude80 shop","ip":"192.0.2.9"}';
    const headers = { "content-type": "application/json" };
    const answer = await send("createServer", world, { raw, headers });
    expect(await answer.json()).toMatchObject({ name: "🚀 shop" });
  });
});
