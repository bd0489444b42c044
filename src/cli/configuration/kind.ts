import type * as z from "zod/mini";

import type { ClientResult } from "#client/send.ts";
import { type Result, stop } from "#cli/outcome.ts";
import type { Session } from "#cli/session/session.ts";
import { documentPath, type Issue, toDocument, toRequest } from "#cli/configuration/convert.ts";
import { resolveSources } from "#cli/configuration/environment-values.ts";
import type { Item, KindName, Sources } from "#cli/configuration/item.ts";
import { isList, type Fields, isFields, type Json } from "#cli/configuration/json.ts";
import { pathText } from "#cli/configuration/print-toml.ts";
import type { Names } from "#cli/configuration/names.ts";
import type { Step } from "#cli/configuration/plan.ts";
import { objectOf } from "#contract/lib/json-object.ts";
import { succeed } from "#contract/lib/result.ts";
import "#contract/issue-messages.ts";

/** What reading a table of a file needs to know. */
export type Reading = {
  /** The names of the file and of the installation, with IDs that only stand for them. */
  readonly names: Names;
  readonly environment: NodeJS.ProcessEnv;
  /** The address of the installation. */
  readonly url: string;
  readonly issues: Issue[];
  /** Whether values that the environment lacks are no mistakes. */
  readonly isLenient: boolean;
};

/** What carrying out a step needs. */
export type Running = {
  readonly session: Session;
  /** The names of the installation. A step adds what it creates. */
  readonly names: Names;
  /** The values of --accept-key. */
  readonly acceptKeys: readonly string[];
};

/** A table of a file, as the installation would show it. */
export type Parsed = Pick<Item, "name" | "identity" | "fields" | "sources" | "masked">;

/** One kind of things: how it is read, written and compared. Its fields follow from the schemas of the contract. */
export type Kind = {
  readonly name: KindName;
  /** The schema of a request with the fields of a table; null: the fields are no fields of a request. */
  readonly schema: z.ZodMiniType | null;
  /** Reads a table of a file. Null: it has mistakes, which are in the issues, or is ignored, such as a freeze that has ended. */
  parse(key: string, table: Fields, reading: Reading): Parsed | null;
  /** Reads everything of this kind. */
  read(session: Session, names: Names): Promise<Result<readonly Item[]>>;
  /** Reads one again; null: it was deleted. */
  readAgain(session: Session, names: Names, item: Item): Promise<Result<Item | null>>;
  create(running: Running, step: Step): Promise<ClientResult<unknown> | Result<unknown>>;
  update(running: Running, step: Step): Promise<ClientResult<unknown> | Result<unknown>>;
  remove(running: Running, item: Item): Promise<ClientResult<unknown> | Result<unknown>>;
};

type Table = {
  /** The schema of a request that creates one. */
  readonly schema: z.ZodMiniType;
  /** What the request has besides the fields of the table. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  readonly secretAt?: (path: readonly string[]) => string | null;
  /** Changes the request before it is checked. */
  readonly prepare?: (request: Readonly<Record<string, unknown>>) => object;
};

/**
 * Reads the fields of a table with the schema of a request. @returns what the schema makes of them; null if there are
 * mistakes
 */
export function readTable(
  table: Fields,
  { names, environment, issues, isLenient }: Reading,
  { schema, fixed = {}, secretAt = () => null, prepare = (request) => request }: Table,
): { readonly request: unknown; readonly sources: Sources } | null {
  const before = issues.length;
  const { value, sources } = resolveSources(table, { environment, issues, secretAt, isLenient });
  for (const name of Object.keys(fixed))
    if (Object.hasOwn(table, name))
      issues.push({ path: [name], message: "is already the name of the table" });
  const converted = toRequest(schema, value, names.idOf, issues);
  const request = prepare({ ...(typeof converted === "object" ? converted : {}), ...fixed });
  const parsed = schema.safeParse(request);
  const found = issues.slice(before).map(({ path }) => pathText(path));
  for (const { path, message } of parsed.error?.issues ?? []) {
    const place = documentPath(schema, request, path);
    // What is unknown or does not exist is reported already.
    const isReported = place.some((_, at) => found.includes(pathText(place.slice(0, at + 1))));
    if (!isReported) issues.push({ path: place, message });
  }
  return parsed.success && issues.length === before ? { request: parsed.data, sources } : null;
}

/** The fields of a row of the API as a file has them. */
export function documentFields(schema: z.ZodMiniType, row: unknown, names: Names): Fields {
  const fields = toDocument(schema, row, names.nameOf);
  return isFields(fields) ? fields : {};
}

/** The fields without some of them. */
export function without(fields: Fields, ...left: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !left.includes(name)));
}

/** The elements in a fixed order, each once: their order means nothing. */
export function sorted(value: Json | undefined): Json {
  if (!isList(value)) return value ?? null;
  return [...new Set(value.map((one) => (typeof one === "string" ? one : JSON.stringify(one))))].toSorted();
}

/** The name of a thing whose table can have another name, because names can repeat. */
export function nameIn(key: string, given: Json | undefined, issues: Issue[]): string {
  if (given === undefined || typeof given === "string") return given ?? key;
  issues.push({ path: ["name"], message: "must be a string" });
  return key;
}

/** A row of the API as an item. */
export function itemOf(
  kind: KindName,
  { key, id, ...item }: Pick<Item, "key" | "fields"> & { readonly id: string } & Partial<Item>,
): Item {
  return {
    kind,
    key,
    name: key,
    identity: key,
    sources: new Map(),
    mark: "",
    masked: [],
    given: [],
    ...item,
    id,
  };
}

/** The fields of an item as a request of the API has them. They were checked when the file was read. */
export function requestOf(
  schema: z.ZodMiniType,
  fields: Fields,
  names: Names,
): Readonly<Record<string, unknown>> {
  return objectOf(toRequest(schema, fields, names.idOf, []));
}

/** A request as its schema has it. It was checked when the file was read, but names can be gone since. */
export function checked<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): Result<z.output<Schema>> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return succeed(parsed.data);
  const [issue] = parsed.error.issues;
  return stop("invalid_file", `${issue?.path.join(".") ?? ""} ${issue?.message ?? "is invalid"}.`);
}

/** Reads an item; null: it does not exist. */
export async function itemOrNull<Value>(
  request: Promise<ClientResult<Value>>,
  toItem: (value: Value) => Item,
): Promise<Result<Item | null>> {
  const read = await request;
  if (read.ok) return succeed(toItem(read.value));
  return read.problem.code === "not_found" ? succeed(null) : read;
}
