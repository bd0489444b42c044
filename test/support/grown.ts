import * as z from "zod/mini";

import { fallbackOf } from "#contract/growing.ts";

import { everySetting } from "./every-setting.ts";

/** A value that a schema accepts, and the same value as a newer version would write it: with a field more in each object. */
export type Sample = { readonly old: unknown; readonly grown: unknown };

type Definition = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * Values of a schema, one for each member of its unions.
 * @param leaf a valid value for a schema of texts or numbers with rules; undefined: the usual one
 */
export function samplesOf(schema: z.ZodMiniType, seen: readonly z.ZodMiniType[] = []): Sample[] {
  if (seen.includes(schema)) return [];
  const inner = (part: unknown) => (part instanceof z.ZodMiniType ? samplesOf(part, [...seen, schema]) : []);
  const def: Definition = { ...schema.def };
  switch (def.type) {
    case "object": {
      const fields = Object.entries(def["shape"] ?? {}).map(([name, field]) => [name, inner(field)] as const);
      const most = Math.max(1, ...fields.map(([, samples]) => samples.length));
      return Array.from({ length: most }, (_, at) => {
        const chosen = fields.flatMap(([name, samples]) => {
          const sample = samples[Math.min(at, samples.length - 1)];
          return sample === undefined ? [] : [{ name, ...sample }];
        });
        const used = usedFields(schema, chosen);
        const old = Object.fromEntries(used.map((one) => [one.name, one.old]));
        const grown = Object.fromEntries(used.map((one) => [one.name, one.grown]));
        // An open object keeps unknown fields.
        const isOpen = def["catchall"] instanceof z.ZodMiniUnknown;
        return { old, grown: isOpen ? grown : { ...grown, added_by_a_newer_version: { any: ["value"] } } };
      });
    }
    case "array":
      return inner(def["element"]).map((one) => ({ ...one, old: [one.old], grown: [one.grown] }));
    case "tuple": {
      const items: unknown[] = Array.isArray(def["items"]) ? def["items"] : [];
      const parts = items.map((item) => inner(item)[0]);
      return [
        {
          old: parts.map((one) => one?.old),
          grown: parts.map((one) => one?.grown),
        },
      ];
    }
    case "record":
      return inner(def["valueType"]).map((one) => {
        const key = String(inner(def["keyType"])[0]?.old);
        return { ...one, old: { [key]: one.old }, grown: { [key]: one.grown } };
      });
    case "union": {
      const options: unknown[] = Array.isArray(def["options"]) ? def["options"] : [];
      return options.flatMap(inner);
    }
    case "nullable":
    case "optional":
    case "default":
    case "catch":
      return inner(def["innerType"]);
    case "nonoptional": {
      const fallback = fallbackOf(schema);
      const known = inner(def["innerType"]);
      return fallback === null ? known : [...known, ...unknownOf(fallback)];
    }
    case "pipe": {
      const samples = inner(def["in"]);
      if (samples.every(({ old }) => schema.safeParse(old).success)) return samples;
      const old = leafOf(schema, def);
      return [{ old, grown: old }];
    }
    case "custom":
      return [{ old: UNKNOWN, grown: UNKNOWN }];
    default: {
      const old = leafOf(schema, def);
      return [{ old, grown: old }];
    }
  }
}

type Field = Sample & { readonly name: string };

/** The fields without a field that a rule of the object forbids beside another field. */
function usedFields(schema: z.ZodMiniType, fields: readonly Field[]): readonly Field[] {
  const isValid = (some: readonly Field[]) =>
    schema.safeParse(Object.fromEntries(some.map((one) => [one.name, one.old]))).success;
  if (isValid(fields)) return fields;
  const without = fields.map((left) => fields.filter((one) => one !== left));
  return without.find(isValid) ?? fields;
}

const UNKNOWN = "added.value";

function unknownOf(fallback: z.ZodMiniType): Sample[] {
  if (fallback.def.type !== "object") return [{ old: UNKNOWN, grown: UNKNOWN }];
  return samplesOf(fallback);
}

const texts = [
  "text",
  "main",
  "ada@example.com",
  "A".repeat(22),
  "web-1-0",
  `ssh-ed25519 ${"A".repeat(68)} gantry`,
  UNKNOWN,
  "2026-01-01T00:00:00.000Z",
  "https://example.com/",
  "example.com",
  "192.0.2.1",
  "a".repeat(40),
  "a".repeat(64),
  "A".repeat(43),
  "A".repeat(64),
  "A".repeat(80),
  "A".repeat(107),
  "0123456789ab",
  "a/b",
  "/",
  "web",
  "web-1",
  "web.1",
  "NAME",
  "UTC",
  "0 0 * * *",
  "09:00",
  "1",
  "2026-01-01",
  "dependencies-1",
  "git@example.com:acme/shop.git",
  "SHA256:" + "A".repeat(43),
  ...Object.values(everySetting).filter((value) => typeof value === "string"),
];

const ids = [
  "acct",
  "tok",
  "srv",
  "proj",
  "dpl",
  "run",
  "cmd",
  "evt",
  "whk",
  "hook",
  "push",
  "frz",
  "trust",
  "mem",
  "inv",
  "pk",
  "conn",
  "idn",
  "aud",
].map((prefix) => `${prefix}_${"0".repeat(26)}`);

/** A value that the schema accepts. @throws if none of the usual ones is */
function leafOf(schema: z.ZodMiniType, def: Definition): unknown {
  const { entries, values } = def;
  const choices: unknown[] = Array.isArray(values) ? values : Object.values(entries ?? {});
  const candidates = [...choices, 1, 0, 2, 200, 3000, 0.5, true, false, ...texts, ...ids, null, undefined];
  const found = candidates.find((one) => z.safeParse(schema, one).success);
  if (found === undefined && !z.safeParse(schema, undefined).success)
    throw new Error(
      `Add a value for this schema to grown.ts: ${JSON.stringify(z.toJSONSchema(schema, { unrepresentable: "any" }))}`,
    );
  return found;
}
