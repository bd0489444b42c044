import { describe, expect, it } from "vitest";
import * as z from "zod";

import { type Endpoint, scopeOf } from "#contract/endpoints/endpoint.ts";
import { endpoints } from "#contract/endpoints/endpoints.ts";
import { fieldsNeedingScopes, markedFields } from "#contract/powers/marked-fields.ts";
import { type Mark, type MarkOf, type Marks as MarksOfTable, NeedsToo } from "#contract/powers/marks.ts";
import { marks } from "#contract/powers/marks-table.ts";
import { powerWords, powersOf } from "#contract/powers/scope-powers.ts";
import { allScopes } from "#contract/scopes.ts";

type Json = z.core.JSONSchema.BaseSchema;

const table: readonly (readonly [string, Endpoint])[] = Object.entries(endpoints);
const byToken = table.filter(([, { access }]) => access.by === "token" && access.reach !== "person");
const allMarks: ReadonlyMap<string, Mark> = new Map(Object.entries(marks));

function jsonSchemaOf(schema: z.core.$ZodType): Json {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

/** Where a value has fields: by the field's name, and `*` for the elements of a list or record. */
function partsOf(schema: Json): (readonly [string, Json])[] {
  const variants = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const elements = [schema.items, schema.additionalProperties].flat();
  return [
    ...variants.flatMap((one) => (typeof one === "object" ? partsOf(one) : [])),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
      typeof one === "object" ? [[name, one] as const] : [],
    ),
    ...elements.flatMap((one) =>
      typeof one === "object" && partsOf(one).length > 0 ? [["*", one] as const] : [],
    ),
  ];
}

/** The missing and the superfluous fields of a mark, compared with the schemas of its value. */
function differences(mark: Mark, schemas: readonly Json[], path: string): string[] {
  if (mark === "none" && schemas.some((one) => partsOf(one).length > 0))
    return [`${path} needs a mark of each field`];
  if (typeof mark === "string" || mark instanceof NeedsToo) return [];
  const parts = schemas.flatMap(partsOf);
  const names = new Set([...parts.map(([name]) => name), ...Object.keys(mark)]);
  return [...names].flatMap((name) => {
    const inner = Object.hasOwn(mark, name) ? mark[name] : undefined;
    const own = parts.flatMap(([part, one]) => (part === name ? [one] : []));
    if (inner === undefined) return [`${path}.${name} has no mark`];
    return own.length === 0 ? [`${path}.${name} does not exist`] : differences(inner, own, `${path}.${name}`);
  });
}

describe("the marks of what a request can do", () => {
  it("exist for exactly the operations that a token can call", () => {
    expect([...allMarks.keys()].toSorted()).toEqual(byToken.map(([name]) => name).toSorted());
  });

  it.each(byToken)("of %s exist for exactly the fields that it accepts", (name, { method, query, body }) => {
    const sent = [method === "GET" ? null : query, body].flatMap((schema) =>
      schema === null ? [] : [jsonSchemaOf(schema)],
    );
    expect(differences(allMarks.get(name) ?? "none", sent, name)).toEqual([]);
  });

  it("say each power that a scope grants, and no other", () => {
    for (const scope of allScopes) {
      const used = byToken.flatMap(([name, { access }]) =>
        markedFields(allMarks.get(name) ?? "none").filter(
          (field) => (field.scope ?? scopeOf(access)) === scope,
        ),
      );
      const read = scope.replace(":write", ":read");
      const own = allScopes.filter((one) => one === read && one !== scope);
      const powers = [...used.map(({ power }) => power), ...powersOf(own)];
      expect([scope, ...powersOf([scope]).toSorted()]).toEqual([scope, ...new Set(powers.toSorted())]);
    }
  });

  it("say of each read whose answer has what a build, an app or a job printed that it reads output", () => {
    const printed = ["failing_line", "stderr_tail", "health_body", "last_output"];
    const reads = byToken.filter(([, { method, success }]) => method === "GET" && success.body !== null);
    const found = reads.filter(([, { success }]) => {
      const schema = success.body === null ? {} : z.toJSONSchema(success.body, { unrepresentable: "any" });
      return printed.some((name) => JSON.stringify(schema).includes(`"${name}":`));
    });
    expect(found.map(([name]) => name)).toContain("listEvents");
    for (const [name] of found) expect([name, allMarks.get(name)]).toEqual([name, "read_output"]);
  });

  it("do not compile without a field, with another one, or with a power that the scope's words do not grant", () => {
    type Body = {
      readonly command?: string | null;
      readonly env?: Record<string, { value: string }>;
      readonly tags?: string[];
    };
    type Marks = MarkOf<"deployments:write", Body>;
    const complete = { command: "none", env: { "*": { value: "none" } }, tags: "none" } as const;
    const accepted: Marks[] = [
      complete,
      "choose_code",
      { ...complete, env: "choose_code" },
      { ...complete, command: new NeedsToo("projects:write", "run_code") },
    ];
    const refused: Marks[] = [
      // @ts-expect-error: tags has no mark
      { command: "none", env: { "*": { value: "none" } } },
      // @ts-expect-error: there is no field color
      { command: "none", env: { "*": { value: "none" } }, tags: "none", color: "none" },
      // @ts-expect-error: an object's fields need marks of their own
      { ...complete, env: "none" },
      // @ts-expect-error: deployments:write does not grant it
      { ...complete, command: "run_code" },
      // @ts-expect-error: freezes:write does not grant it
      { ...complete, command: new NeedsToo("freezes:write", "run_code") },
      // @ts-expect-error: a token that is limited to projects must not do it
      { ...complete, command: new NeedsToo("account:write", "weaken_guard") },
      // @ts-expect-error: an operation with fields needs marks of them
      "none",
    ];
    const real: MarksOfTable["updateProcess"][] = [
      marks.updateProcess,
      // @ts-expect-error: so in the table of this API too
      { ...marks.updateProcess, command: "run_code" },
      // @ts-expect-error: a setting that has no mark
      { ...marks.updateProcess, overlap: undefined },
    ];
    // @ts-expect-error: nobody knows what such a value contains
    const unknown: MarkOf<"deployments:write", { anything: unknown }> = { anything: "none" };
    expect([...accepted, ...refused, ...real, unknown]).toHaveLength(15);
  });

  it("of one power have words that follow “lets the caller”", () => {
    for (const words of Object.values(powerWords))
      expect(words).toMatch(/^(?:run|choose|read|weaken|create) .*[^.]$/);
  });
});

describe("the fields of a request that need another scope", () => {
  const need = new NeedsToo("projects:write", "run_code");
  const mark: Mark = { name: "none", command: need, jobs: { "*": { command: need, name: "none" } } };
  const pathsIn = (sent: unknown) => fieldsNeedingScopes(mark, sent).map(({ path }) => path.join("."));

  it("are found in lists and records, under every name and with every value", () => {
    expect(pathsIn({ name: "x", jobs: [] })).toEqual([]);
    expect(pathsIn({ name: "x", command: null })).toEqual(["command"]);
    expect(pathsIn({ jobs: [{ name: "a" }, { name: "b", command: "id" }] })).toEqual(["jobs.1.command"]);
    for (const name of ["web", "constructor", "command", "__proto__", "*"])
      expect(pathsIn(JSON.parse(`{"jobs":{"${name}":{"command":"id"}}}`))).toEqual([`jobs.${name}.command`]);
  });
});
