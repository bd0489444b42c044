import * as z from "zod/mini";

import { firstHidden } from "#contract/hidden-text.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** The parts of the URL that Node, workerd and browsers share. Its type is not in the library of every runtime. */
type Url = {
  readonly href: string;
  readonly protocol: string;
  readonly origin: string;
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
};
declare const URL: { new (text: string): Url; canParse(text: string): boolean };

/** Makes `parseAddress` the only source of addresses. */
const isParsed = Symbol("parsed");

/**
 * An http or https address that every client reads in the same way. Whatever is shown, compared or connected to is a part
 * of it. `origin`: scheme, host and port. `host`: with the port, unless it is the default one.
 */
export type Address = {
  readonly [isParsed]: true;
  readonly protocol: string;
  readonly origin: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  /** With the question mark; empty: there is none. */
  readonly query: string;
  /** The address in its one form. Without a path it has no slash at its end, as people write it. */
  readonly text: string;
};

/** Why an address is refused, as the end of a sentence that begins with its field. */
export type AddressRefusal = { readonly message: string };

const EXAMPLE = "must be an address such as https://example.com/path";
const DEFAULT_PORT = { http: ":80", https: ":443" } as const;
/** A name of DNS, or an IP address: no other character has a meaning in a host. */
const HOST =
  /^(?=.{1,253}$)(?:(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*|\[[0-9a-f:]+\])$/;

/**
 * Parses an http or https address with the parser of `fetch`, and refuses an address that the parser changes, because
 * another program could read another host in it. Only upper case in the host, the scheme's default port and a missing
 * slash after the host are harmless.
 */
export function parseAddress(text: string): ResultOf<Address, AddressRefusal> {
  const problem = textProblem(text);
  if (problem !== null) return refused(problem);
  const [, scheme, authority = "", rest = ""] = /^(https?):\/\/([^/?#]+)([^]*)$/.exec(text) ?? [];
  if (scheme !== "http" && scheme !== "https") return refused(EXAMPLE);
  if (authority.includes("@")) return refused("must not have a user name or password before the host");
  if (rest.includes("#")) return refused("must not have a fragment (#), which is never sent");
  if (!URL.canParse(text)) return refused("must have a valid host and port");
  const url = new URL(text);
  const host = authority.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (!HOST.test(url.hostname))
    return refused(
      "must have a host of letters, digits and hyphens with dots between them, or an IP address",
    );
  if (host !== url.host && host !== `${url.host}${DEFAULT_PORT[scheme]}`)
    return refused(`must have its host in one form: write ${url.host}`);
  const sent = url.href.slice(url.origin.length);
  if (rest !== "" && rest !== sent)
    return refused(
      "must have its path as it is sent: with a slash before it, without . and .. parts, and with characters other than ASCII letters, digits and punctuation percent-encoded",
    );
  return succeed({
    [isParsed]: true,
    protocol: url.protocol,
    origin: url.origin,
    host: url.host,
    hostname: url.hostname,
    port: url.port,
    path: rest === "" ? "" : url.pathname,
    query: url.search,
    text: rest === "" ? url.origin : url.href,
  });
}

const HALF_LOGIN =
  "must not have an @ after the host, which could end a password: write it as %40, and send a login in another way";

/**
 * Whether the host could be the first part of a login with a slash in its password, such as `https://bob:12/34@host/`. A
 * host with dots and without a port is one.
 */
function isHalfLogin(text: string): boolean {
  const [, authority = "", path = ""] = /^https?:\/\/([^/?#]+)([^?#]*)/.exec(text) ?? [];
  const isHost = authority.includes(".") || /^(?:localhost|\[)/i.test(authority);
  return /:\d*$/.test(authority) ? /[^/]@|^\/+@[^/]*\.[^/]*\//.test(path) : !isHost && path.includes("@");
}

/** The parts of an address that a schema has accepted. @throws if none has */
export function addressOf(text: string): Address {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new Error(`an address ${parsed.message}`);
  return parsed.value;
}

/** Why no kind of address may contain what this text contains; null: it may. */
export function textProblem(text: string): string | null {
  if (/[\s\p{Cc}]/u.test(text)) return "must not contain spaces, line breaks or control characters";
  // Such text has no form in UTF-8, and so none in a path or an environment.
  if (!text.isWellFormed()) return "must not contain half of a character";
  const hidden = firstHidden(text);
  if (hidden !== null)
    return `must not contain the character ${hidden}, which is invisible or changes the text direction`;
  return text.includes("\\") ? "must not contain a backslash, which some programs read as a slash" : null;
}

const refused = (message: string) => ({ ok: false, message }) as const;

/** What the reference shows of the rules of `parseAddress`. */
const FORM = /^https?:\/\/[^\s/?#@\\]+(\/[^\s#\\]*)?$/;
export const MAX_ADDRESS = 2048;

/** An address that something is sent to or fetched from, or that people follow. It is stored in its one form. */
export const WebAddress = z.string().check(
  z.maxLength(MAX_ADDRESS),
  z.regex(FORM, { abort: true, error: ({ input }) => problemOf(String(input)) ?? EXAMPLE }),
  z.superRefine((text, context) => {
    const message = problemOf(text);
    if (message !== null) context.addIssue({ code: "custom", message });
  }),
  z.overwrite((text) => {
    const parsed = parseAddress(text);
    return parsed.ok ? parsed.value.text : text;
  }),
);

/** A path with a query that is requested from a known host. */
export const RequestPath = z.string().check(
  z.maxLength(1024),
  z.regex(/^\/[!-~]*$/, { abort: true, error: ({ input }) => pathProblem(String(input)) }),
  z.superRefine((path, context) => {
    const message = problemOf(`http://localhost${path}`);
    if (message !== null) context.addIssue({ code: "custom", message });
  }),
);

/**
 * Why a text is not a path, and what to write instead. A query can contain a secret, so a path with a query is not
 * repeated.
 */
function pathProblem(text: string): string {
  const rule = "must begin with / and contain no spaces";
  if (/^https?:\/\//i.test(text)) return "must be a path such as /health: send a whole address as `url`";
  const path = text.trim().replace(/^(?!\/)/, "/");
  if (path.length > 1024 || !path.isWellFormed() || /[?\p{Cc}]/u.test(path))
    return `${rule}: percent-encode other characters`;
  const encoded = encodeURI(path).replace(/%25(?=[0-9a-f]{2})/gi, "%");
  return /[^!-~]/.test(path) ? `${rule}: percent-encode it, write ${encoded}` : `${rule}: write ${encoded}`;
}

/** The form of a host that DNS has: `bücher.example` is `xn--bcher-kva.example`; null: it is none. */
export function asciiHost(name: string): string | null {
  if (!/^[^\s/?#@:%\\]+$/u.test(name)) return null;
  return URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : null;
}

function problemOf(text: string): string | null {
  if (isHalfLogin(text)) return HALF_LOGIN;
  const parsed = parseAddress(text);
  return parsed.ok ? null : parsed.message;
}
