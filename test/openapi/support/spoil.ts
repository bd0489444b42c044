import * as fc from "fast-check";

import type { Operation, Schema } from "../../../scripts/reference/openapi/types.ts";
import { errorsOf } from "./json-schema.ts";
import type { Request, Sender } from "./request.ts";

/** Text that a header can hold. */
const headerText = fc.stringMatching(/^[!-~]([ -~]{0,40}[!-~])?$/);
/** A part of a path that is still one part, and is sent as it is. */
const pathPart = fc
  .string({ unit: "binary", minLength: 1, maxLength: 40 })
  .filter((text) => !/^\.{1,2}$/.test(text));

// Created once, because fast-check takes milliseconds to create an arbitrary of texts.
const queryName = fc.stringMatching(/^[a-z_]{1,12}$/);
const anyText = fc.string({ unit: "binary" });
const shortText = fc.string({ unit: "binary", maxLength: 30 });
const fieldName = fc.string({ unit: "binary", minLength: 1, maxLength: 12 });
const anyJson = fc.jsonValue();
const flatJson = fc.jsonValue({ maxDepth: 1 });

/** The same request with something wrong, or at least unusual, about it. */
export function spoiled(
  request: Request,
  { security }: Operation,
  body: Schema | null,
): fc.Arbitrary<Request> {
  const changed = (change: Partial<Request>): Request => ({ ...request, isAsDocumented: false, ...change });
  const ways: fc.Arbitrary<Request>[] = [
    fc
      .constantFrom("other-account", "weak", "nobody", "nonsense")
      .map((sender) => changed({ sender, isAsDocumented: mayCall(sender, security) })),
    fc
      .tuple(
        fc.constantFrom(
          "If-Live",
          "Idempotency-Key",
          "If-None-Match",
          "Last-Event-ID",
          "Gantry-Bookmark",
          "Accept",
        ),
        headerText,
      )
      .map(
        // An entity tag, a media type or a key can be nearly anything.
        ([name, value]) => changed({ headers: { ...request.headers, [name]: value }, isAsDocumented: true }),
      ),
    fc
      .tuple(queryName, shortText)
      .map(([name, value]) =>
        changed({ path: withQuery(request.path, name, value), isAsDocumented: isLikely(name) }),
      ),
    fc
      .tuple(fc.constantFrom("limit", "cursor", "status", "branch", "commit", "project_id", "purge"), anyText)
      .map(([name, value]) => changed({ path: withQuery(request.path, name, value), isAsDocumented: true })),
  ];
  const [, standsFor] = /@(\w+):\d+/.exec(request.path) ?? [];
  if (standsFor !== undefined)
    ways.push(
      pathPart.map((part) =>
        changed({
          path: request.path.replace(/@\w+:\d+/, encodeURIComponent(part)),
          // A stream of events ignores the cursor.
          isAsDocumented: standsFor === "cursor",
        }),
      ),
    );
  if (body !== null)
    ways.push(
      anyJson.map((value) => withBody(request, body, JSON.stringify(value))),
      anyText.map((text) => changed({ body: text, isAsDocumented: text === "" })),
      headerText.map((type) =>
        changed({
          headers: { ...request.headers, "content-type": type },
          isAsDocumented: request.body === null,
        }),
      ),
      fc
        .tuple(fc.nat(), fc.oneof(flatJson, fc.constant(undefined)))
        .map(([at, value]) =>
          withBody(request, body, JSON.stringify(replacedAt(parsed(request.body), at, value)) ?? "null"),
        ),
      fc
        .tuple(fieldName, flatJson)
        .map(([name, value]) =>
          withBody(request, body, JSON.stringify({ ...asRecord(parsed(request.body)), [name]: value })),
        ),
    );
  return fc.oneof(...ways);
}

/** Whether such a body may be taken, the validator decides. Ids are put in later, and are right. */
function withBody(request: Request, schema: Schema, body: string): Request {
  const withIds = body.replace(/@(\w+):\d+/g, (_, kind: string) => `${kind}_${"0".repeat(26)}`);
  return {
    ...request,
    headers: { ...request.headers, "content-type": "application/json" },
    body,
    isAsDocumented: errorsOf(schema, parsed(withIds), "sent").length === 0,
  };
}

function withQuery(path: string, name: string, value: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
}

function isLikely(name: string): boolean {
  return ["limit", "cursor", "status", "branch", "commit", "purge"].includes(name);
}

function parsed(text: string | null): unknown {
  return text === null ? {} : JSON.parse(text);
}

function asRecord(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

/** With another value in one of its places; undefined takes it away. */
function replacedAt(value: unknown, at: number, replacement: unknown): unknown {
  if (typeof value !== "object" || value === null) return replacement;
  const entries = Object.entries(value);
  const chosen = entries[at % Math.max(1, entries.length)];
  if (chosen === undefined) return replacement;
  const [key, inner] = chosen;
  const isDeep = typeof inner === "object" && inner !== null && at % 2 === 0;
  const changed = isDeep ? replacedAt(inner, Math.floor(at / 2), replacement) : replacement;
  if (Array.isArray(value))
    return value.map((one: unknown, index) => (String(index) === key ? changed : one));
  return { ...value, [key]: changed };
}

/** The only scope of the weak sender. */
export const WEAK_SCOPE = "servers:read";

function mayCall(sender: Sender, [security]: Operation["security"]): boolean {
  if (security === undefined) return true;
  if (sender === "other-account") return "token" in security;
  return sender === "weak" && (security["token"] ?? ["agent"]).every((scope) => scope === WEAK_SCOPE);
}
