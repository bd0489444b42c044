import type { TriedOperation } from "#contract/reference/page-data.ts";

/** What a reader filled in, by the names of the parameters. Empty ones are not sent. */
export type FilledFields = { readonly values: Readonly<Record<string, string>>; readonly body: string };

export type TriedRequest = { readonly address: string; readonly init: RequestInit };

/** The request of an operation, or the reason why it cannot be sent. */
export function requestOf(
  { method, path, parameters, body }: TriedOperation,
  { values, body: text }: FilledFields,
  token: string | null,
): TriedRequest | { readonly problem: string } {
  const missing = parameters.find(({ name, required }) => required && !values[name]);
  if (missing !== undefined) return { problem: `Fill in ${missing.name}.` };
  const sendsBody = body !== null && text.trim() !== "";
  if (sendsBody && !isJson(text)) return { problem: "The body is not valid JSON." };
  if (token !== null && !isHeaderValue(token))
    return { problem: "The token has characters that no token has." };
  const given = parameters.flatMap(({ name, in: place }) => {
    const value = values[name] ?? "";
    return value === "" ? [] : [{ name, place, value }];
  });
  const headers = new Headers({ accept: "application/json" });
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  if (sendsBody) headers.set("content-type", "application/json");
  const query = new URLSearchParams();
  let address = path;
  for (const { name, place, value } of given)
    // Browsers resolve such a part, also if it is encoded, and the request would be another one.
    if (place === "path" && /^\.{1,2}$/.test(value)) return { problem: `${name} must not be ${value}` };
    else if (place === "path")
      address = address.replace(`{${name}}`, encodeURIComponent(value.toWellFormed()));
    else if (place === "query") query.set(name, value);
    else if (isHeaderValue(value)) headers.set(name, value);
    else return { problem: `${name} has characters that a header cannot have.` };
  const search = query.size === 0 ? "" : `?${query.toString()}`;
  // Without this, a 304 from the browser's cache would look as if the Worker had answered.
  const init: RequestInit = { method, headers, cache: "no-store", ...(sendsBody ? { body: text } : {}) };
  return { address: address + search, init };
}

function isHeaderValue(value: string): boolean {
  return /^[ -~]*$/.test(value);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
