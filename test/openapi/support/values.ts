import * as fc from "fast-check";

import type { Schema } from "../../../scripts/reference/openapi/types.ts";
import { document } from "./open-api.ts";

const RFC_3339 = { min: new Date("0000-01-01T00:00:00.000Z"), max: new Date("9999-12-31T23:59:59.999Z") };

/** The prefixes of the ids that stand-ins are for. */
export const ID_KINDS = "acct|tok|srv|proj|dpl|run|cmd|evt|frz|hook|push|whk|trust|mem|inv|pk|conn|idn";

/**
 * Stands for something of the place that a request is sent to: an id, a cursor, an enrolment token, the code of a
 * sign-in link or an invitation, an identity token.
 */
export const STAND_IN = new RegExp(`@(${ID_KINDS}|cursor|enroll|code|invite|identity):(\\d+)`, "g");

/** One of the newest of a kind. */
export function standIn(kind: string): fc.Arbitrary<string> {
  return fc.nat(11).map((at) => `@${kind}:${at}`);
}

/** What real clients send under these names: of random text nearly all would be refused for its form. */
const plausible: Readonly<Record<string, fc.Arbitrary<string>>> = {
  repository: fc.constantFrom(
    "https://git.test/shop.git",
    "git@git.test:acme/shop.git",
    "/srv/git/shop.git",
    "file:///srv/shop",
  ),
  branch: fc.constantFrom("main", "stable", "feature/cart", "v1.2"),
  name: fc.oneof(
    fc.constantFrom("shop", "blog", "Kaffee & Kuchen"),
    fc.stringMatching(/^[a-zà-ž]([a-z &]{0,20}[a-z])?$/),
  ),
  root_directory: fc.constantFrom(".", "apps/shop"),
  output_directory: fc.constantFrom("dist", "."),
  fallback: fc.constantFrom("200.html", "app/index.html"),
  shared_paths: fc.constantFrom("storage", "public/uploads"),
  path: fc.constantFrom("/", "/up?deep=1"),
  url: fc.constantFrom("http://127.0.0.1:3000/up", "https://shop.test/"),
  install_command: fc.constantFrom("npm ci"),
  build_command: fc.constantFrom("npm run build"),
  release_command: fc.constantFrom("npx prisma migrate deploy"),
  activate_command: fc.constantFrom("systemctl --user restart shop"),
  command: fc.constantFrom("node server.js", "npm run worker"),
  job: fc.constantFrom("backup", "mail"),
  client_id: fc.constantFrom("gantry"),
  groups_claim: fc.constantFrom("groups"),
  // The number of an organization of GitHub.
  group: fc.constantFrom("42"),
  schedule: fc.constantFrom("30 2 * * *", "@daily"),
  timezone: fc.constantFrom("UTC", "Europe/Berlin"),
  process: fc.constantFrom("web", "worker"),
  domain: fc.constantFrom("shop.example.com", "blog.example.com", "localhost"),
  token: fc.constantFrom("@enroll:0", "@enroll:1"),
  code: fc.oneof(standIn("code"), standIn("invite")),
  email: fc.constantFrom("grace@example.com", "alan@example.com"),
  time: fc.constantFrom("2026-01-01T00:00:00.000Z"),
  provider: fc.constantFrom("other"),
  issuer: fc.constantFrom("https://login.example.com"),
  subject_token: standIn("identity"),
};

/** Values that a schema of the document allows. @param name of the field that holds them */
export function valuesOf(schema: Schema, name = ""): fc.Arbitrary<unknown> {
  const value = document.schemas.resolve(schema);
  if (value.const !== undefined) return fc.constant(value.const);
  const known = plausible[name];
  if (value.enum !== undefined && known !== undefined)
    return fc.oneof({ weight: 9, arbitrary: known }, fc.constantFrom(...value.enum));
  if (value.enum !== undefined) return fc.constantFrom(...value.enum);
  const variants = value.anyOf ?? value.oneOf;
  if (variants !== undefined) return fc.oneof(...variants.map((one) => valuesOf(one, name)));
  return fc.oneof(...[value.type ?? "any"].flat().map((type) => valuesOfType(type, value, name)));
}

function valuesOfType(type: string, value: Schema, name: string): fc.Arbitrary<unknown> {
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return integers(value);
    case "number":
      return fc.oneof(
        integers(value),
        fc.double({ ...bounds(value, 1e9), noNaN: true, noDefaultInfinity: true }),
      );
    case "string":
      return texts(value, name);
    case "array":
      return fc.array(valuesOf(value.items ?? {}, name), {
        minLength: value.minItems ?? 0,
        maxLength: Math.min(value.maxItems ?? 4, 4),
      });
    case "object":
      if (typeof value.additionalProperties === "object")
        return fc.dictionary(
          texts(value.propertyNames ?? {}, "process"),
          valuesOf(value.additionalProperties, name),
          { maxKeys: 3 },
        );
      return sparse(
        Object.entries(value.properties ?? {}).map(([key, one]) => [key, valuesOf(one, key)] as const),
        value.required ?? [],
      );
    case undefined:
      return fc.jsonValue();
    default:
      throw new Error(`no values for the type ${String(value.type)}`);
  }
}

/** An object with all required fields, and some of the others: the more fields, the less likely all are valid. */
export function sparse<Value>(
  entries: readonly (readonly [string, fc.Arbitrary<Value>])[],
  required: readonly string[],
): fc.Arbitrary<Record<string, Value>> {
  const values = entries.map(([name, value]) =>
    required.includes(name)
      ? value.map((one) => [[name, one] as const])
      : fc.oneof(
          { weight: 3, arbitrary: fc.constant([]) },
          { weight: 1, arbitrary: value.map((one) => [[name, one] as const]) },
        ),
  );
  return fc.tuple(...values).map((drawn) => Object.fromEntries(drawn.flat()));
}

/** Any half of a pair too, which JSON can hold and Unicode cannot. */
const codeUnit = fc.nat(0xffff).map((unit) => String.fromCharCode(unit));

function texts(schema: Schema, name: string): fc.Arbitrary<string> {
  const known = plausible[name];
  if (known === undefined) return anyText(schema);
  return fc.oneof({ weight: 9, arbitrary: known }, anyText(schema));
}

function anyText({ pattern, format, minLength = 0, maxLength = 300 }: Schema): fc.Arbitrary<string> {
  if (format === "ipv4") return fc.ipV4();
  if (format === "uri") return fc.webUrl();
  // RFC 3339 has years of four digits.
  if (format === "date-time")
    return fc.date({ ...RFC_3339, noInvalidDate: true }).map((date) => date.toISOString());
  const kind = new RegExp(`^\\^(${ID_KINDS})_`).exec(pattern ?? "")?.[1];
  if (kind !== undefined)
    return fc.oneof({ weight: 5, arbitrary: standIn(kind) }, fc.stringMatching(new RegExp(pattern ?? "")));
  if (pattern !== undefined)
    return fc.stringMatching(new RegExp(pattern)).filter((text) => text.length <= maxLength);
  const lengths = { minLength, maxLength: Math.min(maxLength, minLength + 60) };
  return fc.oneof(fc.string({ ...lengths, unit: "binary" }), fc.string({ ...lengths, unit: codeUnit }));
}

function integers(schema: Schema): fc.Arbitrary<number> {
  const { min, max } = bounds(schema, 100_000);
  return fc.integer({ min: Math.ceil(min), max: Math.floor(max) });
}

function bounds({ minimum = 0, maximum }: Schema, most: number): { min: number; max: number } {
  return { min: minimum, max: maximum ?? most };
}
