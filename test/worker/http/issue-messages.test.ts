import { describe, expect, it } from "vitest";
import * as z from "zod/mini";

import { Policy } from "#agent/policy/policy.ts";
import { parseWith } from "#contract/endpoints/endpoint.ts";
import { endpoints } from "#contract/endpoints/endpoints.ts";
import { bodyErrors } from "#worker/http/field-errors.ts";

const messagesOf = (value: unknown) => {
  const parsed = parseWith(endpoints.createToken.body, value);
  return parsed.success ? [] : bodyErrors(parsed.error).map(({ message }) => message);
};

describe("the error of a field", () => {
  it("has a message even if its schema does not define one", () => {
    expect(messagesOf({ name: 1, scopes: [], expires_in_days: 1.5 })).toEqual([
      "must be a string",
      "must not be empty",
      "must be a whole number",
    ]);
    expect(messagesOf({ name: "x".repeat(101), scopes: ["deploy"] })).toEqual([
      "must have 100 characters or fewer",
      expect.stringMatching(/^must be one of "deployments:read", /),
    ]);
    expect(messagesOf({})).toEqual(["is required", "is required"]);
  });
});

/** A field with few values: where it is in an input, and how an input with a value of it is made. */
type Choice = {
  readonly path: readonly (string | number)[];
  readonly values: readonly unknown[];
  readonly inputWith: (value: unknown) => unknown;
  /** Whether an object is a value, too, so that an error of an object is about its fields. */
  readonly takesObject?: boolean;
};

const wrappers = [
  z.ZodMiniOptional,
  z.ZodMiniNullable,
  z.ZodMiniDefault,
  z.ZodMiniPrefault,
  z.ZodMiniCatch,
  z.ZodMiniReadonly,
];

/** The choices in what a schema describes. `make`: the whole input with a value of this part. */
function choicesOf(
  schema: z.core.$ZodType,
  path: Choice["path"],
  make: (value: unknown) => unknown,
): readonly Choice[] {
  const fields = (shape: Readonly<Record<string, z.core.$ZodType>>, given: Record<string, unknown>) =>
    Object.entries(shape).flatMap(([name, one]) =>
      name in given
        ? []
        : choicesOf(one, [...path, name], (value) =>
            make({ ...given, ...(value === undefined ? {} : { [name]: value }) }),
          ),
    );
  if (schema instanceof z.ZodMiniEnum) return [{ path, values: schema.options, inputWith: make }];
  if (schema instanceof z.ZodMiniLiteral) return [{ path, values: [...schema.def.values], inputWith: make }];
  if (schema instanceof z.ZodMiniObject) return fields(schema.def.shape, {});
  if (schema instanceof z.ZodMiniArray)
    return choicesOf(schema.def.element, [...path, 0], (value) => make([value]));
  if (schema instanceof z.ZodMiniRecord)
    return choicesOf(schema.def.valueType, [...path, "web"], (value) => make({ web: value }));
  if (schema instanceof z.ZodMiniDiscriminatedUnion) {
    const name = "discriminator" in schema.def ? String(schema.def.discriminator) : "";
    const options = schema.def.options.flatMap((one) =>
      one instanceof z.ZodMiniObject ? [one.def.shape] : [],
    );
    const literals = options.map((shape) => {
      const literal = shape[name];
      return literal instanceof z.ZodMiniLiteral ? [...literal.def.values][0] : undefined;
    });
    const inside = options.flatMap((shape, at) => fields(shape, { [name]: literals[at] }));
    const inputWith = (value: unknown) => make(value === undefined ? {} : { [name]: value });
    return [{ path: [...path, name], values: literals, inputWith }, ...inside];
  }
  if (schema instanceof z.ZodMiniUnion) {
    const enums = schema.def.options.flatMap((one) => choicesOf(one, path, make));
    const values = enums.filter((one) => one.path.length === path.length).flatMap((one) => one.values);
    const takesObject = schema.def.options.some((one) => one instanceof z.ZodMiniObject);
    return values.length === 0 ? [] : [{ path, values, inputWith: make, takesObject }];
  }
  if (schema instanceof z.ZodMiniPipe) return choicesOf(schema.def.in, path, make);
  const wrapper = wrappers.find((one) => schema instanceof one);
  return wrapper !== undefined && schema instanceof wrapper
    ? choicesOf(schema.def.innerType, path, make)
    : [];
}

const requests = Object.entries(endpoints).flatMap(([name, { body, query }]) => [
  { name: `body of ${name}`, schema: body },
  { name: `query of ${name}`, schema: query },
]);

describe("the error of a field with few values", () => {
  it("names them in every request, when it is missing and when it has another value", () => {
    const missing = new Set<string>();
    for (const { name, schema } of [...requests, { name: "policy", schema: Policy }])
      for (const { path, values, inputWith, takesObject } of schema === null
        ? []
        : choicesOf(schema, [], (value) => value))
        for (const value of [undefined, "nope", 7, ...(takesObject === true ? [] : [{}])]) {
          const parsed = z.safeParse(schema ?? z.unknown(), inputWith(value));
          const at = JSON.stringify(path);
          const messages = (parsed.error?.issues ?? []).filter((issue) => JSON.stringify(issue.path) === at);
          if (value === undefined && messages.length > 0) missing.add(`${name} ${path.join(".")}`);
          if (value !== undefined)
            expect({ name, path, value, errors: messages.length }).toMatchObject({ errors: 1 });
          // The types of events are too many to list.
          for (const { message } of messages.filter((issue) => !issue.message.includes("a type of event")))
            for (const one of values) expect(`${name} ${at}: ${message}`).toContain(JSON.stringify(one));
        }
    expect([...missing]).toEqual(
      expect.arrayContaining(["body of createWebhook kind", "body of createFreeze times.type"]),
    );
  });
});
