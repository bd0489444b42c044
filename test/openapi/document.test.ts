import { describe, expect, it } from "vitest";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { problemsOf } from "#contract/endpoints/endpoint-facts.ts";
import { endpoints } from "#contract/endpoints/endpoints.ts";
import { EventType } from "#contract/endpoints/events/schemas.ts";
import { markedFields } from "#contract/powers/marked-fields.ts";
import type { Mark } from "#contract/powers/marks.ts";
import { marks } from "#contract/powers/marks-table.ts";
import { powerWords } from "#contract/powers/scope-powers.ts";
import { problems } from "#contract/problems.ts";
import { operationTexts } from "#contract/reference/operations.ts";
import { parameterTexts } from "#contract/reference/parameters.ts";
import { openApiDocument } from "../../scripts/reference/openapi/document.ts";
import type { Schema } from "../../scripts/reference/openapi/types.ts";
import { errorsOf } from "./support/json-schema.ts";
import { document, openApi } from "./support/open-api.ts";

const table = Object.entries<Endpoint>(endpoints);
const operations = document.operations();
const named = operations.map((one) => [one.operation.operationId, one] as const);

describe("the OpenAPI document", () => {
  it("has every operation of the endpoint table, and no others", () => {
    const listed = operations.map(
      ({ method, path, operation }) => `${operation.operationId} ${method} ${path}`,
    );
    const wanted = table.map(
      ([name, { method, path }]) => `${name} ${method.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}")}`,
    );
    expect(listed.toSorted()).toEqual(wanted.toSorted());
  });

  it.each(table)("has every problem that %s can give, with its status", (name, endpoint) => {
    const listed = operations.find(({ operation }) => operation.operationId === name);
    if (listed === undefined) throw new Error(`no ${name}`);
    expect(document.codesOf(listed.operation).toSorted()).toEqual(problemsOf(endpoint).toSorted());
    for (const code of problemsOf(endpoint))
      expect(Object.keys(listed.operation.responses)).toContain(String(problems[code].status));
  });

  it.each(named)("describes %s, and gives examples that are valid", (_, { operation }) => {
    expect(operation.description.length).toBeGreaterThan(60);
    const body = operation.requestBody?.content["application/json"];
    if (body !== undefined) expect(errorsOf(body.schema, body.example, "sent")).toEqual([]);
    const answer = document.successOf(operation).response.content?.["application/json"];
    if (answer !== undefined) expect(errorsOf(answer.schema, answer.example, "answered")).toEqual([]);
    for (const one of Object.values(operation.responses)) {
      const problem = document.response(one).content?.["application/problem+json"];
      for (const { value } of Object.values(problem?.examples ?? {}))
        expect(errorsOf(problem?.schema ?? {}, value, "answered")).toEqual([]);
    }
    for (const one of operation.parameters) {
      const { schema, example } = document.parameter(one);
      expect(errorsOf(schema, example, "sent")).toEqual([]);
    }
  });

  it("has a webhook for each type of event, with an example that is valid", () => {
    expect(Object.keys(openApi.webhooks).toSorted()).toEqual(EventType.options.toSorted());
    for (const [type, { post }] of Object.entries(openApi.webhooks)) {
      const body = post.requestBody?.content["application/json"];
      expect(errorsOf(body?.schema ?? {}, body?.example, "answered")).toEqual([]);
      expect(body?.example).toMatchObject({ type });
    }
  });

  it.each(table)("has examples of %s that the contract takes too", (name, { body, success }) => {
    const texts: Readonly<Record<string, { body?: unknown; answer?: unknown }>> = operationTexts;
    if (body !== null) expect(body.safeParse(texts[name]?.body).error).toBeUndefined();
    if (success.body !== null) expect(success.body.safeParse(texts[name]?.answer).error).toBeUndefined();
  });

  it("has a text for every field", () => {
    const bare = Object.entries(openApi.components.schemas).flatMap(([name, schema]) =>
      fieldsWithoutText(schema, name),
    );
    expect(bare).toEqual([]);
  });

  it.each(Object.entries<Mark>(marks))("says what %s and its fields let a caller do", (name, mark) => {
    const operation = operations.find((one) => one.operation.operationId === name)?.operation;
    const body = document.schemas.resolve(operation?.requestBody?.content["application/json"]?.schema ?? {});
    for (const { path, power, scope } of markedFields(mark)) {
      const [field] = path;
      const text = field === undefined ? operation?.description : body.properties?.[field]?.description;
      expect(text).toMatch(new RegExp(`[Ll]ets? the caller ${powerWords[power]}`));
      if (scope !== null) expect(text).toContain(`Needs the scope \`${scope}\` too`);
    }
  });

  it.each(
    named.filter(([, { method, operation }]) => method !== "patch" && operation["x-internal"] !== true),
  )("states what %s does without an optional field or parameter", (_, { operation }) => {
    const optional = operation.parameters
      .map((one) => document.parameter(one))
      .filter((one) => one.in === "query" && !one.required)
      .map(({ name, description }): [string, string] => [name, description]);
    const body = operation.requestBody?.content["application/json"]?.schema;
    if (body !== undefined) optional.push(...optionalFields(body, ""));
    const stated = /Default: |\b[Ii]f omitted\b|\bomitted: |^(?:Returns )?[Oo]nly\b/;
    expect(optional.filter(([, text]) => !stated.test(text))).toEqual([]);
  });

  it("has no unused parameter", () => {
    const used = new Set(
      operations.flatMap(({ operation }) => operation.parameters.map((one) => document.parameter(one).name)),
    );
    expect(Object.keys(parameterTexts).filter((name) => !used.has(name))).toEqual([]);
  });

  it("has only readable patterns", () => {
    const patterns = JSON.stringify(openApi).match(/"pattern":"(?:[^"\\]|\\.)*"/g) ?? [];
    expect(patterns.filter((pattern) => pattern.length > 140)).toEqual([]);
  });

  it("is the same each time it is built", () => {
    expect(JSON.stringify(openApiDocument("test"))).toBe(JSON.stringify(openApi));
  });
});

function fieldsWithoutText(schema: Schema, path: string): string[] {
  const inner = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  return [
    ...inner.flatMap((one) => fieldsWithoutText(one, path)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
      ...(property.description === undefined ? [`${path}.${name}`] : []),
      ...fieldsWithoutText(property, `${path}.${name}`),
    ]),
  ];
}

/** The optional fields of a request and their texts, without objects, whose fields have texts of their own. */
function optionalFields(schema: Schema, path: string): [name: string, text: string][] {
  const { schemas } = document;
  return schemas.variantsOf(schema).flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).flatMap(([name, property]): [string, string][] => {
      const inner = schemas.objectIn(property);
      if (inner !== null) return optionalFields(inner, `${path}${name}.`);
      const text = property.description ?? schemas.resolve(property).description ?? "";
      return required.includes(name) ? [] : [[`${path}${name}`, text]];
    }),
  );
}
