import * as z from "zod/mini";

import { ProjectId, ServerId } from "#contract/ids.ts";

/** What a file names instead of an ID. */
export type Referred = "server" | "project";

/** What a schema of the contract consists of, as far as a configuration file differs from a request. */
export type Part = { readonly isNullable: boolean } & (
  | { readonly type: "reference"; readonly to: Referred }
  | { readonly type: "object"; readonly shape: ReadonlyMap<string, z.ZodMiniType> }
  /** `key`: the field that names an item; null: the items have no names. */
  | { readonly type: "list"; readonly item: z.ZodMiniType; readonly key: string | null }
  | { readonly type: "record"; readonly value: z.ZodMiniType }
  | { readonly type: "choice"; readonly discriminator: string; readonly options: readonly z.ZodMiniType[] }
  | { readonly type: "leaf" }
);

/** The fields that name an item of a list. A file has such a list as a table by these names. */
const listKeys = ["name", "domain"];

/** An export asks for the same parts thousands of times. */
const parts = new WeakMap<z.ZodMiniType, Part>();

export function partOf(schema: z.ZodMiniType): Part {
  const known = parts.get(schema);
  if (known !== undefined) return known;
  const part = makePart(schema, false);
  parts.set(schema, part);
  return part;
}

function makePart(schema: z.ZodMiniType, isNullable: boolean): Part {
  const inner = innerOf(schema);
  if (inner !== null) return makePart(inner, isNullable || schema instanceof z.ZodMiniNullable);
  if (isSchema(schema, ServerId)) return { type: "reference", to: "server", isNullable };
  if (isSchema(schema, ProjectId)) return { type: "reference", to: "project", isNullable };
  if (schema instanceof z.ZodMiniObject) return { type: "object", shape: shapeOf(schema), isNullable };
  if (schema instanceof z.ZodMiniArray) {
    const item = mini(schema.def.element);
    return { type: "list", item, key: listKey(item), isNullable };
  }
  if (schema instanceof z.ZodMiniRecord)
    return { type: "record", value: mini(schema.def.valueType), isNullable };
  if (schema instanceof z.ZodMiniDiscriminatedUnion) {
    const { options, ...def } = schema.def;
    const discriminator = "discriminator" in def ? String(def.discriminator) : "";
    return { type: "choice", discriminator, options: options.map((option) => mini(option)), isNullable };
  }
  return { type: "leaf", isNullable };
}

/** The name of a field in a file: `server` for `server_id`, `projects` for `project_ids`. */
export function documentName(name: string, schema: z.ZodMiniType): string {
  const part = partOf(schema);
  const inner = part.type === "list" ? partOf(part.item) : part;
  if (inner.type !== "reference") return name;
  return name === "id" ? inner.to : name.replace(/_id$/, "").replace(/_ids$/, "s");
}

/** The member of a choice that a value is of; null: none. @param value of the field that decides */
export function optionFor(
  { discriminator, options }: Extract<Part, { type: "choice" }>,
  value: unknown,
): z.ZodMiniType | null {
  return (
    options.find((option) => {
      const part = partOf(option);
      return part.type === "object" && part.shape.get(discriminator)?.safeParse(value).success === true;
    }) ?? null
  );
}

function shapeOf(schema: z.ZodMiniObject): ReadonlyMap<string, z.ZodMiniType> {
  return new Map(Object.entries(schema.def.shape).map(([name, field]) => [name, mini(field)]));
}

function listKey(item: z.ZodMiniType): string | null {
  const part = partOf(item);
  return part.type === "object" ? (listKeys.find((key) => part.shape.has(key)) ?? null) : null;
}

/** The schema that a wrapper contains; null: it is none. */
function innerOf(schema: z.ZodMiniType): z.ZodMiniType | null {
  const isWrapper =
    schema instanceof z.ZodMiniOptional ||
    schema instanceof z.ZodMiniNullable ||
    schema instanceof z.ZodMiniDefault ||
    schema instanceof z.ZodMiniPrefault ||
    schema instanceof z.ZodMiniNonOptional;
  return isWrapper ? mini(schema.def.innerType) : null;
}

function isSchema(schema: z.ZodMiniType, other: unknown): boolean {
  return schema === other;
}

/** The contract only has schemas of zod/mini. */
function mini(schema: unknown): z.ZodMiniType {
  if (schema instanceof z.ZodMiniType) return schema;
  throw new Error("a schema of the contract is not of zod/mini");
}
