import { prose } from "#contract/reference/prose.ts";

export type GuideSection = { readonly id: string; readonly title: string; readonly text: string };

export const introduction = prose`
  The Gantry API deploys git repositories to your own servers. A **project** is an application. A **server** is one of
  your hosts, with an agent on it. A **deployment** is one run that publishes the code of a project. Requests and
  responses are JSON in UTF-8.`;

/** The rules that apply to every operation. */
export const guide: readonly GuideSection[] = [
  {
    id: "authentication",
    title: "Authentication",
    text: prose`
      Send \`Authorization: Bearer <token>\` with every request. A token belongs to one account. It has scopes, expires
      after at most 366 days, and can be limited to projects. Objects that a token cannot access look as if they do not
      exist. A \`write\` scope includes \`read\`. [Tokens](/docs/tokens) lists what each scope lets a caller do. A field that
      needs a second scope says so in its text. Create the first token with \`npm run token\`, and all others with
      \`POST /v1/tokens\`.

      A request without a valid token gets 401, with the reason in \`WWW-Authenticate\`. A request whose token lacks the
      scope gets 403. The API refuses plain HTTP (403 \`https_required\`), except from the same machine.`,
  },
  {
    id: "problems",
    title: "Errors",
    text: prose`
      Every error response is a problem (RFC 9457) of the type \`application/problem+json\`, with a \`code\` for programs
      and a \`detail\` for people. \`type\` is the URL of [the page about the code](/docs/problems). A refused request
      changes nothing. Every response has a request id in \`X-Request-Id\`; the administrator of the installation can
      find the request by it.

      Unknown fields and parameters are refused, so that a typing error such as \`brnach\` does not deploy the wrong
      code. Text must be well-formed Unicode: an unpaired surrogate, such as \`"\\ud800"\` in JSON, is 422 in every
      field. A method that a path does not support gets 405, and \`Allow\` lists the supported methods.`,
  },
  {
    id: "lists",
    title: "Pagination",
    text: prose`
      Lists are sorted newest first and have pages of up to \`limit\` rows. To get the next page, send \`next_cursor\` as
      \`cursor\`, or follow the \`Link\` header. Rows are not repeated or skipped when others are added or deleted
      between two pages. A cursor is opaque, and valid only for the list that returned it.`,
  },
  {
    id: "retries",
    title: "Retries",
    text: prose`
      Requests that create something accept an \`Idempotency-Key\`. If you send the same key and body again within 24
      hours, you get the first response again, with \`Idempotent-Replayed: true\`, and nothing is created twice. All
      other requests can be repeated as they are.

      With 429 and 503, \`Retry-After\` is the number of seconds to wait. \`RateLimit-Policy\` is the limit of the token:
      \`"default";q=600;w=60\` means 600 requests in 60 seconds.`,
  },
  {
    id: "freshness",
    title: "Consistency",
    text: prose`
      Reads are answered from the nearest copy of the database, which can be slightly out of date. Responses have a
      \`Gantry-Bookmark\` header. If you send it back with the next request, that request sees at least the same data, so
      you can read your own writes. Each GET response has an \`ETag\`; if you send it in \`If-None-Match\` and the response
      has not changed, you get an empty 304.`,
  },
  {
    id: "versions",
    title: "Versions",
    text: prose`
      The version is part of the path. Fields, parameters, problem codes and operations can be added to \`/v1\` at any
      time, so ignore everything that you do not know. Before anything is removed, responses have \`Deprecation\` and
      \`Sunset\` headers for at least 12 months.

      Times are ISO 8601 in UTC, and durations are in seconds. Web pages of any origin can call the API: it uses no
      cookies, and every call needs a token.`,
  },
];
